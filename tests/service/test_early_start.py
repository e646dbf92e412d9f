"""Tests of a tracer that is started before there is a reactor."""

import fcntl
import json
import os
import resource
import select
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any, cast
from unittest import mock

from twisted.internet import reactor
from twisted.internet.defer import Deferred
from twisted.internet.protocol import ProcessProtocol
from twisted.python.failure import Failure
from twisted.trial.unittest import SynchronousTestCase, TestCase

import twisted
from syswatch.codec.event_frames import EventDecoder
from syswatch.codec.frames import Decoder, Job, encode
from syswatch.codec.log_calls import LogCalls
from syswatch.model.messages import (
    Attach,
    Ended,
    Failed,
    ReadLogs,
    RunCommand,
    Started,
    TraceOptions,
)
from syswatch.service import early_start
from syswatch.service.adopted_process import TRIED_WITH, AdoptedProcess
from syswatch.service.early_start import EarlyTracer
from syswatch.service.inherited import Inherited
from syswatch.service.listening import listening
from syswatch.service.session import Session
from syswatch.service.tracer_process import TracerProcess
from syswatch.settings.address import Address
from syswatch.tracer.__main__ import main as trace
from tests.service.early import early_tracer
from tests.system.servers import LOG

_TERMINATION = {signal.SIGINT, signal.SIGQUIT, signal.SIGTERM, signal.SIGHUP}


def _is_open(descriptor: int) -> bool:
    """Return whether a descriptor is open."""
    try:
        os.fstat(descriptor)
    except OSError:
        return False
    return True


def _nothing() -> None:
    """Prepare nothing."""


def _blocked() -> set[int]:
    return set(signal.pthread_sigmask(signal.SIG_BLOCK, ()))


class EarlyTracerTests(SynchronousTestCase):
    """A child without a reactor."""

    def setUp(self) -> None:
        """Restore the mask of signals, whatever a test does."""
        before = signal.pthread_sigmask(signal.SIG_BLOCK, ())
        self.addCleanup(signal.pthread_sigmask, signal.SIG_SETMASK, before)

    def test_held(self) -> None:
        """A held child runs its command when the job arrives; signals are as before."""
        before, made = _blocked(), Path(self.mktemp()).absolute()
        job = RunCommand(("touch", str(made)), options=TraceOptions(backend="ptrace"))
        early = early_tracer(job, is_held=True)
        self.assertEqual(before, _blocked())
        # It would have ended the pipe if it had run the command.
        self.assertEqual([], select.select([early.frames_fd], [], [], 0.5)[0])
        self.assertFalse(made.exists())
        os.write(early.control_fd, encode(job))
        messages = self._messages(early)
        self.assertIsInstance(messages[0], Started)
        self.assertEqual(0, cast("Ended", messages[-1]).exit_code)
        self.assertTrue(made.exists())
        early.close()

    def test_held_in_vain(self) -> None:
        """A held child whose job never arrives ends without running the command."""
        made = Path(self.mktemp()).absolute()
        for job in (RunCommand(("touch", str(made))), Attach((1,)), ReadLogs((str(LOG),))):
            early = early_tracer(job, is_held=True)
            early.close()
            self.assertRaises(ChildProcessError, os.waitpid, early.pid, 0)
        self.assertFalse(made.exists())

    def test_ports(self) -> None:
        """A child that is not used leaves no port open."""
        early = early_tracer(Attach((1,)), is_held=True)
        early.ports = listening(Address.parse("127.0.0.1:0"))
        early.close()
        self.assertEqual([-1], [each.fileno() for each in early.ports])

    def test_held_failure(self) -> None:
        """What fails while a command is prepared is reported when its job arrives."""
        job = RunCommand(("true",), options=TraceOptions(backend="ptrace", mode="counts"))
        early = early_tracer(job, is_held=True)
        self.assertEqual([], select.select([early.frames_fd], [], [], 0.5)[0])
        os.write(early.control_fd, encode(job))
        (failed,) = self._messages(early)
        self.assertIn("--mode counts", cast("Failed", failed).message)
        early.close()

    def _messages(self, early: EarlyTracer) -> list[object]:
        """Return everything that a child sends."""
        decoder = Decoder()
        messages: list[object] = []
        while data := os.read(early.frames_fd, 1 << 16):
            decoder.receive_data(data)
            messages += decoder.events()
        return messages

    def test_job(self) -> None:
        """A job is done at once, and signals wait for handlers."""
        early = early_tracer(ReadLogs((str(LOG),)))
        self.assertFalse(early.is_held)
        self.assertLessEqual(_TERMINATION, _blocked())
        messages = self._messages(early)
        self.assertIsInstance(messages[0], Started)
        self.assertIsInstance(messages[-1], Ended)
        early.release_signals()
        self.assertFalse(_TERMINATION & _blocked())
        early.close()
        self.assertRaises(ChildProcessError, os.waitpid, early.pid, 0)

    def test_recorded(self) -> None:
        """The calls of a log are sent through a pipe, whose end for the recorder is handed out."""
        early = early_tracer(ReadLogs((str(LOG),)), records=True)
        decoder, calls = EventDecoder(), 0
        with os.fdopen(early.take_events(), "rb") as events:
            decoder.receive_data(events.read())
        for each in decoder.frames():
            if isinstance(each, LogCalls):
                calls += sum(columns.count for columns in each.columns)
        self.assertGreater(calls, 0)
        early.close()
        self.assertRaises(ChildProcessError, os.waitpid, early.pid, 0)

    def test_never_recorded(self) -> None:
        """A child that sends calls ends also if no recorder ever reads them."""
        early = early_tracer(ReadLogs((str(LOG),)), records=True)
        early.close()
        self.assertEqual(-1, early.take_events())
        self.assertRaises(ChildProcessError, os.waitpid, early.pid, 0)

    def test_unused(self) -> None:
        """A child with a job that no session takes over stops, and is waited for."""
        with subprocess.Popen(["sleep", "infinity"]) as target:
            self.addCleanup(target.kill)
            early = early_tracer(Attach((target.pid,)))
            early.close()
            target.kill()
        self.assertRaises(ChildProcessError, os.waitpid, early.pid, 0)

    def test_large_job(self) -> None:
        """A job may be larger than a pipe."""
        words = ("true", *["x" * (1 << 16)] * 3)
        early = early_tracer(RunCommand(words, options=TraceOptions(backend="ptrace")))
        self.assertEqual(0, cast("Ended", self._messages(early)[-1]).exit_code)
        early.release_signals()
        early.close()

    def test_no_job(self) -> None:
        """A child that gets no job is ended at once, whatever it does; signals are as before."""
        before = _blocked()
        early = EarlyTracer.fork(partial(time.sleep, 60), trace)
        assert early is not None
        self.assertEqual(before, _blocked())
        early.close()
        self.assertRaises(ChildProcessError, os.waitpid, early.pid, 0)
        # Nothing is closed that others have opened since.
        again = os.pipe()
        early.close()
        for each in again:
            os.close(each)

    def test_orphan(self) -> None:
        """A child ends when this process has ended before the job was known."""
        early = EarlyTracer.fork(_nothing, trace)
        assert early is not None
        os.close(early.control_fd)
        _, status = os.waitpid(early.pid, 0)
        self.assertEqual(1, os.waitstatus_to_exitcode(status))
        for each in (early.frames_fd, early.take_events()):
            os.close(each)
        assert early.streams is not None
        early.streams.close()

    def test_half_a_job(self) -> None:
        """A child ends quietly when this process has ended in the middle of the job."""
        early = EarlyTracer.fork(_nothing, trace)
        assert early is not None
        os.write(early.control_fd, (1000).to_bytes(8) + b"cut off")
        os.close(early.control_fd)
        _, status = os.waitpid(early.pid, 0)
        self.assertEqual(1, os.waitstatus_to_exitcode(status))
        self.assertEqual(b"", os.read(early.frames_fd, 99))
        for each in (early.frames_fd, early.take_events()):
            os.close(each)
        assert early.streams is not None
        early.streams.close()

    def test_killed(self) -> None:
        """If the child has ended already, nothing has begun, and no signal stays blocked."""
        before = _blocked()
        early = EarlyTracer.fork(partial(os._exit, 0), trace)
        assert early is not None
        # It is not waited for: that is up to `close`.
        os.waitid(os.P_PID, early.pid, os.WEXITED | os.WNOWAIT)
        self.assertFalse(early.begin(ReadLogs((str(LOG),))))
        self.assertEqual(before, _blocked())
        early.close()
        self.assertRaises(ChildProcessError, os.waitpid, early.pid, 0)

    def test_streams(self) -> None:
        """A child may have standard streams of its own."""

        def report(_: Sequence[str], __: Job) -> int:
            os.write(1, b"shown elsewhere")
            return 0

        early = EarlyTracer.fork(_nothing, report)
        assert early is not None
        self.assertTrue(early.begin(Attach((1,)), is_held=True, has_streams=True))
        assert early.streams is not None
        early.streams.child_started()
        self.assertEqual(b"shown elsewhere", os.read(early.streams.output_fd, 99))
        early.streams.close()
        early.close()

    def test_failure(self) -> None:
        """If no child can be started, nothing is left of the attempt."""

        def refuse(*_: Any, **__: Any) -> int:
            raise BlockingIOError

        before, free = _blocked(), os.dup(0)
        os.close(free)
        self.patch(os, "fork", refuse)
        self.assertIsNone(EarlyTracer.fork(_nothing, trace))
        self.assertEqual(before, _blocked())
        again = os.dup(0)
        os.close(again)
        self.assertEqual(free, again)

    def test_few_files(self) -> None:
        """With few descriptors no child is started: the service might fail after it."""
        most, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        self.addCleanup(resource.setrlimit, resource.RLIMIT_NOFILE, (most, hard))
        resource.setrlimit(resource.RLIMIT_NOFILE, (40, hard))
        self.assertIsNone(EarlyTracer.fork(_nothing, trace))

    def test_private(self) -> None:
        """The child has nothing of a service manager, and a title of its own."""
        socket = os.dup(0)
        self.addCleanup(os.close, socket)

        def report(words: Sequence[str], job: Job) -> int:
            title = Path("/proc/self/cmdline").read_bytes().strip(b"\0").decode()
            seen = [_is_open(socket), "NOTIFY_SOCKET" in os.environ, title, *words[2:]]
            assert job == Attach((1,))
            os.write(int(words[0]), json.dumps(seen).encode())
            return 0

        self.patch(early_start, "activated_fds", lambda _: range(socket, socket + 1))
        ignored = Inherited(ignored=(signal.SIGHUP,))
        self.patch(Inherited, "by_this_process", lambda: ignored)
        with mock.patch.dict(os.environ, {"NOTIFY_SOCKET": "/run/notify"}):
            early = EarlyTracer.fork(_nothing, report)
            assert early is not None
            self.addCleanup(early.close)
            early.begin(Attach((1,)), is_held=True)
            # Only in the child.
            self.assertTrue(_is_open(socket) and "NOTIFY_SOCKET" in os.environ)
        was_open, had_variable, title, *numbers = json.loads(os.read(early.frames_fd, 999))
        self.assertEqual((False, False, "syswatch.tracer"), (was_open, had_variable, title))
        held_back = [f"--held-back={number}" for number in sorted(_TERMINATION)]
        self.assertEqual([str(int(signal.SIGHUP)), *held_back, "--hold"], numbers)


class AdoptionTests(TestCase):
    """A child that Twisted adopts."""

    def test_release(self) -> None:
        """The private classes were tried with this release of Twisted."""
        tried = [tuple(map(int, each.split("."))) for each in TRIED_WITH]
        current = tuple(map(int, twisted.__version__.split(".")[:3]))
        self.assertTrue(min(tried) <= current <= max(tried), f"not tried with {current}")

    async def test_transport(self) -> None:
        """What the child writes, that it closes its pipe and that it ends is passed on."""
        done: Deferred[None] = Deferred()
        seen: list[object] = []

        class Protocol(ProcessProtocol):
            def connectionMade(self) -> None:
                cast("Any", self.transport).writeToChild(to_child, b"a job")

            def childDataReceived(self, childFD: int, data: bytes) -> None:
                seen.extend((childFD, data))

            def processEnded(self, reason: Failure) -> None:
                seen.append(getattr(reason.value, "exitCode", None))
                done.callback(None)

        from_child, frames = os.pipe()
        control, to_child = os.pipe()
        for number in (frames, control):
            fcntl.fcntl(number, fcntl.F_SETFD, 0)
        program = f"import os; os.write({frames}, os.read({control}, 99)); os._exit(3)"
        pid = os.posix_spawn(sys.executable, [sys.executable, "-c", program], os.environ)  # noqa: ASYNC221  it returns at once
        os.close(frames)
        os.close(control)
        AdoptedProcess(
            reactor,
            Protocol(),
            pid,
            reading={from_child: from_child},
            writing={to_child: to_child},
        )
        await done
        self.assertEqual([from_child, b"a job", 3], seen)

    async def test_session(self) -> None:
        """A session receives what a child does that was started before; the job is sent once."""
        for is_held in (False, True):
            job = ReadLogs((str(LOG),))
            mask = signal.pthread_sigmask(signal.SIG_BLOCK, ())
            early = early_tracer(job, is_held=is_held)
            signal.pthread_sigmask(signal.SIG_SETMASK, mask)
            session = Session(cast("Any", reactor))
            tracer = TracerProcess(job, session, cast("Any", reactor), early=early)
            tracer.spawn(cast("Any", reactor))
            outcome = await session.when_ended()
            self.assertEqual("", outcome.trouble)
            self.assertGreater(session.snapshot.total, 0)
            await tracer.detach()
