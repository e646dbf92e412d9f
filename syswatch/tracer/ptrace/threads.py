"""What the tracer knows of each thread and of each process, and nothing that acts."""

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
    """One process: where its calls are summed."""

    __slots__ = ("busy_ns", "comm", "parent", "pid", "sums")

    def __init__(self, pid: int, parent: int, comm: str) -> None:
        self.pid = pid
        self.parent = parent
        self.comm = comm
        # The CPU time it had used when it was last asked.
        self.busy_ns = 0
        # Where to add, by call; emptied when the sums are taken.
        self.sums: dict[CallKind, CallSums] = {}


class Thread:
    """One traced thread, between two stops."""

    __slots__ = (
        "announced",
        "call",
        "chosen",
        "entered_ns",
        "entry",
        "entry_ref",
        "home",
        "interrupted",
        "kept",
        "memory",
        "path",
        "process",
        "special",
        "tid",
        "untimed",
    )

    def __init__(self, tid: int, process: Process) -> None:
        self.tid = tid
        self.process = process
        # By way of this thread: that of the leader cannot be read any more when it has ended.
        self.memory = ThreadMemory(tid)
        # The call it is in, None when it runs its own code.
        self.call: CallKind | None = None
        self.entered_ns = 0
        # The kernel writes here what a call begins with, and here it stays until the call ends:
        # the arguments cost nothing unless somebody wants them.
        self.entry = ctypes.create_string_buffer(INFO_SIZE)
        self.entry_ref = ctypes.byref(self.entry)
        # What was read of the target's memory at the entry.
        self.kept: Captured | None = None
        self.path: str | None = None
        # The number of a call that had begun before we came.
        self.interrupted = NO_CALL
        # Whether the present call began before we could look at the clock.
        self.untimed = False
        # Whether one of the two above holds, so that the loop has one thing to ask.
        self.special = False
        # Whether the present call has to do with a path that was asked for.
        self.chosen = True
        # Whether the kernel has announced the thread that the present clone made.
        self.announced = False
        # The CPUs it may use when it is not bound by us; None when it is not.
        self.home: frozenset[int] | None = None

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
        """Take a thread in."""
        self.by_tid[tid] = thread = Thread(tid, process)
        self.processes[process.pid] = process
        return thread

    def rename(self, thread: Thread, tid: int) -> None:
        """Give a thread the place of its leader, as execve does."""
        self.by_tid.pop(thread.tid, None)
        thread.tid = tid
        thread.memory = ThreadMemory(tid)
        self.by_tid[tid] = thread

    def remove(self, tid: int) -> Thread | None:
        """Forget a thread that has ended."""
        thread = self.by_tid.pop(tid, None)
        if thread is not None and thread.tid == thread.process.pid:
            self.processes.pop(tid, None)
        return thread

    def __iter__(self) -> Iterator[Thread]:
        return iter(tuple(self.by_tid.values()))

    def __len__(self) -> int:
        return len(self.by_tid)
