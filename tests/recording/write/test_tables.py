"""Tests of events as a table of calls."""

from typing import Any

from twisted.trial.unittest import TestCase

from syswatch.codec.events import EVENT, UNFINISHED_NS, UNKNOWN_CPU, Flag
from syswatch.recording.columns import CALLS
from syswatch.recording.extent import Extent
from syswatch.recording.write.tables import calls_of

_START = 1_700_000_000_000_000_000


def event(start_ns: int, result: int = 1, flags: int = 0, **others: int) -> bytes:
    """Return an event of getppid."""
    return EVENT.pack(
        *(start_ns, others.get("duration_ns", 70), 0, 0, others.get("object", 0), result, 0),
        *(range(6)),
        *(5, others.get("tid", 7), others.get("number", 110), others.get("architecture", 0), flags),
        *(others.get("cpu", 1), 0),
    )


def _rows(table: Any) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = table.drop_columns(["start"]).to_pylist()
    return rows


class SecondObjectTests(TestCase):
    """The second objects of calls."""

    def test_named(self) -> None:
        """Bytes were copied to one, but not to what a call only names."""
        named = Flag.MOVED | Flag.NAMED
        table = calls_of(
            event(_START, flags=Flag.MOVED, object=5)
            + event(_START)
            + event(_START + 1, flags=named, object=6)
            + event(_START + 1),
            {},
        )
        self.assertEqual([5, None], table["written_to"].to_pylist())


class TableTests(TestCase):
    """What the columns hold."""

    def test_columns(self) -> None:
        """The table has the documented columns and types."""
        table = calls_of(event(_START), {})
        self.assertEqual([each.name for each in CALLS], table.column_names)
        types = {
            "timestamp[ns, UTC]": "timestamp[ns, tz=UTC]",
            "dictionary<string>": "dictionary<values=string, indices=int16, ordered=0>",
        }
        for column in CALLS:
            found = str(table.schema.field(column.name).type)
            self.assertEqual(types.get(column.type, column.type), found, column.name)

    def test_values(self) -> None:
        """Rows are in the order of their starts; what is not known is missing."""
        table = calls_of(
            event(_START + 9, -2, Flag.FAILED | Flag.WAITED, object=99)
            + event(_START + 5, -1, flags=Flag.NO_ARGUMENTS, cpu=UNKNOWN_CPU)
            + event(_START + 7, flags=Flag.UNFINISHED, duration_ns=UNFINISHED_NS)
            + event(_START + 6, flags=Flag.MOVED),
            {(7, _START + 9): ('"/x"', "-1 ENOENT"), (7, _START + 5): ("0x7f", "-1")},
        )
        self.assertEqual(
            [_START + each for each in (5, 7, 9)], table["start"].cast("int64").to_pylist()
        )
        succeeded, unfinished, failed = _rows(table)
        self.assertEqual((-1, None), (succeeded["result"], succeeded["errno"]))
        self.assertEqual((None, None), (succeeded["a0"], succeeded["cpu"]))
        self.assertEqual((None, None), (succeeded["args"], succeeded["ret"]))
        self.assertEqual((None, None), (unfinished["duration"], unfinished["result"]))
        self.assertEqual((5, 7, "getppid"), (unfinished["pid"], unfinished["tid"], failed["name"]))
        self.assertEqual((-2, "ENOENT", 99), (failed["result"], failed["errno"], failed["object"]))
        self.assertEqual(('"/x"', "-1 ENOENT"), (failed["args"], failed["ret"]))
        self.assertEqual((True, False, 5), (failed["waited"], failed["estimated"], failed["a5"]))
        self.assertIsNone(unfinished["object"])

    def test_second_object(self) -> None:
        """Bytes that were moved to a second object belong to the call of that thread and start."""
        moved = event(_START + 5, flags=Flag.MOVED, object=44)
        calls = event(_START + 5, object=9) + event(_START + 5, object=9, tid=8) + event(_START)
        table = calls_of(calls + moved, {})
        found = {(row["tid"], row["object"], row["written_to"]) for row in _rows(table)}
        self.assertEqual({(7, 9, 44), (8, 9, None), (7, None, None)}, found)

    def test_extent(self) -> None:
        """The metadata say when calls began and ended."""
        table = calls_of(
            event(_START, duration_ns=100)
            + event(_START + 50, duration_ns=5)
            + event(_START + 60, duration_ns=UNFINISHED_NS, flags=Flag.UNFINISHED),
            {},
        )
        extent = Extent.from_metadata(table.schema.metadata)
        self.assertEqual(Extent(_START, _START + 55, _START + 100, 1), extent)
        for damaged in (None, {}, {b"syswatch extent": b"1 2 3"}, {b"syswatch extent": b"a b c d"}):
            self.assertIsNone(Extent.from_metadata(damaged))

    def test_names(self) -> None:
        """Calls of other architectures have names of their own."""
        table = calls_of(
            b"".join(
                event(_START + index, number=number, architecture=architecture)
                for index, (number, architecture) in enumerate(((0, 0), (4, 1), (0, 2), (5000, 0)))
            ),
            {},
        )
        names = [each["name"] for each in table.select(["name"]).to_pylist()]
        self.assertEqual(["read", "write@i386", "read@x32", "syscall_0x1388"], names)

    def test_empty(self) -> None:
        """No events are a table without rows."""
        self.assertEqual(0, len(calls_of(b"", {})))
