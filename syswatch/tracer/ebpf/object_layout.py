"""Structures for objects, as in object_layout.h."""

import ctypes
from ctypes import c_int32, c_uint8, c_uint32, c_uint64

LINK = 256
# The objects below FIRST_OBJECT stand for all of the kind with that place in the model.
NO_OBJECT = 0
FIRST_OBJECT = 32
OBJECTS = FIRST_OBJECT + 10000
SIDE_UNKNOWN = 0
SIDE_CLIENT = 1
SIDE_SERVER = 2
SIDE_LISTENING = 3
SIDE_UNCONNECTED = 4
BY_INODE = 1
BY_POINTER = 2
BY_PEER = 3
BY_NAME = 4
BY_PATH = 5
BY_FUTEX = 6
BY_SLEEP = 7
BY_CHILD = 8


class Link(ctypes.Structure):
    """The file of a descriptor."""

    _fields_ = (
        ("descriptor", c_int32),
        ("state", c_uint32),
        ("mode", c_uint32),
        ("length", c_uint32),
        ("file_system", c_uint64),
        ("number", c_uint64),
        ("text", c_uint8 * LINK),
    )


class ObjectKey(ctypes.Structure):
    """What identifies an object."""

    _fields_ = (
        ("type", c_uint32),
        ("detail", c_uint32),
        ("first", c_uint64),
        ("second", c_uint64),
        ("third", c_uint64),
    )


class Object(ctypes.Structure):
    """What is known of an object."""

    _fields_ = (
        ("key", ObjectKey),
        ("state", c_uint32),
        ("kind", c_uint32),
        ("process", c_uint32),
        ("pid", c_uint32),
        ("tid", c_uint32),
        ("descriptor", c_int32),
        ("row", c_uint32),
        ("side", c_uint32),
        ("number", c_uint64),
        ("file_system", c_uint64),
        ("device", c_uint32),
        ("special", c_uint32),
        ("mode", c_uint32),
        ("generation", c_uint32),
        ("family", c_uint32),
        ("protocol", c_uint32),
        ("socket_type", c_uint32),
        ("socket_state", c_uint32),
        ("local", c_uint8 * 16),
        ("remote", c_uint8 * 16),
        ("local_port", c_uint32),
        ("remote_port", c_uint32),
        ("peer_pid", c_uint32),
        ("shared", c_uint32),
        ("value", c_uint64),
        ("peer_number", c_uint64),
        ("text_length", c_uint32),
        ("text_cut", c_uint32),
        ("text", c_uint8 * LINK),
        ("link", Link),
    )


class WatchKey(ctypes.Structure):
    """An epoll and the data of one of its descriptors."""

    _fields_ = (
        ("epoll", c_uint64),
        ("data", c_uint64),
    )


class Watch(ctypes.Structure):
    """The descriptor behind such data."""

    _fields_ = (
        ("file", c_uint64),
        ("descriptor", c_int32),
        ("object", c_uint32),
    )


# How large one value of each map is.
VALUES = {
    "objects": ctypes.sizeof(Object),
    "object_index": 4,
    "vacant_objects": 4,
    "watches": ctypes.sizeof(Watch),
    "sides": 4,
}
# The structures, by the names that they have in the program.
STRUCTURES: dict[str, type[ctypes.Structure]] = {
    "link": Link,
    "object_key": ObjectKey,
    "object": Object,
    "watch_key": WatchKey,
    "watch": Watch,
}
