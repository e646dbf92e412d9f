"""Structures shared by the program in the kernel and its reader: group_layout.h."""

import ctypes
from ctypes import c_char, c_uint32, c_uint64

NO_GROUPS = 0
BY_CONTROL_GROUP = 1
BY_PROCESS_NAME = 2
OTHER_GROUPS = 0
GROUP_DEPTH = 12
GROUP_NAME = 128
GROUP_SLOTS = 16


class GroupKey(ctypes.Structure):
    """The ID of a control group, or the bytes of a name."""

    _fields_ = (("first", c_uint64), ("second", c_uint64))


class Group(ctypes.Structure):
    """The record of a group."""

    _fields_ = (
        ("key", GroupKey),
        ("depth", c_uint32),
        ("cut", c_uint32),
        ("names", c_char * GROUP_NAME * GROUP_DEPTH),
    )


class GroupRowKey(ctypes.Structure):
    """A group and a call."""

    _fields_ = (("group", c_uint32), ("row", c_uint32))


class GroupSums(ctypes.Structure):
    """The sums of one call in one group."""

    _fields_ = (
        ("count", c_uint64),
        ("errors", c_uint64),
        ("total_ns", c_uint64),
        ("waiting_ns", c_uint64),
        ("ready_ns", c_uint64),
        ("waits", c_uint64),
    )


class GroupCounts(ctypes.Structure):
    """How much of the tables is used."""

    _fields_ = (
        ("unused_groups", c_uint64),
        ("unused_rows", c_uint64),
        ("generation", c_uint64),
    )


class GroupSlot(ctypes.Structure):
    """A cached row of a task."""

    _fields_ = (("row", c_uint32), ("place", c_uint32))


class GroupCache(ctypes.Structure):
    """The group that a task was in when it last made a call."""

    _fields_ = (
        ("key", GroupKey),
        ("generation", c_uint64),
        ("group", c_uint32),
        ("padding", c_uint32),
        ("slots", GroupSlot * GROUP_SLOTS),
    )


# How large one value of each map is.
VALUES = {
    "group_records": ctypes.sizeof(Group),
    "group_index": 4,
    "vacant_groups": 4,
    "group_rows": ctypes.sizeof(GroupSums),
    "group_row_keys": ctypes.sizeof(GroupRowKey),
    "group_row_index": 4,
    "vacant_group_rows": 4,
    "group_counts": ctypes.sizeof(GroupCounts),
}
# The structures, by the names that they have in the program.
STRUCTURES: dict[str, type[ctypes.Structure]] = {
    "group_key": GroupKey,
    "group": Group,
    "group_row_key": GroupRowKey,
    "group_sums": GroupSums,
    "group_counts": GroupCounts,
    "group_slot": GroupSlot,
    "group_cache": GroupCache,
}
