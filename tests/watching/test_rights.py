"""Tests of watching with few rights."""

import os
import shutil
from typing import ClassVar

from twisted.trial.unittest import SkipTest

from tests.tracer.programs import program
from tests.tracer.strace import require_tracing

from .scripts import ScriptCase

_BLOCK = """
try:
    with watch() as seen:
        call(5)
    tell(count=seen.calls["getppid"], backend=seen.backend)
except watching.NotPermittedError as error:
    tell(refused=str(error))
try:
    done = watching.run(["true"], backend=backend)
    tell(programs=len(done.programs))
except watching.NotPermittedError as error:
    tell(not_run=str(error))
"""
_NO_RIGHTS = ("setpriv", "--bounding-set=-all", "--inh-caps=-all")


class RightsTests(ScriptCase):
    """What works with which rights."""

    backend: ClassVar[str] = "auto"
    require = staticmethod(require_tracing)

    def setUp(self) -> None:
        """Skip the test unless there are capabilities to drop."""
        super().setUp()
        if os.geteuid() or shutil.which("setpriv") is None:
            raise SkipTest("only root, with setpriv, can give up capabilities")

    def test_none(self) -> None:
        """Without any capability, blocks and commands are watched with ptrace."""
        told = self.tell(_BLOCK, before=_NO_RIGHTS)
        self.assertEqual({"count": 5, "backend": "ptrace", "programs": 1}, told)

    def test_refused(self) -> None:
        """Where nothing may trace, an error names the reason."""
        told = self.tell(_BLOCK, before=(*_NO_RIGHTS, program("refused"), "ptrace"))
        self.assertIn("cannot trace process", told["refused"])
        self.assertIn("a seccomp filter refuses ptrace", told["refused"])
        self.assertIn("What helps: ", told["refused"])
        self.assertIn("a seccomp filter refuses ptrace", told["not_run"])

    def test_traced(self) -> None:
        """Ptrace refuses a program that is traced already; the error names the tracer."""
        told = self.tell(_BLOCK, before=(*_NO_RIGHTS, "strace", "-o", os.devnull))
        self.assertIn("traces it already", told["refused"])
        self.assertEqual(1, told["programs"])
