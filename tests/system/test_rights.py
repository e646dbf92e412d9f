"""Tests with the capabilities that are needed, and with fewer."""

import json
import os
import shutil
import subprocess
from pathlib import Path

from twisted.trial.unittest import SkipTest, TestCase

from tests.system.servers import PATIENCE_S, SYSWATCH
from tests.tracer.ebpf.case import require_ebpf
from tests.tracer.programs import program
from tests.tracer.strace import require_tracing


def run_with(rights: str, *words: str) -> "subprocess.CompletedProcess[str]":
    """Run syswatch with these capabilities only."""
    kept = "".join(f",+{right}" for right in rights.split())
    drop = ("setpriv", f"--bounding-set=-all{kept}", f"--inh-caps=-all{kept}")
    command = [*drop, *SYSWATCH, "run", *words]
    return subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE_S, check=False)


class RightsTests(TestCase):
    """Traces with few capabilities."""

    def setUp(self) -> None:
        """Skip the test unless there are capabilities to drop."""
        require_ebpf()
        if os.geteuid() or shutil.which("setpriv") is None:
            raise SkipTest("only root, with setpriv, can give up capabilities")

    def test_enough(self) -> None:
        """All of eBPF works with CAP_BPF and CAP_PERFMON."""
        for flags in ((), ("-y",), ("-P", "/etc/passwd"), ("--per-pid",), ("--mode", "counts")):
            words = ("--backend", "ebpf", "--format", "json", *flags, "--", "cat", "/etc/passwd")
            result = run_with("bpf perfmon", *words)
            self.assertEqual(0, result.returncode, result.stderr)
            said = result.stderr[result.stderr.index("{") :]
            counts = {row["Name"]: row["Count"] for row in json.loads(said)["Stats"]}
            self.assertEqual(1, counts["fadvise64"], flags)

    def test_too_few(self) -> None:
        """A missing capability is named with a remedy; `auto` uses ptrace."""
        result = run_with("bpf", "--backend", "ebpf", "--", "true")
        self.assertEqual(1, result.returncode)
        self.assertIn("it needs CAP_PERFMON.", result.stderr)
        self.assertNotIn("Traceback", result.stderr)
        result = run_with("bpf", "--", "echo", "hello")
        self.assertEqual((0, "hello\n"), (result.returncode, result.stdout))
        self.assertIn("backend ptrace (eBPF is not usable", result.stderr)

    def test_refused(self) -> None:
        """If the kernel refuses eBPF after all, `auto` uses ptrace where ptrace is possible."""
        command = [program("refused"), "bpf", *SYSWATCH, "run"]
        expected = (
            "eBPF cannot be used: the kernel refused it, possibly because of a seccomp filter"
        )
        for flags, said, status in (
            ((), f"syswatch: backend ptrace ({expected}); it adds", 3),
            (("--backend", "ebpf"), f"syswatch: {expected}", 1),
            (("--mode", "counts"), f"syswatch: {expected}", 1),
        ):
            result = subprocess.run(
                [*command, *flags, "sh", "-c", "echo hello; exit 3"],
                capture_output=True,
                text=True,
                timeout=PATIENCE_S,
                check=False,
            )
            self.assertTrue(result.stderr.startswith(said), result.stderr)
            self.assertEqual(status, result.returncode)
            self.assertEqual("hello\n" * (status == 3), result.stdout)


class RefusedTests(TestCase):
    """Processes that already have a tracer."""

    def test_not_started(self) -> None:
        """A command that cannot be traced is not started."""
        require_tracing()
        made = Path(self.mktemp())
        for flags in ((), ("-e", "trace=openat")):
            command = [*SYSWATCH, "run", "--backend", "ptrace", *flags, "--", "touch", str(made)]
            # It ends with all its tracees, thus also with a command that was started by mistake.
            result = subprocess.run(
                ["strace", "-f", "-o", os.devnull, *command],
                capture_output=True,
                text=True,
                timeout=PATIENCE_S,
                check=False,
            )
            self.assertEqual(1, result.returncode, result.stderr)
            self.assertIn(
                "cannot trace the command: syswatch and all that it starts are already traced",
                result.stderr,
            )
            self.assertFalse(made.exists())
