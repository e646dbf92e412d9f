"""A test case that is run with each backend."""

import os
from typing import ClassVar

from twisted.trial.unittest import TestCase

from syswatch.model.messages import Attach, RunCommand, TraceOptions
from tests.tracer.harness import Outcome, Tracer, run, start


class BackendCase(TestCase):
    """Starts tracers with one backend, named by the subclass."""

    backend: ClassVar[str]

    @staticmethod
    def require() -> None:
        """Skip the test if the backend is not usable."""
        raise NotImplementedError

    def setUp(self) -> None:
        """Check that the backend is usable."""
        self.require()

    def options(self, **options: object) -> TraceOptions:
        """Return options for this backend."""
        return TraceOptions(backend=self.backend, **options)  # type: ignore[arg-type]

    def trace(self, *command: str, **options: object) -> Outcome:
        """Run a command under the tracer."""
        return run(RunCommand(argv=command, options=self.options(**options)))

    def record(self, *command: str, **options: object) -> Outcome:
        """Run a command under the tracer, which sends every call to the recorder."""
        return run(RunCommand(argv=command, options=self.options(**options)), records=True)

    def start(self, *command: str, stdin: int | None = None, **options: object) -> Tracer:
        """Start a command under the tracer."""
        return start(RunCommand(argv=command, options=self.options(**options)), stdin=stdin)

    def start_with_pipe(self, *command: str, **options: object) -> tuple[Tracer, int]:
        """Start a command whose input is a pipe; return also the end to write to."""
        read_end, write_end = os.pipe()
        tracer = self.start(*command, stdin=read_end, **options)
        os.close(read_end)
        return tracer, write_end

    def attach_to(self, *pids: int, **options: object) -> Tracer:
        """Start a tracer that attaches, and wait until it is attached."""
        tracer = start(Attach(pids, options=self.options(**options)))
        tracer.await_start()
        return tracer
