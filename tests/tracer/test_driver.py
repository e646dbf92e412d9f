"""Tests of the driver: the order of a trace, and its ending whatever happens."""

import signal
from unittest.mock import Mock

from twisted.trial.unittest import SynchronousTestCase

from syswatch.model.backends import EBPF, PTRACE
from syswatch.model.delta import Delta
from syswatch.model.filters import FilterError
from syswatch.model.messages import Attach, Ended, Failed, RunCommand, TraceOptions
from syswatch.tracer import driver
from syswatch.tracer.backend import Backend, Context
from syswatch.tracer.choice import Choice
from syswatch.tracer.driver import Driver
from syswatch.tracer.errors import (
    AttachError,
    BackendRefusedError,
    InterruptedStartError,
    LaunchError,
)

_ORDER = ["announce", "follow", "finish", "ending", "close"]


class DriverTests(SynchronousTestCase):
    """A driver with backends, an outbox and a launch that only record what is called."""

    def setUp(self) -> None:
        """Use one backend, which ends with status 3."""
        self.outbox = Mock(spec=["offer", "finish"])
        self.control = Mock(stopped_by=0)
        self.events = Mock(spec=["finish"])
        self.backend = Mock(spec=Backend)
        self.backend.finish.return_value = Delta()
        self.backend.ending.return_value = Ended(exit_code=3)
        self.launch = Mock()
        self.patch(driver, "launch", self.launch)
        self.patch(driver, "create", lambda _name, _context: self.backend)
        self.patch(driver, "choose", lambda _job, _refusals: Choice(EBPF, "tested"))
        self.notices: list[str] = []
        self.patch(driver, "print_message", self.notices.append)

    def run_job(self, job: RunCommand | Attach) -> list[str]:
        """Run a job; return the methods of the backend in the order of their calls."""
        Driver(Context(job, self.outbox, self.control, events=self.events)).run()
        return [name for name, _, _ in self.backend.method_calls]

    def ending(self) -> object:
        """Return the last message to the service."""
        [[message]] = [call.args for call in self.outbox.finish.call_args_list]
        return message

    def test_command(self) -> None:
        """A command is held before it starts, and its ending is sent after the last delta."""
        calls = self.run_job(RunCommand(("true",)))
        self.assertEqual(["prepare", "hold", "start", *_ORDER], calls)
        self.assertEqual(Ended(exit_code=3), self.ending())
        self.outbox.offer.assert_called_once_with(Delta())

    def test_interrupted_start(self) -> None:
        """If the command was interrupted before it began, it has ended by that signal."""
        self.launch.side_effect = InterruptedStartError(2)

        self.assertEqual(["prepare"], self.run_job(RunCommand(("true",))))
        self.assertEqual(Ended(exit_signal=2), self.ending())
        self.events.finish.assert_called_once_with()

    def test_prepared(self) -> None:
        """What is prepared uses the time until its job begins, and is not prepared again."""
        prepared = Driver(Context(RunCommand(("true",)), self.outbox, self.control))
        prepared.prepare()
        self.assertEqual(["prepare", "await_job"], [name for name, *_ in self.backend.method_calls])
        self.backend.reset_mock()
        prepared.run()
        self.assertEqual(["hold", "start"], [name for name, *_ in self.backend.method_calls[:2]])

    def test_attach(self) -> None:
        """Running processes are attached to, and the user is told which backend traces."""
        self.assertEqual(["prepare", "attach", *_ORDER], self.run_job(Attach((5, 6))))
        self.backend.attach.assert_called_once_with((5, 6))
        [notice] = self.notices
        self.assertIn("backend ebpf (tested); it adds", notice)

    def test_notice_before_start(self) -> None:
        """The line about the backend is printed before the command can print anything."""
        told: list[int] = []
        self.backend.start.side_effect = lambda _: told.append(len(self.notices))
        self.run_job(RunCommand(("true",)))
        self.assertEqual([1], told)

    def test_not_held(self) -> None:
        """A command that cannot be traced is killed before it starts."""
        self.backend.hold.side_effect = AttachError("refused")
        self.assertEqual(["prepare", "hold"], self.run_job(RunCommand(("true",))))
        self.launch.return_value.abandon.assert_called_once_with()
        self.assertEqual(Failed("refused"), self.ending())

    def test_errors(self) -> None:
        """Errors before the trace become one message with a fitting exit status."""
        for error, expected in (
            (LaunchError("not found", 127), Failed("not found", 127)),
            (FilterError("no such call"), Failed("no such call", 2)),
            (AttachError("no such process"), Failed("no such process")),
            (KeyError(7), Failed("internal error in the tracer: KeyError: 7")),
        ):
            self.outbox.reset_mock()
            self.backend.attach.side_effect = error
            self.run_job(Attach((5,)))
            self.assertEqual(expected, self.ending())

    def test_failure_while_following(self) -> None:
        """After a failure the last delta is sent all the same, and the backend is closed."""
        self.backend.follow.side_effect = OSError(5, "broken")
        calls = self.run_job(Attach((5,)))
        self.assertEqual(["prepare", "attach", "announce", "follow", "finish", "close"], calls)
        self.outbox.offer.assert_called_once_with(Delta())
        self.assertIsInstance(self.ending(), Failed)

    def test_stopped_by_signal(self) -> None:
        """A tracer that was asked to end says so, since the target may still be running."""
        self.control.stopped_by = signal.SIGTERM
        self.run_job(RunCommand(("true",)))
        expected = Failed("the tracer process received SIGTERM and stopped tracing")
        self.assertEqual(expected, self.ending())

    def test_service_gone(self) -> None:
        """If the service has ended, the backend is closed, and the error is passed on."""
        self.outbox.offer.side_effect = BrokenPipeError
        with self.assertRaises(BrokenPipeError):
            self.run_job(Attach((5,)))
        self.backend.close.assert_called_once_with()
        self.events.finish.assert_called_once_with()

    def test_recording(self) -> None:
        """The pipe to the recorder is closed after the ending, even if no backend traces."""
        order = Mock()
        order.attach_mock(self.outbox.finish, "ending")
        order.attach_mock(self.events.finish, "recording")
        order.attach_mock(self.backend.close, "close")
        self.run_job(Attach((5,)))
        self.assertEqual(["ending", "recording", "close"], [each[0] for each in order.mock_calls])
        order.reset_mock()
        self.backend.prepare.side_effect = AttachError("refused")
        self.run_job(Attach((5,)))
        self.assertEqual(["ending", "recording"], [each[0] for each in order.mock_calls])

    def test_refused(self) -> None:
        """If a backend is refused, the next choice knows why."""
        known: list[dict[str, str]] = []

        def choose(_job: object, refusals: dict[str, str]) -> Choice:
            known.append(dict(refusals))
            return Choice(PTRACE if refusals else EBPF, "tested")

        self.patch(driver, "choose", choose)
        self.backend.prepare.side_effect = [BackendRefusedError("too old"), None]
        self.run_job(Attach((5,)))
        self.assertEqual([{}, {"ebpf": "too old"}], known)


class CreateTests(SynchronousTestCase):
    """The modules of the backends."""

    def test_protocol(self) -> None:
        """Each declared backend has a module, whose class has all methods of the protocol."""
        methods = {name for name in vars(Backend) if not name.startswith("_")}
        for backend in (EBPF, PTRACE):
            context = Context(Attach((1,), options=TraceOptions()), Mock(), Mock())
            created = driver.create(backend.name, context)
            self.assertEqual(set(), {m for m in methods if not callable(getattr(created, m, None))})
