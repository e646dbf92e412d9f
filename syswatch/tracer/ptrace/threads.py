"""The state of each traced thread and process."""

import ctypes
from collections.abc import Iterator

import attrs

from syswatch.tracer.decode import Captured
from syswatch.tracer.sums import CallSums

from .abi import INFO_SIZE
from .calls import CallKind
from .memory import ThreadMemory
from .states import State

# No call has this number; a thread with it was in no call when it was attached to.
NO_CALL = -1


class Process:
    """A process and the sums of its calls."""

    __slots__ = ("busy_ns", "comm", "parent", "pid", "sums")

    def __init__(self, pid: int, parent: int, comm: str) -> None:
        self.pid = pid
        self.parent = parent
        self.comm = comm
        # The CPU time at the last review of the placement.
        self.busy_ns = 0
        # By kind of call; emptied when the sums are taken.
        self.sums: dict[CallKind, CallSums] = {}


class Thread:
    """A traced thread between two stops."""

    __slots__ = (
        "call",
        "captured",
        "child_reported",
        "entered_ns",
        "entry",
        "entry_ref",
        "interrupted",
        "memory",
        "own_cpus",
        "path",
        "process",
        "selected",
        "special",
        "tid",
        "untimed",
    )

    def __init__(self, tid: int, process: Process) -> None:
        self.tid = tid
        self.process = process
        # Read by way of this thread: the memory of a leader that has ended is not readable.
        self.memory = ThreadMemory(tid)
        # The call it is in; None while it runs its own code.
        self.call: CallKind | None = None
        self.entered_ns = 0
        # The kernel describes the entry to a call here, and the description is kept until the exit:
        # arguments are decoded only if they are needed.
        self.entry = ctypes.create_string_buffer(INFO_SIZE)
        self.entry_ref = ctypes.byref(self.entry)
        # Memory of the target that was read at the entry.
        self.captured: Captured | None = None
        self.path: str | None = None
        # The number of a call that began before the thread was attached to.
        self.interrupted = NO_CALL
        # Whether the time at which the current call began is unknown.
        self.untimed = False
        # Whether one of the two above holds, so that the loop makes one check only.
        self.special = False
        # Whether the current call refers to a selected path.
        self.selected = True
        # Whether the kernel has reported the child of the current clone.
        self.child_reported = False
        # The CPUs it may use when it is not bound; None while it is not bound.
        self.own_cpus: frozenset[int] | None = None

    @property
    def state(self) -> State:
        """Return the state that these attributes stand for."""
        if self.call is not None:
            return State.UNTIMED if self.untimed else State.IN_CALL
        return State.RUNNING if self.interrupted == NO_CALL else State.INTERRUPTED


@attrs.define
class Threads:
    """All traced threads, and the processes they belong to."""

    by_tid: dict[int, Thread] = attrs.field(factory=dict, init=False)
    processes: dict[int, Process] = attrs.field(factory=dict, init=False)

    def add(self, tid: int, process: Process) -> Thread:
        """Add a thread."""
        self.by_tid[tid] = thread = Thread(tid, process)
        self.processes[process.pid] = process
        return thread

    def rename(self, thread: Thread, tid: int) -> None:
        """Change the ID of a thread to that of its leader, as execve does."""
        self.by_tid.pop(thread.tid, None)
        thread.tid = tid
        thread.memory = ThreadMemory(tid)
        self.by_tid[tid] = thread

    def remove(self, tid: int) -> Thread | None:
        """Remove a thread that has ended."""
        thread = self.by_tid.pop(tid, None)
        if thread is not None and thread.tid == thread.process.pid:
            self.processes.pop(tid, None)
        return thread

    def __iter__(self) -> Iterator[Thread]:
        return iter(tuple(self.by_tid.values()))

    def __len__(self) -> int:
        return len(self.by_tid)
