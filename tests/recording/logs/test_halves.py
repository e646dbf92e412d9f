"""Tests that calls in two halves are recorded and counted as the grammar parses them."""

import gzip
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import attrs
from hypothesis import given
from hypothesis import strategies as st
from twisted.trial.unittest import SynchronousTestCase

from syswatch.model.delta import Delta
from syswatch.recording.logs.tables import LogTables
from syswatch.tracer.collector import Collector
from syswatch.tracer.stracelog.line_format import LineFormat
from syswatch.tracer.stracelog.log_parser import LogParser
from tests import samples, tracelines
from tests.reading import without_user_time

_EXAMPLES = samples.LOGS.parents[1] / "examples"
_ODD = st.sampled_from(
    [
        b"+++ exited with 0 +++",
        b"+++ killed by SIGKILL +++",
        b"--- SIGCHLD {si_signo=SIGCHLD, si_pid=2} ---",
        b"<... read resumed>) = 3 <0.000100>",
        b"<... close resumed>) = -1 EBADF (Bad file descriptor) <0.000002>",
        b"close(3 <unfinished ...>",
        b"close(3) = 0 <0.000001>",
        b'read(3, "a',
        b"junk",
        b"",
    ]
)


def parsed(lines: Sequence[bytes], *, exactly: bool) -> tuple[Delta, list[dict[str, Any]]]:
    """Return what is counted and recorded of a log; `exactly` parses each line by itself."""
    parser = LogParser(Collector(per_process=True), records=True)
    if exactly:
        parser.line_format = LineFormat(None)
    parser.feed(b"\n".join(lines))
    delta = parser.take()
    calls = parser.take_recorded()
    if not calls.count:
        return delta, []
    table = LogTables().table_of([calls])
    return delta, table.set_column(0, "start", table["start"].cast("int64")).to_pylist()


def split(call: bytes, at: float) -> list[bytes]:
    """Return the halves of a call, which is split between its name and its result."""
    name, _, rest = call.partition(b"(")
    begin, end = len(name) + 1, len(name) + 1 + int(at * rest.rfind(b")"))
    return [
        call[: max(begin, end)] + b" <unfinished ...>",
        b"<... %s resumed>" % name + call[max(begin, end) :],
    ]


@st.composite
def logs(draw: st.DrawFn) -> list[bytes]:
    """Return the lines of a log of `strace -f -ttt -T`, in which calls are interleaved."""
    queues: list[list[bytes]] = []
    for _ in range(draw(st.integers(1, 3))):
        queue: list[bytes] = []
        for call in draw(st.lists(tracelines.calls, min_size=1, max_size=5)):
            queue += split(call, draw(st.floats(0, 1))) if draw(st.booleans()) else [call]
            queue += draw(st.lists(_ODD, max_size=1))
        queues.append(queue)
    lines: list[bytes] = []
    while any(queues):
        pid = draw(st.sampled_from([at for at, queue in enumerate(queues) if queue]))
        text = queues[pid].pop(0)
        lines.append(b"%d 17000000%02d.%06d %s" % (pid + 1, len(lines), len(lines) * 7, text))
    return lines


class HalvesTests(SynchronousTestCase):
    """Agreement of the lines that are read together with those that are parsed one by one."""

    def assert_agrees(self, lines: Sequence[bytes], *, is_timed: bool = True) -> None:
        """Compare everything that is counted and recorded."""
        exact, exact_rows = parsed(lines, exactly=True)
        fast, fast_rows = parsed(lines, exactly=False)
        if not is_timed:
            exact, fast = without_user_time(exact), without_user_time(fast)
        for field in attrs.fields(Delta):
            expected, found = getattr(exact, field.name), getattr(fast, field.name)
            self.assertEqual(expected, found, field.name)
        self.assertEqual(exact_rows, fast_rows)

    @given(logs())
    def test_made_up(self, lines: list[bytes]) -> None:
        """Any calls, with any lines between their halves, are the same."""
        # Their durations overlap.
        self.assert_agrees(lines, is_timed=False)

    def test_damaged_clone(self) -> None:
        """A clone that seems to return the target of a descriptor is the same."""
        for result in (b"0</tmp/a) = 1>", b"5<pipe:[4711]>", b"0x5", b"-1 EAGAIN (Try again)"):
            self.assert_agrees([b"1 1700000000.000000 clone3() = " + result])

    def test_real(self) -> None:
        """A log of a compiler and its processes is the same."""
        lines = gzip.decompress((_EXAMPLES / "gcc.log.gz").read_bytes()).splitlines()
        self.assertGreater(sum(b"<unfinished ...>" in line for line in lines), 10)
        self.assert_agrees(lines)

    def test_kept_logs(self) -> None:
        """The kept logs are the same."""
        for log in sorted(Path(samples.LOGS).glob("*.log")):
            with self.subTest(log.name):
                self.assert_agrees(log.read_bytes().splitlines())
