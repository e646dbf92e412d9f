"""Tests that the loop does what the table of thread states says, and that the docs show it."""

import ctypes
import os
import signal
import struct
from collections.abc import Mapping
from pathlib import Path

from twisted.trial.unittest import SynchronousTestCase

from syswatch.machine.proc import Identity
from syswatch.model.messages import RunCommand, TraceOptions
from syswatch.tracer.backend import Context
from syswatch.tracer.control import Control
from syswatch.tracer.naming import machine
from syswatch.tracer.outbox import Outbox
from syswatch.tracer.ptrace import abi, lifecycle, observer, waiting
from syswatch.tracer.ptrace import loop as loop_module
from syswatch.tracer.ptrace.backend import PtraceBackend
from syswatch.tracer.ptrace.calls import RUNS, CallKind
from syswatch.tracer.ptrace.loop import Loop
from syswatch.tracer.ptrace.states import ROWS, Action, Event, Row, State
from syswatch.tracer.ptrace.stops import SYSCALL_STATUS
from syswatch.tracer.ptrace.threads import Thread

PAGE = Path(__file__).parents[3] / "docs" / "ptrace.rst"
PID, TID, CHILD = 1 << 30, (1 << 30) + 1, (1 << 30) + 2
ARCHITECTURE = RUNS[machine()][0]
# A call without effects: getppid.
NUMBER = {"x86_64": 110, "aarch64": 173}.get(machine(), 0)
_ENTRY = struct.Struct("<B3xI16xQ")
_EXIT = struct.Struct("<B23xq?")
_ARCHITECTURE = struct.Struct("<I")
_LIVING = len(State) - 1
_OPS = {Event.ENTRY: abi.OP_ENTRY, Event.SECCOMP: abi.OP_SECCOMP, Event.EXIT: abi.OP_EXIT}
_STATUSES = {
    Event.ENTRY: SYSCALL_STATUS,
    Event.EXIT: SYSCALL_STATUS,
    Event.SECCOMP: 7 << 16 | signal.SIGTRAP << 8 | 0x7F,
    Event.SIGNAL: signal.SIGUSR1 << 8 | 0x7F,
    Event.GROUP_STOP: 128 << 16 | signal.SIGSTOP << 8 | 0x7F,
    Event.TRAP: 128 << 16 | signal.SIGTRAP << 8 | 0x7F,
    Event.CHILD: 1 << 16 | signal.SIGTRAP << 8 | 0x7F,
    Event.EXEC: 4 << 16 | signal.SIGTRAP << 8 | 0x7F,
    Event.END: 0,
}
# How often a call is counted, how often without a duration, and how many log entries there are.
_NUMBERS = {
    Action.COUNT: (1, 0, 1),
    Action.COUNT_UNTIMED: (1, 1, 1),
    Action.SHOW_UNFINISHED: (0, 0, 1),
}
_RESUMED = [(abi.PTRACE_SYSCALL, 0)]
_REQUESTS: Mapping[Action, list[tuple[int, int]]] = {
    Action.DELIVER: [(abi.PTRACE_SYSCALL, signal.SIGUSR1)],
    Action.LISTEN: [(abi.PTRACE_LISTEN, 0)],
    Action.FORGET: [],
    Action.SHOW_UNFINISHED: [],
}


def put_into(thread: Thread, state: State, call: CallKind) -> None:
    """Put a thread into a state, as earlier stops would have done."""
    if state is State.INTERRUPTED:
        thread.interrupted, thread.special = NUMBER, True
    elif state is not State.RUNNING:
        thread.call = call
        thread.untimed = thread.special = state is State.UNTIMED
        _ENTRY.pack_into(thread.entry, 0, abi.OP_ENTRY, ARCHITECTURE, NUMBER)


def numbers(loop: Loop) -> tuple[int, int, int]:
    """Return how many calls were counted, how many without a duration, and how many logged."""
    delta = loop.recorder.finish()
    counted = sum(tally.count for tally in delta.calls.values())
    return counted, delta.ledger.untimed_calls, len(delta.log)


def table() -> str:
    """Return the table of the documentation."""
    lines = [".. list-table::", "   :header-rows: 1", ""]
    rows = [["Stop", "State of the thread", "Action", "Next state"]]
    for row in ROWS:
        states = "any" if len(row.states) == _LIVING else " or ".join(s.value for s in row.states)
        following = row.next.value if row.next else "the same"
        rows.append([row.event.value, states, row.action.value, following + noted(row)])
    for cells in rows:
        marks = ["   * -", "     -", "     -", "     -"]
        lines += [f"{mark} {text}" for mark, text in zip(marks, cells, strict=True)]
    return "\n".join(lines) + "\n"


def noted(row: Row) -> str:
    """Return the note of a row in parentheses, if it has one."""
    return f" ({row.note})" if row.note else ""


class Kernel:
    """A kernel that reports one stop of one thread, and records how the thread is resumed."""

    def __init__(self, test: SynchronousTestCase, event: Event, control: Control) -> None:
        self.event = event
        self.control = control
        self.requests: list[tuple[int, int]] = []
        for name in ("ptrace", "request", "listen", "event_message"):
            test.patch(loop_module, name, getattr(self, name))
        test.patch(waiting, "waitpid", self.waitpid)
        test.patch(loop_module, "ignore_stops", lambda: None)
        test.patch(loop_module, "detach_stopped", lambda *_: None)
        test.patch(observer, "comm_of", lambda _: "renamed")
        test.patch(lifecycle, "has_thread", lambda *_: False)
        test.patch(lifecycle, "exists", lambda _: True)
        test.patch(lifecycle, "identify", lambda _: Identity(PID, 1, "new", os.getpid()))

    def waitpid(self, _pid: int, status: object, _options: int) -> int:
        """Report the stop, the first and last one."""
        self.control.must_stop = True
        status._obj.value = _STATUSES[self.event]  # type: ignore[attr-defined]
        return TID

    def ptrace(self, _request: int, _tid: int, size: int, info: object) -> int:
        """Describe the entry to a call or its exit."""
        buffer = info._obj  # type: ignore[attr-defined]
        operation = _OPS[self.event]
        ctypes.memset(buffer, 0, size)
        if operation == abi.OP_EXIT:
            _EXIT.pack_into(buffer, 0, operation, 7, False)  # noqa: FBT003  not an error
            _ARCHITECTURE.pack_into(buffer, 4, ARCHITECTURE)
        else:
            _ENTRY.pack_into(buffer, 0, operation, ARCHITECTURE, NUMBER)
        return size

    def request(self, request: int, _tid: int, _address: int, number: int) -> None:
        """Resume the thread."""
        self.requests.append((request, number))

    def listen(self, _tid: int) -> None:
        """Leave the thread stopped."""
        self.requests.append((abi.PTRACE_LISTEN, 0))

    def event_message(self, tid: int) -> int:
        """Return the child, or the former ID of a thread that called execve."""
        return CHILD if self.event is Event.CHILD else tid


class StateTests(SynchronousTestCase):
    """Every stop in every state."""

    def test_complete(self) -> None:
        """Each stop in each state of a living thread has one row."""
        pairs = [(row.event, state) for row in ROWS for state in row.states]
        states = [state for state in State if state is not State.ENDED]
        self.assertEqual(len(Event) * len(states), len(pairs))
        self.assertEqual({(event, state) for event in Event for state in states}, set(pairs))

    def test_loop(self) -> None:
        """The loop does what the row says, and leaves the thread in the state that it names."""
        for row in ROWS:
            for state in row.states:
                self.assert_follows(row, state)

    def assert_follows(self, row: Row, state: State) -> None:
        """Feed the loop a stop of a thread in a state, and compare what it does with a row."""
        what = f"{row.event.value}, {state.value}"
        loop = self.loop()
        threads = loop.lifecycle.threads
        process = loop.lifecycle.new_process(PID, 1, "test")
        threads.add(PID, process)
        if state is not State.NEW:
            put_into(threads.add(TID, process), state, loop.calls.describe(ARCHITECTURE, NUMBER))
        kernel = Kernel(self, row.event, loop.control)
        loop._follow()
        thread = threads.by_tid.get(TID)
        expected = row.next or (State.RUNNING if state is State.NEW else state)
        self.assertIs(expected, thread.state if thread else State.ENDED, what)
        self.assertEqual(_REQUESTS.get(row.action, _RESUMED), kernel.requests, what)
        self.assertEqual(_NUMBERS.get(row.action, (0, 0, 0)), numbers(loop), what)
        self.assertEqual(row.action is Action.ADD_CHILD, CHILD in threads.by_tid, what)

    def loop(self) -> Loop:
        """Return a loop that traces every call, handles every stop itself, and never flushes."""
        self.patch(waiting, "compiled", None)
        read_end, write_end = os.pipe()
        control_fd = os.open(os.devnull, os.O_RDONLY)
        for descriptor in (read_end, write_end, control_fd):
            self.addCleanup(os.close, descriptor)
        options = TraceOptions(colocate=False, read_arguments=False)
        job = RunCommand(("true",), options=options)
        backend = PtraceBackend(Context(job, Outbox(write_end), Control(control_fd)))
        backend.prepare()
        backend._loop.recorder.start()
        backend._loop.recorder.due_ns = 1 << 63
        return backend._loop

    def test_documented(self) -> None:
        """The documentation has the same table."""
        self.assertIn(table(), PAGE.read_text())
