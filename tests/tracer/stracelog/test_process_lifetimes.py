"""Tests of the end of processes in logs, and of PIDs that are reused."""

from typing import Any

from twisted.trial.unittest import SynchronousTestCase

from syswatch.model.process import ProcessTally
from syswatch.tracer.collector import Collector
from syswatch.tracer.stracelog.log_parser import LogParser
from tests.reading import condense


def processes(*chunks: bytes, in_parts: bool = False, **options: Any) -> dict[int, ProcessTally]:
    """Return the processes of a log, which must not depend on how it is read."""
    found = [dict(condense(*chunks, exactly=each, **options).processes) for each in (False, True)]
    found += [_in_parts(chunks, options)] * in_parts
    if any(each != found[0] for each in found):
        raise AssertionError(f"read in several ways, the log differs: {found}")
    return found[0]


class ProcessLifetimeTests(SynchronousTestCase):
    """Processes in a log."""

    def test_endings(self) -> None:
        """A process ended as its last line says; without such a line, it has not ended."""
        found = processes(
            b"1 close(3) = 0\n2 close(3) = 0\n3 close(3) = 0\n4 close(3) = 0\n"
            b"1 +++ exited with 3 +++\n2 +++ killed by SIGKILL +++\n"
            b"3 +++ killed by SIGSEGV (core dumped) +++",
            in_parts=True,
        )

        self.assertEqual(
            {1: "exited with 3", 2: "killed by SIGKILL", 3: "killed by SIGSEGV", 4: ""},
            {pid: tally.ending for pid, tally in found.items()},
        )
        self.assertEqual({1}, {tally.lives for tally in found.values()})

    def test_reused_pid(self) -> None:
        """A PID that makes calls after its end has been reused."""
        again = b"1 close(3) = 0\n1 +++ exited with 0 +++\n1 close(4) = 0"
        for chunks in ((again,), (b"1 close(3) = 0\n1 +++ exited with 0 +++", b"1 close(4) = 0")):
            found = processes(*chunks, in_parts=True)

            self.assertEqual((2, 2, ""), (found[1].lives, found[1].count, found[1].ending))

    def test_pid_reused_repeatedly(self) -> None:
        """A PID that is reused repeatedly counts each time; the last end is shown."""
        life = b"1 close(3) = 0\n2 close(4) = 0\n1 +++ exited with %d +++"
        found = processes(*(life % number for number in range(5)), in_parts=True)
        at_once = processes(b"\n".join(life % number for number in range(5)))

        self.assertEqual((5, "exited with 4"), (found[1].lives, found[1].ending))
        self.assertEqual((1, ""), (found[2].lives, found[2].ending))
        self.assertEqual(found, at_once)

    def test_alive(self) -> None:
        """Half a call shows a process alive; an execve by another thread is not an end."""
        found = processes(
            b"1 +++ exited with 0 +++\n1 read(3,  <unfinished ...>\n"
            b"2 close(3) = 0\n2 +++ superseded by execve in pid 3 +++",
            in_parts=True,
        )

        self.assertEqual((2, ""), (found[1].lives, found[1].ending))
        self.assertEqual((1, ""), (found[2].lives, found[2].ending))

    def test_without_pid(self) -> None:
        """Lines without PIDs belong to the process after which the file is named."""
        found = processes(b"close(3) = 0\n+++ exited with 1 +++", fallback_pid=77)

        self.assertEqual("exited with 1", found[77].ending)

    def test_many_ends(self) -> None:
        """More ends than are remembered are not an error."""
        found = processes(b"\n".join(b"%d +++ exited with 0 +++" % pid for pid in range(1, 1000)))

        self.assertEqual(999, len(found))


def _in_parts(chunks: tuple[bytes, ...], options: dict[str, Any]) -> dict[int, ProcessTally]:
    whole = LogParser(Collector(), **options)
    total = whole.take()
    for chunk in chunks:
        part = LogParser(Collector(), deferred=[], **options)
        part.feed(chunk)
        total += whole.absorb(part.part())
    return dict((total + whole.take()).processes)
