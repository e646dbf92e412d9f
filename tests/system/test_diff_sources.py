"""Tests that everything is compared, whatever kind of source the runs are."""

from collections.abc import Iterator
from pathlib import Path

from twisted.trial.unittest import SynchronousTestCase

from syswatch.comparison.changes import Comparison, changes
from syswatch.comparison.parts import PARTS
from syswatch.comparison.run import Figure, Kind
from syswatch.comparison.sources import read_all
from tests.system.servers import PATIENCE_S, SYSWATCH
from tests.system.shell import run

# Several runs show how much times vary: these do not vary.
_RUNS = 3
_COUNTED = (Kind.CALL, Kind.ERROR, Kind.PEER, Kind.OBJECT, Kind.PROGRAM, Kind.ENDING)
_TIMES = (Figure.P50, Figure.P95, Figure.P99, Figure.WORKING, Figure.WAITING)
_SOCKADDR = '{sa_family=AF_INET, sin_port=htons(80), sin_addr=inet_addr("10.0.0.7")}'


def _calls(*, is_after: bool) -> Iterator[tuple[str, float]]:
    """Yield the calls of a program and how long they take, in seconds."""
    yield 'execve("/usr/bin/app", ["app"], 0x7ffe00 /* 3 vars */) = 0', 0.0005
    for number in range(450):
        yield "fdatasync(3</srv/db>) = 0", 0.03 if is_after and number % 10 == 0 else 0.001
    for number in range(2100):
        slow = is_after and number % 30 == 0
        yield 'pread64(3</srv/db>, ""..., 100, 0) = 100', 0.02 if slow else 0.0001
    for _ in range(60):
        yield "fsync(3</srv/db>) = 0", 0.004 if is_after else 0.001
    result = "-1 ENOENT (No such file or directory)" if is_after else "4</etc/app.conf>"
    yield f'openat(AT_FDCWD, "/etc/app.conf", O_RDONLY) = {result}', 0.0001
    for _ in range(60 if is_after else 5):
        yield 'write(5<pipe:[77]>, ""..., 1000) = 1000', 0.0001
    if is_after:
        yield f"connect(6<socket:[78]>, {_SOCKADDR}, 16) = 0", 0.0001
        yield "clock_nanosleep(CLOCK_REALTIME, 0, {tv_sec=3, tv_nsec=0}, NULL) = 0", 3.0
        yield 'execve("/usr/bin/git", ["git"], 0x7ffe00 /* 3 vars */) = 0', 0.0005


def _log(*, is_after: bool) -> str:
    """Return the log of a program, as `strace -f -T -ttt -y` writes it."""
    lines = []
    now = 1_700_000_000.0
    for call, spent in _calls(is_after=is_after):
        lines.append(f"100 {now:.6f} {call} <{spent:.6f}>\n")
        now += spent + 0.00001
    lines.append(f"100 {now:.6f} +++ exited with {3 if is_after else 0} +++\n")
    return "".join(lines)


class SourceTests(SynchronousTestCase):
    """Two runs of a program of which everything changed."""

    def setUp(self) -> None:
        """Write the logs, and make a recording and a summary of each."""
        self.folder = Path(self.mktemp()).absolute()
        self.folder.mkdir()
        for name in ("before", "after"):
            log = self.folder / f"{name}.log"
            log.write_text(_log(is_after=name == "after"))
            recorded = ("--record", str(log.with_suffix(".rec")))
            summary = ("--format", "json", "-o", str(log.with_suffix(".json")))
            words = [*SYSWATCH, "stats", "--tui", "never", *recorded, *summary, str(log)]
            result = run(words, timeout=PATIENCE_S)
            self.assertEqual(0, result.returncode, result.stderr)

    def _compared(self, suffix: str) -> Comparison:
        names = [str(self.folder / f"{name}.{suffix}") for name in ("before", "after")]
        before, after = read_all(names, None)
        return changes([before] * _RUNS, [after] * _RUNS)

    def test_everything(self) -> None:
        """Logs, recordings and summaries have the same changes, of every kind and figure."""
        expected = {(kind, Figure.COUNT) for kind in _COUNTED}
        expected |= {(Kind.CALL, figure) for figure in _TIMES}
        expected |= {
            (Kind.FILE, Figure.WORKING),
            (Kind.OBJECT, Figure.WAITING),
            (Kind.OBJECT, Figure.BYTES_OUT),
            (Kind.PATH, Figure.ERRORS),
            (Kind.TOTAL, Figure.WALL),
        }
        of_logs = self._compared("log")
        for suffix in ("log", "rec", "json"):
            found = self._compared(suffix)
            figures = {(each.subject.kind, each.figure) for each in found.changes}
            self.assertEqual(set(), expected - figures, suffix)
            self.assertEqual(of_logs.changes, found.changes, suffix)
            self.assertEqual((), found.not_compared)
            self.assertTrue(found.findings[0].text.startswith("exit status: exited with 0 → "))
            for word, part in PARTS.items():
                some = [each for each in found.changes if part.includes(each.subject, each.figure)]
                self.assertTrue(some, f"{word} of {suffix}")
