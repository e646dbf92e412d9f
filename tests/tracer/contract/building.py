"""Tests with trees of real programs: they work, and are counted as in strace."""

import subprocess
import sys
from pathlib import Path

from tests.system.servers import need
from tests.tracer.strace import require_tracing, strace_counts
from tests.unmeasured import unmeasured

from .case import BackendCase

_UNITS = 6
_MAKEFILE = """
units = {objects}
program: $(units)
	gcc -o $@ $(units)
%.o: %.c
	gcc -c -o $@ $<
"""
_SUBPROCESSES = """
import subprocess, sys
for _ in range(5):
    subprocess.run(["true"], check=True)
first = subprocess.Popen(["echo", "hello"], stdout=subprocess.PIPE)
print(subprocess.run(["cat"], stdin=first.stdout, capture_output=True, check=True).stdout)
sys.exit(first.wait())
"""
# Calls whose number depends on timing and on the capacity of a pipe.
_DETERMINED = frozenset({"execve", "openat", "unlink", "rename", "chdir"})


def determined(counts: dict[str, tuple[int, int]]) -> dict[str, tuple[int, int]]:
    """Return the counts that do not depend on timing."""
    return {name: count for name, count in counts.items() if name in _DETERMINED}


class TreeContract(BackendCase):
    """Programs that start programs."""

    def setUp(self) -> None:
        """Skip the test if strace is not available."""
        super().setUp()
        require_tracing()

    @unmeasured()
    def test_make(self) -> None:
        """A project is built with four compilers in parallel."""
        need("make", "gcc")
        folder = self.project()
        command = ("make", "-B", "-s", "-j4", "-C", str(folder))
        # Compilers remove existing output first, so it must exist in each run.
        subprocess.run(command, check=True)

        expected, outcome = strace_counts(*command), self.trace(*command)

        self.assertEqual(determined(expected), determined(outcome.counts))
        self.assertEqual(0, outcome.delta.ledger.unfollowed_processes)
        # A compiler is three programs: the driver, the compiler proper and the assembler.
        self.assertLess(3 * _UNITS, len(outcome.delta.processes))
        made = subprocess.run([folder / "program"], capture_output=True, check=False)
        self.assertEqual((_UNITS, b""), (made.returncode, made.stdout))

    def project(self) -> Path:
        """Write a project of several units."""
        folder = Path(self.mktemp()).absolute()
        folder.mkdir()
        names = [f"unit{number}" for number in range(_UNITS)]
        for name in names:
            (folder / f"{name}.c").write_text(f"int {name}(void) {{ return 1; }}\n")
        calls = " + ".join(f"{name}()" for name in names)
        declared = "".join(f"int {name}(void);\n" for name in names)
        (folder / "main.c").write_text(f"{declared}int main(void) {{ return {calls}; }}\n")
        objects = " ".join(f"{name}.o" for name in (*names, "main"))
        (folder / "Makefile").write_text(_MAKEFILE.format(objects=objects))
        return folder

    def test_python(self) -> None:
        """Python starts programs and reads their output."""
        # Isolated: otherwise it would read a directory again whenever its content changes.
        command = (sys.executable, "-I", "-B", "-S", "-c", _SUBPROCESSES)

        expected, outcome = strace_counts(*command), self.trace(*command)

        self.assertEqual(determined(expected), determined(outcome.counts))
        self.assertEqual(8, len(outcome.delta.processes))
        self.assertEqual(b"b'hello\\n'\n", outcome.output)
