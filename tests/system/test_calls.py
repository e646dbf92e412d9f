"""`--calls` and `-o` of `syswatch run`: a line for each call, as users of strace expect them."""

import os
import subprocess
from typing import ClassVar

from tests.system import calls_case
from tests.system.servers import PATIENCE_S, wait_for
from tests.system.shell import run
from tests.tracer.ebpf.case import require_ebpf

_COPY = "dd if=/dev/zero of=/dev/null bs=1 count=20000; : >done"


class PtraceCallsTests(calls_case.CallsCase):
    """Every call with ptrace."""

    backend: ClassVar[str] = "ptrace"

    def test_texts(self) -> None:
        """Every call has the texts that strace shows."""
        ours = self.folder / "ours"
        self.assertEqual(
            3, run([*self.words("-o", str(ours)), "sh", "-c", calls_case.SCRIPT]).returncode
        )
        reads = [line for line in ours.read_text().splitlines() if " read(0, " in line]
        self.assertEqual(
            300, sum('read(0, "\\0", 1) = 1 <' in line.replace("  ", " ") for line in reads)
        )


class EbpfCallsTests(calls_case.CallsCase):
    """Every call with eBPF."""

    backend: ClassVar[str] = "ebpf"

    def require(self) -> None:
        """Skip the test if eBPF does not work here."""
        require_ebpf()

    def test_standard_output(self) -> None:
        """With `-`, the lines are on standard output, and nothing else is there or shown."""
        result = run([*self.words("--calls", "-"), "true"])
        self.assertEqual(0, result.returncode)
        lines = result.stdout.splitlines()
        self.assertIn(' execve("', lines[0])
        self.assertTrue(lines[-1].endswith(" +++ exited with 0 +++"), lines[-1])

    def test_enough(self) -> None:
        """A reader that has read enough ends the lines, and not the trace."""
        words = [*self.words("--calls", "-"), "sh", "-c", "cd $0; " + _COPY, str(self.folder)]
        with subprocess.Popen(
            words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE
        ) as process:
            assert process.stdout is not None
            assert process.stderr is not None
            process.stdout.readline()
            process.stdout.close()
            messages = process.stderr.read().decode()
            self.assertEqual(0, process.wait(PATIENCE_S))
        self.assertTrue((self.folder / "done").exists())
        self.assertNotIn("list of calls", messages)

    def test_slow_reader(self) -> None:
        """The command does not wait for a reader, which gets every line later."""
        pipe, done = self.folder / "pipe", self.folder / "done"
        os.mkfifo(pipe)
        words = [*self.words("-e", "read,write", "-o", str(pipe)), "sh", "-c", _COPY]
        reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
        os.set_blocking(reader, True)
        with subprocess.Popen(
            words, stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd=self.folder
        ) as process:
            wait_for(done.exists)
            with open(reader, "rb") as file:  # noqa: PTH123  it is open
                lines = file.read().splitlines()
            self.assertEqual(0, process.wait(PATIENCE_S))
        missing = sum(int(line.split()[3]) for line in lines if b"missing" in line)
        returned = sum(b"+++" not in line and b"missing" not in line for line in lines)
        self.assertLess(40_000, returned + missing)

    def test_no_reader(self) -> None:
        """A pipe that no process opens is given up, in words; the command is not delayed."""
        pipe = self.folder / "pipe"
        os.mkfifo(pipe)
        result = run([*self.words("-o", str(pipe)), "echo", "here"])
        self.assertEqual((1, "here\n"), (result.returncode, result.stdout))
        self.assertIn(f"{pipe} has stopped: no process has opened it", result.stderr)

    def test_full(self) -> None:
        """A full disk ends the lines in words, and not the trace."""
        result = run([*self.words("-o", "/dev/full"), "echo", "here"])
        self.assertEqual((1, "here\n"), (result.returncode, result.stdout))
        self.assertIn("list of calls /dev/full has stopped: No space left", result.stderr)
