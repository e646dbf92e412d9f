"""Tests of events as a table of calls."""

from twisted.trial.unittest import TestCase

from syswatch.codec.events import EVENT, UNFINISHED_NS, UNKNOWN_CPU, Flag
from syswatch.recording.columns import CALLS
from syswatch.recording.write.tables import calls_of

_START = 1_700_000_000_000_000_000


def event(start_ns: int, result: int = 1, flags: int = 0, **others: int) -> bytes:
    """Return an event of getppid."""
    return EVENT.pack(
        *(start_ns, others.get("duration_ns", 70), 0, 0, others.get("object", 0), result, 0),
        *(range(6)),
        *(5, 7, others.get("number", 110), others.get("architecture", 0), flags),
        *(others.get("cpu", 1), 0),
    )


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
            {(7, _START + 9): ('"/x"', "-1 ENOENT")},
        )
        self.assertEqual(
            [_START + each for each in (5, 7, 9)], table["start"].cast("int64").to_pylist()
        )
        rows = table.drop_columns(["start"]).to_pylist()
        succeeded, unfinished, failed = rows
        self.assertEqual((-1, None), (succeeded["result"], succeeded["errno"]))
        self.assertEqual((None, None), (succeeded["a0"], succeeded["cpu"]))
        self.assertEqual((None, None), (unfinished["duration"], unfinished["result"]))
        self.assertEqual((5, 7, "getppid"), (unfinished["pid"], unfinished["tid"], failed["name"]))
        self.assertEqual((-2, "ENOENT", 99), (failed["result"], failed["errno"], failed["object"]))
        self.assertEqual(('"/x"', "-1 ENOENT"), (failed["args"], failed["ret"]))
        self.assertEqual((True, False, 5), (failed["waited"], failed["estimated"], failed["a5"]))
        self.assertIsNone(unfinished["object"])

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
