"""Real programs: compilers, interpreters, a server."""

from syswatch.model.messages import Ended

# Modules, because trial runs every test case that is a name in a module of tests.
from tests.tracer.contract import abis, building, reusing, serving

from .case import PtraceCase


class TreeTests(PtraceCase, building.TreeContract):
    """Programs that start programs."""


class ServerTests(PtraceCase, serving.ServerContract):
    """nginx under load."""


class ReuseTests(PtraceCase, reusing.ReuseContract):
    """Numbers that are used again."""

    def test_command(self) -> None:
        """Who gets the number of the command is not taken for it."""
        outcome = self.trace_apart("command")
        self.assertEqual(Ended(exit_code=3), outcome.ending)
        self.assertIn(
            (2, "exited with 2"), {(t.lives, t.ending) for t in outcome.delta.processes.values()}
        )


class AbiTests(PtraceCase, abis.AbiContract):
    """Programs of 32 bits, and x32."""
