"""What the program in the kernel and its reader share, as layout.h says it."""

import ctypes
from ctypes import c_char, c_uint8, c_uint32, c_uint64

TABLE = 512
STRANGE = 2 * TABLE
CALLS = STRANGE + 1
BUCKETS = 672
PLAIN_ERRORS = 160
FIRST_RESTART = 512
RESTARTS = 31
ERRORS = PLAIN_ERRORS + RESTARTS + 1
SHORT_PATH = 128
LONG_PATH = 1024
COMM = 16
ARGUMENTS = 6
WINDOW_BITS = 27
CHUNKS = 3
CHUNK = 256
CHUNK_TEXT = 0x40
CHUNK_WANTED = 0x80
WAITING = 4
UNCOUNTED = 8
FREE = 0
ALIVE = 1
ENDED = 2
RESULTS = {"": 0, "failed": 1, "successful": 2}


class Settings(ctypes.Structure):
    """What is set before the program is loaded."""

    _fields_ = (
        ("samples", c_uint32),
        ("padding", c_uint32),
        ("cpus", c_uint32),
        ("shards", c_uint32),
        ("follow", c_uint32),
        ("status", c_uint32),
        ("reads", c_uint32),
        ("traced", c_uint8 * CALLS),
        ("opens", c_uint8 * CALLS),
        ("chunks", c_uint8 * CHUNKS * CALLS),
    )


class Totals(ctypes.Structure):
    """What is so for the whole trace."""

    _fields_ = (
        ("tasks", c_uint64),
        ("unfollowed", c_uint64),
        ("crowded", c_uint64),
        ("untimed", c_uint64),
        ("kept", c_uint64),
        ("uncounted_paths", c_uint64),
        ("window", c_uint64),
        ("used", c_uint64),
        ("used_by_failures", c_uint64),
        ("level", c_uint64),
        ("taken_in", c_uint64),
    )


class Sums(ctypes.Structure):
    """What one processor has seen of one call."""

    _fields_ = (
        ("timed", c_uint64),
        ("count", c_uint64),
        ("errors", c_uint64),
        ("total_ns", c_uint64),
        ("min_ns", c_uint64),
        ("max_ns", c_uint64),
    )


class Process(ctypes.Structure):
    """The record of a process."""

    _fields_ = (
        ("count", c_uint64),
        ("errors", c_uint64),
        ("total_ns", c_uint64),
        ("state", c_uint32),
        ("pid", c_uint32),
        ("parent", c_uint32),
        ("ending", c_uint32),
        ("comm", c_char * COMM),
    )


class Chunk(ctypes.Structure):
    """A piece of the target's memory."""

    _fields_ = (("address", c_uint64), ("length", c_uint64), ("bytes", c_uint8 * CHUNK))


class Sample(ctypes.Structure):
    """One call, whole."""

    _fields_ = (
        ("began_ns", c_uint64),
        ("duration_ns", c_uint64),
        ("result", ctypes.c_int64),
        ("arguments", c_uint64 * ARGUMENTS),
        ("pid", c_uint32),
        ("tid", c_uint32),
        ("call", c_uint32),
        ("shown", c_uint32),
        ("chunks", Chunk * CHUNKS),
    )


class Task(ctypes.Structure):
    """What is known of a task that is followed."""

    _fields_ = (
        ("began_ns", c_uint64),
        ("arguments", c_uint64 * ARGUMENTS),
        ("call", c_uint32),
        ("flags", c_uint32),
        ("process", c_uint32),
        ("padding", c_uint32),
    )


# How large one value of each map is.
VALUES = {
    "sums": ctypes.sizeof(Sums),
    "histograms": 4 * BUCKETS,
    "errors": 4 * ERRORS,
    "seen": 1,
    "processes": ctypes.sizeof(Process),
    "tasks": ctypes.sizeof(Task),
    "vacant": 4,
    ".rodata": ctypes.sizeof(Settings),
    ".bss": ctypes.sizeof(Totals),
}
# The structures, by the names that they have in the program.
STRUCTURES: dict[str, type[ctypes.Structure]] = {
    "settings": Settings,
    "totals": Totals,
    "sums": Sums,
    "process": Process,
    "chunk": Chunk,
    "sample": Sample,
    "task": Task,
}
