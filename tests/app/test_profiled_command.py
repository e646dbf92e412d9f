"""Tests of profiles of commands."""

from typing import Any
from unittest import mock

from twisted.internet.testing import MemoryReactorClock
from twisted.trial.unittest import SynchronousTestCase

from syswatch.app import profiled_command
from syswatch.app.profiled_command import ProfiledCommand
from syswatch.app.profiling import FAILED
from syswatch.model.messages import Ended
from syswatch.options.config import Profiling
from syswatch.profiles.basis import Basis
from syswatch.service.session import Outcome
from tests.options.parsing import config_of


class EndTests(SynchronousTestCase):
    """The exit status, if the profile itself was written."""

    def test_statuses(self) -> None:
        """A trace whose end is missing is a failure, and so is a command that fails."""
        self.patch(profiled_command, "attempt", lambda *_: 0)
        self.patch(profiled_command, "announce", lambda _: None)
        for outcome, status in (
            (Outcome(Ended(0)), 0),
            (Outcome(Ended(1)), 3),
            (Outcome(None, "the tracer was killed"), FAILED),
        ):
            profiling = Profiling("write", traced=config_of("run", "true"))
            service = ProfiledCommand(MemoryReactorClock(), profiling)  # type: ignore[arg-type]
            tracing = mock.Mock()
            tracing.session.outcome = outcome

            async def traced(_: Any, tracing: mock.Mock = tracing) -> tuple[mock.Mock, int]:
                return tracing, 0

            self.patch(Basis, "of", lambda _: mock.Mock(notes=()))
            self.patch(ProfiledCommand, "_traced", lambda _, config, run=traced: run(config))
            service.startService()
            self.assertEqual(status, self.successResultOf(service.finished))
