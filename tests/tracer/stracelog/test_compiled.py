"""Tests that rows are found and counted alike, by the compiled modules and in Python."""

import json
import pickle
import subprocess
import sys
from collections import defaultdict
from importlib.util import find_spec
from pathlib import Path
from typing import Any
from unittest.mock import patch

from hypothesis import given
from hypothesis import strategies as st
from twisted.trial.unittest import SynchronousTestCase

from syswatch.codec.log_calls import unpacked_objects
from syswatch.tracer.stracelog import line_format, python_loops, python_sums
from syswatch.tracer.stracelog.call_traits import Traits
from syswatch.tracer.stracelog.chosen_rows import ALL, FAILED, SUCCEEDED
from syswatch.tracer.stracelog.line_format import (
    DURATION,
    HEXADECIMAL,
    NAME,
    PID,
    RESULT,
    SECOND,
    FindRows,
    Row,
    detect_format,
)
from syswatch.tracer.stracelog.log_groups import GroupKey
from syswatch.tracer.stracelog.row_loops import loops, running
from tests import samples, tracelines

_FOLDER = "syswatch.tracer.stracelog"
_MODULES = tuple(f"{_FOLDER}.{name}" for name in ("plain_rows", "compiled_loops", "compiled_sums"))
ARE_COMPILED = all(find_spec(each) is not None for each in _MODULES)
_SUMMARY = """
import sys
for name in {without!r}:
    sys.modules[name] = None
from syswatch.app.cli import main
main(["stats", "--format", "json", *sys.argv[1:]])
"""
_SUMS = python_sums.RunningSums.__slots__
_INSERTED = [
    b"",
    b'"',
    b"<",
    b">",
    b")",
    b"(",
    b" = 1",
    b") = 0",
    b"/*",
    b"...",
    b"0x",
    b"\\",
    b" ",
]
_LONG = b"7 1700000000.000000 read(3, 0x7f, 1) = 1 <123456789.999999>"


def compiled_only(case: type) -> type:
    """Skip the tests of a class if nothing was compiled."""
    if not ARE_COMPILED:
        case.skip = "syswatch was installed without a C compiler"  # type: ignore[attr-defined]
    return case


def ways(lines: list[bytes], *, arguments: bool) -> tuple[FindRows, FindRows]:
    """Return what finds the rows of a log, compiled and in Python."""
    form = detect_format(lines)
    assert form is not None
    compiled = form.find_rows(objects=True, arguments=arguments)
    with patch.object(line_format, "compiled", None):
        in_python = form.find_rows(objects=True, arguments=arguments)
    assert compiled is not None
    assert in_python is not None
    return compiled, in_python


def joined(find: FindRows, chunk: bytes) -> object:
    """Return the rows and lines of a log with its halves joined, and what was left over."""
    rows, lines = find.rows(chunk), chunk.split(b"\n")
    begun: list[int] = []
    whole: list[int] = []
    others: list[int] = []
    texts: dict[bytes, bytes] = {}
    # One process is left to the slower way.
    usable = {row[PID] for row in rows[1:]}
    index = 0
    while (index := find.join(rows, lines, index, texts, usable, begun, whole)) < len(rows):
        others.append(index)
        index += 1
    return rows, lines, begun, whole, others, texts


@compiled_only
class PlainRowsTests(SynchronousTestCase):
    """The fields of lines."""

    def assert_same(self, lines: list[bytes]) -> None:
        """Compare the rows of lines, whose format is that of the first one."""
        for arguments in (False, True):
            compiled, in_python = ways(lines[:1], arguments=arguments)
            chunk = b"\n".join(lines)
            found, expected = compiled.rows(chunk), in_python.rows(chunk)
            for line, row, other in zip(lines, found, expected, strict=True):
                self.assertEqual(other, row, line)

    @given(tracelines.logs())
    def test_real_lines(self, lines: list[bytes]) -> None:
        """Each line has the same fields."""
        if lines and detect_format(lines[:1]) is not None:
            self.assert_same(lines)

    @given(tracelines.logs(most=1), st.data())
    def test_damaged_lines(self, lines: list[bytes], data: st.DataObject) -> None:
        """The same holds for a line of which a part is missing or replaced."""
        if not lines or detect_format(lines) is None:
            return
        (line,) = lines
        damaged = [line]
        for _ in range(3):
            begin = data.draw(st.integers(0, len(line)))
            end = data.draw(st.integers(begin, min(len(line), begin + 12)))
            damaged.append(line[:begin] + data.draw(st.sampled_from(_INSERTED)) + line[end:])
        self.assert_same(damaged)

    @given(tracelines.split_logs())
    def test_halves(self, log: bytes) -> None:
        """Halves of calls are joined to the same lines and rows."""
        if detect_format(log.split(b"\n")) is not None:
            for arguments in (False, True):
                compiled, in_python = ways(log.split(b"\n"), arguments=arguments)
                self.assertEqual(joined(in_python, log), joined(compiled, log))

    def test_string_in_halves(self) -> None:
        """A string may begin in the first half and end in the second."""
        log = b"""7 write(1, "a) = 1 <unfinished ...>
8 openat(AT_FDCWD, "/etc <unfinished ...>
7 <... write resumed>", 1) = 1
8 <... openat resumed>/hosts", 0) = -1 ENOENT (No such file or directory) <0.000004>
8 <... read resumed>) = 3
9 close(3 <unfinished ...>
9 read(3 <unfinished ...>
9 <... read resumed>) = 0"""
        for arguments in (False, True):
            compiled, in_python = ways(log.split(b"\n"), arguments=arguments)
            self.assertEqual(joined(in_python, log), joined(compiled, log))

    def test_end_inside_a_string(self) -> None:
        """If a string is not closed, a result in it is one, as for the expression."""
        self.assert_same(
            [
                b'write(1, "a", 1) = 1',
                b'write(1, "a) = 1',
                b'open("/a) = 3 <0.000012>',
                b'openat(3, "/a) = 3',
                b'openat(AT_FDCWD</x>, "/a", 0) = 3</a>(deleted) <0.1>',
                b"futex(0x7f, FUTEX_WAIT) = -1 EAGAIN (Try again) <0.000001>",
                b"read(12345678, 0x1, 1) = -1 EBADF (Bad file descriptor)",
                b"",
            ]
        )


def _dicts(result: object) -> list[list[object]]:
    """Return the items of a result's dicts, in their order."""
    parts = result if isinstance(result, tuple) else (result,)
    return [list(each.items()) for each in parts if isinstance(each, dict)]


@compiled_only
class LoopTests(SynchronousTestCase):
    """The loops over rows."""

    def both(self, name: str, *given: object) -> Any:
        """Call a function in both ways; return the result, which is the same."""
        found, expected = (getattr(module, name)(*given) for module in (loops, python_loops))
        self.assertEqual(expected, found, name)
        # The order of dicts becomes that of processes and kinds in the result.
        self.assertEqual(_dicts(expected), _dicts(found), name)
        return found

    def rows(self, lines: list[bytes]) -> list[Row]:
        """Return the rows of a log."""
        form = detect_format(lines)
        if form is None or form.leader is None:
            return []
        find = form.find_rows(objects=True, arguments=False)
        return [] if find is None else find.rows(b"\n".join(lines))

    def sample_rows(self) -> list[Row]:
        """Return the rows of a real log, and of calls that took years."""
        path = samples.LOGS / "waits.log"
        return self.rows([*path.read_bytes().splitlines(), *[_LONG] * 12])

    def assert_loops_agree(self, rows: list[Row]) -> None:
        """Compare everything that is counted of rows."""
        calls = [row for row in rows if row[NAME]]
        for field in range(13):
            for name in ("with_field", "only_with", "different"):
                self.both(name, rows, field)
        self.both("ends_by_pid", rows)
        self.both("by_path", calls)
        self.both("newest_by_pid", rows)
        for most in (1, 8):
            self.both("newest_failures", calls, {}, most)
            self.both("newest_failures", calls, dict.fromkeys(range(0, len(calls), 3)), most)
        self.both("named", rows, frozenset([b"read", b"close", b"openat"]))
        self.both("slower", rows, {b"read": b"0.000009", b"close": b"0.00001", b"write": b""})
        for fields in ((NAME,), (RESULT, HEXADECIMAL), (PID, DURATION)):
            self.both("texts_of", rows, *fields)
        self.both("numbers_of", rows)
        self.both_found(rows)
        for tallies in self.both_tallies(calls):
            self.assertEqual(*tallies)
        for only in (ALL, FAILED, SUCCEEDED):
            self.assertEqual(
                *(self.counted(module, calls, only) for module in (running, python_sums))
            )

    def found(self, module: Any, rows: list[Row]) -> object:
        """Return the objects of rows, of which some are noted, and some twice."""
        objects = module.FoundObjects()
        before = objects.of(rows)
        for each, noted in ((7, rows[::2]), (1 << 40, rows[::6])):
            self.count(module, {(5, each, "read"): noted}, objects)
        after = objects.of(rows)
        sent = pickle.loads(pickle.dumps(objects))  # noqa: S301  our own
        self.assertEqual(before, sent.of(rows))
        objects.clear()
        return before, after, objects.of(rows)

    def both_tallies(self, calls: list[Row]) -> Any:
        """Return the tallies in both ways, added up by their key and name."""
        for found, expected in zip(
            *(module.tally(calls) for module in (loops, python_loops)), strict=True
        ):
            yield self.by_key(found), self.by_key(expected)

    def by_key(self, tallies: list[python_loops.Tally]) -> object:
        """Return tallies by key and name, of which compiled ones may have several."""
        by_key: dict[tuple[bytes, bytes], list[Any]] = {}
        for key, name, count, errors, untimed, total, least, most, errnos, buckets in tallies:
            entry = by_key.setdefault((key, name), [0, 0, 0, 0, [], 0, {}, {}])
            for at, value in enumerate((count, errors, untimed, total)):
                entry[at] += value
            if buckets:
                entry[4].append(least)
            entry[5] = max(entry[5], most)
            for at, counts in ((6, errnos), (7, buckets)):
                for each, times in (counts or {}).items():
                    entry[at][each] = entry[at].get(each, 0) + times
        return {
            key: [*each[:4], min(each[4], default=0), *each[5:]] for key, each in by_key.items()
        }

    def count(
        self, module: Any, groups: dict[GroupKey, list[Row]], objects: Any, only: int = ALL
    ) -> tuple[dict[GroupKey, Any], Any]:
        """Count groups; return their sums and intervals, which were sent to another process."""
        sums: dict[GroupKey, Any] = defaultdict(module.RunningSums)
        intervals = module.Intervals(
            fine_ns=10_000_000,
            coarse_ns=1_000_000_000,
            most_fine=100,
            history_ns=60_000_000_000,
            brief=b"0.000050",
        )
        intervals.add_brief([row for rows in groups.values() for row in rows], 1000, 5)
        intervals.add_short(5, 10**19, 44)
        intervals = pickle.loads(pickle.dumps(intervals))  # noqa: S301  our own
        module.count_groups(groups, sums, objects, intervals, Traits(), only, 1000)
        intervals.add_passed(7, 10**19, 10**19 + 10**18)
        return sums, intervals

    def counted(self, module: Any, rows: list[Row], only: int) -> object:
        """Return everything that is counted of rows as calls of any name on some objects."""
        names = ("read", "write", "getpid", "recvmmsg")
        groups = {(7, 9 + at, name): rows.copy() for at, name in enumerate(names)}
        objects = module.FoundObjects()
        sums, intervals = self.count(module, groups, objects, only)
        self.assertEqual([[]] * len(names), list(groups.values()))
        for each in sums.values():
            each.add_bytes(1 << 62, 7)
            each.add_bytes(1 << 62, 7)
        cells, length = intervals.take()
        return (
            {
                key: [getattr(each, name) for name in python_sums.RunningSums.__slots__]
                for key, each in sums.items()
            },
            objects.of(rows),
            sorted(map(repr, cells)),
            length,
            intervals.take(),
        )

    @given(tracelines.logs())
    def test_any_log(self, lines: list[bytes]) -> None:
        """All sums are the same."""
        self.assert_loops_agree(self.rows(lines))

    def test_real_log(self) -> None:
        """The same for a real log, and for calls whose sum has more than 64 bits."""
        rows = self.sample_rows()
        self.assertTrue(rows[0][SECOND])
        self.assert_loops_agree(rows)

    def test_objects_of_many_rows(self) -> None:
        """Equal rows are different calls, however many there are."""
        rows = [Row(*row) for row in self.sample_rows()[:1]] + [
            Row(*[b""] * 13) for _ in range(5000)
        ]

        _, after, _ = self.both_found(rows)

        self.assertEqual([1 << 40, 0, 7, 0, 7, 0, 1 << 40], list(unpacked_objects(after)[:7]))

    def both_found(self, rows: list[Row]) -> Any:
        """Return the objects of rows, the same in both ways."""
        found, expected = (self.found(module, rows) for module in (running, python_sums))
        self.assertEqual(expected, found)
        return found

    def test_times(self) -> None:
        """Rows where the time may change are found."""
        lines = [
            b"12:00:00 a() = 0",
            b"12:00:00 a() = 0",
            b"12:00:01 a() = 0",
            b"",
            b"+++",
            b"12:00:01 b(",
        ]
        rows = self.rows(lines)
        self.assertIn(2, loops.with_time(rows, True))  # noqa: FBT003
        self.assertNotIn(1, loops.with_time(rows, True))  # noqa: FBT003
        self.assertEqual([3, 4], loops.with_time(rows, False)[:2])  # noqa: FBT003


@compiled_only
class WholeLogTests(SynchronousTestCase):
    """Summaries of logs."""

    def summary(self, path: Path, *options: str, without: tuple[str, ...] = ()) -> object:
        """Return the summary of a log."""
        code = _SUMMARY.format(without=without)
        command = [sys.executable, "-c", code, *options, str(path)]
        done = subprocess.run(command, check=True, stdout=subprocess.PIPE)
        return json.loads(done.stdout)

    def test_summary(self) -> None:
        """The summary of each real log is the same, with other options as well."""
        for name in ("waits.log", "pipeline.log", "raw.log"):
            for options in ((), ("--status", "failed"), ("-e", "trace=!read", "--no-objects")):
                path = samples.LOGS / name
                self.assertEqual(
                    self.summary(path, *options, without=_MODULES),
                    self.summary(path, *options),
                    (name, options),
                )
