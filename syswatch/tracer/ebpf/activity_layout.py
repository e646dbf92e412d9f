"""Structures for sums, waits and threads, as in activity_layout.h."""

import ctypes
from ctypes import c_char, c_uint8, c_uint32, c_uint64

from . import group_layout as groups

COMM = 16
ARGUMENTS = 6
SLOTS = 16
NO_THREAD = 0
SHARED_THREAD = 1
FIRST_THREAD = 2
THREADS = FIRST_THREAD + 5000
NO_ACTIVITY = 0
FIRST_ACTIVITY = 1
MOST_ACTIVITIES = 60000
ACTIVITIES = 65536
SUBJECT_NONE = 0
SUBJECT_FILE = 1
SUBJECT_ACCEPT = 2
SUBJECT_CONNECT = 3
SUBJECT_LISTEN = 4
SUBJECT_MESSAGE = 5
SUBJECT_EPOLL = 6
SUBJECT_WATCH = 7
SUBJECT_COPY = 8
SUBJECT_PATH = 9
SUBJECT_OPEN = 10
SUBJECT_CREATE = 11
SUBJECT_PAIR = 12
SUBJECT_FUTEX = 13
SUBJECT_SLEEP = 14
SUBJECT_CHILD = 15
SUBJECT_WAITID = 16
SUBJECT_SIGNAL = 17
SUBJECT_POLL = 18
SUBJECT_SELECT = 19
SUBJECT_EXECUTE = 20
NO_ARGUMENT = 255
BYTES_IN = 1
BYTES_OUT = 2
BYTES_OF_MESSAGES = 8
SHORT_TIME = 4
WAITS_OF_CALL = 1 << 31
THREAD_IN_CALL = 1
THREAD_OFF = 2
THREAD_WAITS = 4
THREAD_RUNNABLE = 8
THREAD_FOUND = 16
THREAD_FIRST_CALL = 32
SLOWEST_BY_CALL = 10
SLOWEST_OVERALL = 50


class Subject(ctypes.Structure):
    """Where the object of a call is found."""

    _fields_ = (
        ("rule", c_uint8),
        ("argument", c_uint8),
        ("other", c_uint8),
        ("bytes", c_uint8),
    )


class Activity(ctypes.Structure):
    """The sums of one thread, object and call."""

    _fields_ = (
        ("count", c_uint64),
        ("errors", c_uint64),
        ("bytes_in", c_uint64),
        ("bytes_out", c_uint64),
        ("total_ns", c_uint64),
        ("waits", c_uint64),
        ("waiting_ns", c_uint64),
        ("ready_ns", c_uint64),
    )


class ActivityKey(ctypes.Structure):
    """What a row of sums is about."""

    _fields_ = (
        ("thread", c_uint32),
        ("process", c_uint32),
        ("object", c_uint32),
        ("row", c_uint32),
    )


class Thread(ctypes.Structure):
    """The record of a thread."""

    _fields_ = (
        ("state", c_uint32),
        ("process", c_uint32),
        ("tid", c_uint32),
        ("flags", c_uint32),
        ("comm", c_char * COMM),
        ("born_ns", c_uint64),
        ("ended_ns", c_uint64),
        ("off_ns", c_uint64),
        ("off_since_ns", c_uint64),
        ("ready_ns", c_uint64),
        ("delay_ns", c_uint64),
        ("voluntary", c_uint64),
        ("switches", c_uint64),
        ("seen_ns", c_uint64),
        ("began_ns", c_uint64),
        ("call_off_ns", c_uint64),
        ("row", c_uint32),
        ("object", c_uint32),
        ("activity", c_uint32),
        ("waits", c_uint32),
        ("arguments", c_uint64 * ARGUMENTS),
        ("first_exit_ns", c_uint64),
        ("first_off_ns", c_uint64),
    )


class Slot(ctypes.Structure):
    """A cached row of a thread."""

    _fields_ = (
        ("first", c_uint64),
        ("second", c_uint64),
        ("third", c_uint64),
        ("fourth", c_uint32),
        ("row", c_uint32),
        ("object", c_uint32),
        ("activity", c_uint32),
        ("generation", c_uint64),
    )


class WaitKey(ctypes.Structure):
    """A bucket of a histogram of waits."""

    _fields_ = (
        ("subject", c_uint32),
        ("bucket", c_uint32),
    )


class Slowest(ctypes.Structure):
    """The least durations among the slowest calls of a row."""

    _fields_ = (
        ("threshold", c_uint64),
        ("times", c_uint64 * SLOWEST_BY_CALL),
    )


class Task(ctypes.Structure):
    """The state of a followed task."""

    _fields_ = (
        ("began_ns", c_uint64),
        ("arguments", c_uint64 * ARGUMENTS),
        ("call", c_uint32),
        ("row", c_uint32),
        ("flags", c_uint32),
        ("process", c_uint32),
        ("counted", c_uint32),
        ("thread", c_uint32),
        ("object", c_uint32),
        ("activity", c_uint32),
        ("generation", c_uint64),
        ("off_since_ns", c_uint64),
        ("voluntary", c_uint64),
        ("off_ns", c_uint64),
        ("delay_ns", c_uint64),
        ("switches", c_uint32),
        ("waits", c_uint32),
        ("next_slot", c_uint32),
        ("second", c_uint32),
        ("bytes", c_uint64),
        ("slots", Slot * SLOTS),
        ("groups", groups.GroupCache),
    )


# How large one value of each map is.
VALUES = {
    "tasks": ctypes.sizeof(Task),
    "activities": ctypes.sizeof(Activity),
    "activity_keys": ctypes.sizeof(ActivityKey),
    "activity_index": 4,
    "threads": ctypes.sizeof(Thread),
    "vacant_activities": 4,
    "vacant_threads": 4,
    "wait_counts": 8,
    "slowest": ctypes.sizeof(Slowest),
}
# The structures, by the names that they have in the program.
STRUCTURES: dict[str, type[ctypes.Structure]] = {
    "subject": Subject,
    "activity": Activity,
    "activity_key": ActivityKey,
    "thread": Thread,
    "slot": Slot,
    "wait_key": WaitKey,
    "slowest": Slowest,
    "task": Task,
}
