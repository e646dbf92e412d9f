"""Runs a live trace with any backend, from the choice of the backend to the last message."""

import importlib
from collections.abc import Mapping
from collections.abc import Set as AbstractSet
from contextlib import suppress
from signal import Signals

import attrs

from syswatch.base.classes import define
from syswatch.base.streams import print_message
from syswatch.model.messages import Attach, Ended, Failed, RunCommand

from .backend import Backend, Context
from .choice import Choice, choose
from .errors import BackendRefusedError, InterruptedStartError, failure_of
from .launch import launch


@define
class Driver:
    """Starts or attaches, follows, and sends how the trace ended, whatever happens."""

    context: Context
    # The signal handlers that the tracer was started with; a command inherits them.
    dispositions: Mapping[int, object] = attrs.field(factory=dict)
    # Signals that are blocked until the command can receive them.
    held_back: AbstractSet[int] = frozenset()
    _prepared: tuple[Backend, Choice] | None = attrs.field(default=None, init=False)

    def prepare(self) -> None:
        """Do beforehand what takes longest of a trace; if it fails, `run` finds out why."""
        with suppress(Exception):
            self._prepared = self._prepare()
            backend, _ = self._prepared
            backend.await_job()

    def run(self) -> None:
        """Trace the target of the job to its end."""
        try:
            backend = self._begin()
        except InterruptedStartError as interrupt:
            self._end(Ended(exit_signal=interrupt.number))
        except Exception as error:  # noqa: BLE001  the service must receive an ending
            self._end(self._failure(error))
        else:
            self._trace(backend)

    def _end(self, ending: Ended | Failed) -> None:
        """Report the end of a trace that has not begun."""
        self.context.outbox.finish(ending)
        self._finish_recording()

    def _begin(self) -> Backend:
        backend, choice = self._prepared or self._prepare()
        match self.context.job:
            case RunCommand() as job:
                self._run_command(job, backend, choice.notice)
            case Attach() as job:
                backend.attach(job.pids)
                _print(choice.notice)
        return backend

    def _prepare(self) -> tuple[Backend, Choice]:
        """Load the best backend that the kernel does not refuse."""
        refusals: dict[str, str] = {}
        while True:
            choice = choose(self.context.job, refusals)
            backend = create(choice.backend.name, self.context)
            try:
                backend.prepare()
            except BackendRefusedError as error:
                refusals[choice.backend.name] = str(error)
            else:
                return backend, choice

    def _run_command(self, job: RunCommand, backend: Backend, notice: str) -> None:
        waiting = launch(job, self.dispositions, backend.before_exec, self.held_back)
        try:
            backend.hold(waiting.pid)
        except BaseException:
            waiting.abandon()
            raise
        # Before the command runs, so that the line is not in the middle of its output.
        _print(notice)
        backend.start(waiting)

    def _trace(self, backend: Backend) -> None:
        failure: Failed | None = None
        outbox = self.context.outbox
        try:
            backend.announce()
            backend.follow()
        except Exception as error:  # noqa: BLE001  the service must receive an ending
            failure = self._failure(error)
        try:
            outbox.offer(backend.finish())
            outbox.finish(failure or self._stopped_by_signal() or backend.ending())
        finally:
            # After the ending, which must not depend on a disk; before staying with a command.
            self._finish_recording()
            backend.close()

    def _stopped_by_signal(self) -> Failed | None:
        """Return what to report if this process alone was asked to end."""
        number = self.context.control.stopped_by
        if not number:
            return None
        return Failed(f"the tracer process received {Signals(number).name} and stopped tracing")

    def _finish_recording(self) -> None:
        if self.context.events is not None:
            self.context.events.finish()

    def _failure(self, error: Exception) -> Failed:
        return failure_of(error, debug=self.context.options.debug)


def create(name: str, context: Context) -> Backend:
    """Return a backend by name; its modules are imported only if it is used."""
    module = importlib.import_module(f"syswatch.tracer.{name}.backend")
    backend: Backend = module.create(context)
    return backend


def _print(notice: str) -> None:
    if notice:
        print_message(notice)
