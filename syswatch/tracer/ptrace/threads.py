"""The state of each traced thread and process."""

import ctypes
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import attrs

from syswatch.base.classes import define
from syswatch.machine.proc import comm_of
from syswatch.model.now import Doing
from syswatch.model.objects import NO_OBJECT
from syswatch.tracer.decode import Captured
from syswatch.tracer.objects.ways import Moved

from .abi import ARGUMENTS_AT, INFO_SIZE
from .calls import CallKind
from .memory import ThreadMemory
from .states import State
from .waits import NO_WAIT

if TYPE_CHECKING:
    from syswatch.tracer.objects.descriptors import Description

    from .account import Account

# No call has this number; a thread with it was in no call when it was attached to.
NO_CALL = -1
_MOST_ENDED = 1000
_NO_REGISTERS = memoryview(bytes(48))


class Process:
    """A process."""

    __slots__ = ("busy_ns", "comm", "parent", "pid")

    def __init__(self, pid: int, parent: int, comm: str) -> None:
        self.pid = pid
        self.parent = parent
        self.comm = comm
        # The CPU time at the last review of the placement.
        self.busy_ns = 0


# The sums of a kind of call, or of a kind and an object if the call acts on one; with a direction,
# only the bytes that were moved to a second object.
SumsKey = CallKind | tuple[CallKind, int] | tuple[CallKind, int, Moved]


class Thread:
    """A traced thread between two stops."""

    __slots__ = (
        "account",
        "arguments",
        "at_exit",
        "call",
        "calls",
        "captured",
        "child_reported",
        "divided",
        "entered_ns",
        "entry",
        "entry_at",
        "entry_ref",
        "first",
        "given",
        "interrupted",
        "memory",
        "name",
        "object",
        "open",
        "other_stops",
        "own_cpus",
        "process",
        "program",
        "registers",
        "restarted",
        "rows",
        "selected",
        "settled_calls",
        "special",
        "stopped_since",
        "suspended_ns",
        "tid",
        "untimed",
        "watched",
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
        self.entry_at = ctypes.addressof(self.entry)
        # The arguments in that description, if they are recorded.
        self.registers = _NO_REGISTERS
        # Memory of the target that was read at the entry.
        self.captured: Captured | None = None
        # How the duration of its last call that was not short divides.
        self.divided = NO_WAIT
        # The path that the current call opens, if it could be read.
        self.given: bytes | None = None
        # The object of the path that the current execve names.
        self.program = NO_OBJECT
        # The call that restart_syscall continues; its arguments are still in the registers.
        self.restarted: CallKind | None = None
        # The number and the arguments of a call that began before the thread was attached to.
        self.interrupted = NO_CALL
        self.arguments: tuple[int, ...] = ()
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
        # The calls that have returned, and how many of them the account includes.
        self.calls = self.settled_calls = 0
        # The stops besides those of calls.
        self.other_stops = 0
        # The first argument of the current call as a C `int`.
        self.first = ctypes.c_int.from_buffer(self.entry, ARGUMENTS_AT)
        # The sums since the last flush: CallSums, or Row if objects are followed.
        self.rows: dict[SumsKey, Any] = {}
        # The descriptors of its process, if objects are followed.
        self.open: dict[int, Description] = {}
        # The object of the current call, if it is determined at the entry.
        self.object = 0
        # The calls that are likely to wait; how many of each will be looked at from the entry.
        self.watched: dict[CallKind, int] = {}
        self.account: Account | None = None
        # Read when it is needed, and again when it may have changed.
        self.name = ""
        # Since when a signal such as SIGSTOP has stopped it; 0 if none has.
        self.stopped_since = 0
        # For how long such signals had stopped it since the last flush, until it was continued.
        self.suspended_ns = 0
        # Whether it is stopped at the exit from a call, which has been counted.
        self.at_exit = False

    def resumed(self, *, at_exit: bool) -> int:
        """Return how often the thread has been resumed from a stop; `at_exit` it is not yet."""
        return 2 * self.calls - at_exit + self.other_stops

    def take_suspended_ns(self, now_ns: int) -> int:
        """Return for how long signals had stopped it since this was asked last."""
        taken_ns, self.suspended_ns = self.suspended_ns, 0
        if self.stopped_since:
            taken_ns += now_ns - self.stopped_since
            self.stopped_since = now_ns
        return taken_ns

    def note_other_stop(self, now_ns: int) -> None:
        """Count a stop that is none of a call; if signals had stopped the thread, that is over."""
        self.other_stops += 1
        if self.stopped_since:
            self.suspended_ns = self.take_suspended_ns(now_ns)
            self.stopped_since = 0

    @property
    def comm(self) -> str:
        """The name of the thread."""
        if not self.name:
            self.name = comm_of(self.tid) or self.process.comm
        return self.name

    @property
    def doing(self) -> Doing:
        """What the thread does outside of calls."""
        if self.stopped_since:
            return Doing.STOPPED
        is_ready = self.account is not None and self.account.is_ready
        return Doing.READY if is_ready else Doing.RUNNING

    @property
    def state(self) -> State:
        """Return the state that these attributes stand for."""
        if self.call is not None:
            return State.UNTIMED if self.untimed else State.IN_CALL
        return State.RUNNING if self.interrupted == NO_CALL else State.INTERRUPTED


@define
class Threads:
    """All traced threads, and the processes they belong to."""

    by_tid: dict[int, Thread] = attrs.field(factory=dict, init=False)
    processes: dict[int, Process] = attrs.field(factory=dict, init=False)
    # The calls of threads that have ended.
    _ended_calls: int = attrs.field(default=0, init=False)
    # The commands of the processes that ended last, for the calls that wait for them.
    _ended: dict[int, str] = attrs.field(factory=dict, init=False)

    @property
    def calls(self) -> int:
        """Return the number of calls that have returned so far."""
        return self._ended_calls + sum(thread.calls for thread in self.by_tid.values())

    def add(self, tid: int, process: Process) -> Thread:
        """Add a thread."""
        self.by_tid[tid] = thread = Thread(tid, process)
        self.processes[process.pid] = process
        return thread

    def rename(self, thread: Thread, tid: int) -> None:
        """Change the ID of a thread to that of its leader, as execve does."""
        self.by_tid.pop(thread.tid, None)
        thread.tid = tid
        thread.name = ""
        thread.memory = ThreadMemory(tid)
        self.by_tid[tid] = thread

    def remove(self, tid: int) -> Thread | None:
        """Remove a thread that has ended."""
        thread = self.by_tid.pop(tid, None)
        if thread is not None:
            self._ended_calls += thread.calls
        if thread is not None and thread.tid == thread.process.pid:
            self.processes.pop(tid, None)
            self._ended.pop(tid, None)
            self._ended[tid] = thread.process.comm
            if len(self._ended) > _MOST_ENDED:
                del self._ended[next(iter(self._ended))]
        return thread

    def comm_of(self, pid: int) -> str:
        """Return the command of a process, which may have ended."""
        process = self.processes.get(pid)
        return process.comm if process is not None else self._ended.get(pid) or comm_of(pid)

    def __iter__(self) -> Iterator[Thread]:
        return iter(tuple(self.by_tid.values()))

    def __len__(self) -> int:
        return len(self.by_tid)
