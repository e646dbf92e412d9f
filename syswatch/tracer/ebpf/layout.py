"""Structures shared by the program in the kernel and its reader: layout.h, sample_layout.h."""

import ctypes
from ctypes import c_char, c_int64, c_uint8, c_uint16, c_uint32, c_uint64

from . import activity_layout as activity
from . import evidence_layout as evidence
from . import object_layout as objects

TABLE = 512
STRANGE = 2 * TABLE
CALLS = STRANGE + 1
UNLISTED = 64
OTHERS = STRANGE + UNLISTED
ROWS = OTHERS + 1
BUCKETS = 672
PLAIN_ERRORS = 160
FIRST_RESTART = 512
RESTARTS = 31
ERRORS = PLAIN_ERRORS + RESTARTS + 1
ARGUMENTS = activity.ARGUMENTS
COMM = activity.COMM
LINK = objects.LINK
SHORT_PATH = 128
LONG_PATH = 1024
WINDOW_BITS = 27
DATA = 8192
MOST = 2048
PIECE = 16
SPACE = DATA + PIECE + MOST
EARLY = 2816
STEPS = 1024
ROOT = 56
UNLIMITED = 0xFFFF
FORM_BYTES = 0
FORM_TEXT = 1
FORM_LIST = 2
FORM_POINTERS = 3
FORM_ENTRIES = 4
AT_ENTRY = 1
AT_EXIT = 2
IF_MISSED = 4
IF_FAILED = 8
GIVEN = 16
LINKS = 3
LINK_WHOLE = 1
LINK_DELETED = 2
LINK_NOWHERE = 4
WORKING_FOLDER = -100
SHOWN = 1
UNFINISHED = 2
SLOW = 4
WAITING = 4
EARLY_MEMORY = 64
EARLY_LINKS = 128
NAMED_ONLY = 0
GROUP = 1
EVERYBODY = 2
# Record 0 is that of all processes without one.
FIRST_PROCESS = 1
FREE = 0
ALIVE = 1
ENDED = 2
LEFT = 3
RESULTS = {"": 0, "failed": 1, "successful": 2}


class Step(ctypes.Structure):
    """One read of memory."""

    _fields_ = (
        ("pointer", c_uint16),
        ("limit", c_uint16),
        ("scale", c_uint16),
        ("size", c_uint16),
        ("stride", c_uint16),
        ("count", c_uint16),
        ("first", c_uint16),
        ("steps", c_uint8),
        ("width", c_uint8),
        ("limit_width", c_uint8),
        ("form", c_uint8),
        ("when", c_uint8),
        ("unit", c_uint8),
    )


class Plan(ctypes.Structure):
    """The steps for the arguments of a call."""

    _fields_ = (("first", c_uint16), ("steps", c_uint16))


class Settings(ctypes.Structure):
    """Settings that are stored before the program is loaded."""

    _fields_ = (
        ("samples", c_uint32),
        ("burst", c_uint32),
        ("scope", c_uint32),
        ("cpus", c_uint32),
        ("shards", c_uint32),
        ("follow", c_uint32),
        ("status", c_uint32),
        ("reads", c_uint32),
        ("timed", c_uint32),
        ("split", c_uint32),
        ("selects", c_uint32),
        ("links", c_uint32),
        ("records", c_uint32),
        ("objects", c_uint32),
        ("first_port", c_uint32),
        ("last_port", c_uint32),
        ("events", c_uint32),
        ("arguments", c_uint32),
        ("profile", c_uint32),
        ("groups", c_uint32),
        ("most_groups", c_uint32),
        ("group_rows", c_uint32),
    )

    @property
    def only_counts(self) -> bool:
        """Return whether the state of a task does not change from call to call."""
        begins = self.timed or self.selects or self.profile
        return not (begins or self.groups or self.scope == GROUP)


class Catalog(ctypes.Structure):
    """What is known of each call, stored while the program is loaded."""

    _fields_ = (
        ("sigreturn", c_uint32),
        ("mask_at", c_uint32),
        ("native", c_uint32),
        ("compatible", c_uint32),
        ("traced", c_uint8 * CALLS),
        ("opens", c_uint8 * CALLS),
        ("early", c_uint8 * CALLS),
        ("paths", c_uint8 * CALLS),
        ("descriptors", c_uint8 * CALLS),
        ("returns", c_uint8 * CALLS),
        ("subjects", activity.Subject * CALLS),
        ("plans", Plan * CALLS),
        ("ruled", evidence.Ruled * CALLS),
        ("steps", Step * STEPS),
    )


class Totals(ctypes.Structure):
    """Values of the whole trace."""

    _fields_ = tuple(
        (name, c_uint64)
        for name in (
            *("tasks", "unfollowed", "crowded", "uncounted_paths"),
            *("window", "used", "used_by_failures", "level"),
            *("taken_in", "own", "service", "unused"),
            *("shown", "unlisted", "generation", "unused_threads"),
            *("unused_objects", "unused_activities", "crowded_threads", "crowded_objects"),
            *("uncredited", "uncounted_waits", "lost_slow"),
            *("looks", "without_delay", "slow_ns"),
            *("clock_ns", "lost_calls", "side", "of_programs"),
            *("of_values", "coarse_evidence", "ends", "unseen_starts"),
        )
    )


class Sums(ctypes.Structure):
    """The sums of one call on one CPU."""

    _fields_ = (
        ("timed", c_uint64),
        ("count", c_uint64),
        ("errors", c_uint64),
        ("total_ns", c_uint64),
        ("min_ns", c_uint64),
        ("max_ns", c_uint64),
    )


class RowKey(ctypes.Structure):
    """A process and a call."""

    _fields_ = (("process", c_uint32), ("call", c_uint32))


class Row(ctypes.Structure):
    """One call of one process."""

    _fields_ = (
        ("sums", Sums),
        ("histogram", c_uint32 * BUCKETS),
        ("errors", c_uint32 * ERRORS),
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
        ("cut", c_uint32),
        ("tasks", c_uint32),
        ("comm", c_char * COMM),
        ("born_ns", c_uint64),
        ("ended_ns", c_uint64),
    )


class Piece(ctypes.Structure):
    """What was read in one step; its bytes follow."""

    _fields_ = (
        ("address", c_uint64),
        ("length", c_uint16),
        ("first", c_uint16),
        ("steps", c_uint8),
        ("form", c_uint8),
        ("kept", c_uint8),
        ("padding", c_uint8),
    )


class Memory(ctypes.Structure):
    """The pieces of memory in a sample."""

    _fields_ = (("length", c_uint32), ("early", c_uint32), ("data", c_uint8 * SPACE))


class Given(ctypes.Structure):
    """The memory that was read at the entry."""

    _fields_ = (
        ("links", objects.Link * (LINKS - 1)),
        ("length", c_uint32),
        ("early", c_uint32),
        ("data", c_uint8 * EARLY),
    )


class Sample(ctypes.Structure):
    """A sample of a call; the last link belongs to its result, and only used bytes are sent."""

    _fields_ = (
        ("began_ns", c_uint64),
        ("result", c_int64),
        ("arguments", c_uint64 * ARGUMENTS),
        ("tid", c_uint32),
        ("row", c_uint32),
        ("shown", c_uint32),
        ("waits", c_uint32),
        ("duration_ns", c_uint64),
        ("waiting_ns", c_uint64),
        ("ready_ns", c_uint64),
        ("object", c_uint32),
        ("thread", c_uint32),
        ("links", objects.Link * LINKS),
        ("memory", Memory),
    )


class Opens(ctypes.Structure):
    """How many calls opened a path, and how many failed."""

    _fields_ = (("failed", c_uint64), ("all", c_uint64))
