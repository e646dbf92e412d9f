"""Tests of which columns a query needs."""

from twisted.trial.unittest import SynchronousTestCase

from syswatch.recording.columns import CALLS, OBJECTS
from syswatch.recording.manifest import Manifest
from syswatch.recording.query.asking import Asked, ask
from syswatch.recording.query.errors import QueryError
from syswatch.recording.query.needed import needed_columns
from syswatch.recording.query.questions import questions
from syswatch.recording.query.views import RECORDING

_ALL_CALLS = {column.name for column in (*CALLS, RECORDING)}


def needed(sql: str, *, are_several: bool = False) -> dict[str, set[str]]:
    """Return the columns that a query needs, of the tables of which it needs any."""
    found = needed_columns(Asked(sql, {}), are_several=are_several)
    return {table: set(columns) for table, columns in found.items() if columns}


class NeededTests(SynchronousTestCase):
    """Columns of the files."""

    def test_columns(self) -> None:
        """What is shown, compared, joined, sorted or computed from is needed, and nothing else."""
        for sql, columns in {
            "SELECT 1": {},
            "SELECT count(*) FROM calls": {"calls": {"duration"}},
            "SELECT name FROM calls WHERE errno = 'EIO' ORDER BY pid": {
                "calls": {"duration", "name", "errno", "pid"}
            },
            'SELECT max("end") FROM calls': {"calls": {"duration", "start"}},
            "SELECT * FROM calls": {"calls": _ALL_CALLS},
            "SELECT calls FROM calls": {"calls": _ALL_CALLS},
            "SELECT COLUMNS('^a0') FROM calls": {"calls": {"duration", "a0"}},
            "SELECT name FROM calls WHERE start > '2026-01-01' LIMIT 3": {
                "calls": {"duration", "name", "start"}
            },
            "SELECT args FROM calls ORDER BY duration DESC LIMIT 3": {
                "calls": {"duration", "args"}
            },
            "SELECT object_name FROM calls_with_objects": {
                "calls": {"duration", "object"},
                "objects": {"object", "name"},
            },
            "SELECT tid FROM unfinished WHERE pid IN (SELECT pid FROM processes)": {
                "calls": {"duration", "pid", "tid"},
                "processes": {"pid"},
            },
            "FROM objects": {"objects": {column.name for column in (*OBJECTS, RECORDING)}},
        }.items():
            self.assertEqual(columns, needed(sql), sql)

    def test_several(self) -> None:
        """Objects of several recordings are joined by the recording, too."""
        found = needed("SELECT object_name FROM calls_with_objects", are_several=True)
        self.assertEqual({"object", "name", "recording"}, found["objects"])

    def test_questions(self) -> None:
        """Both queries of a question count; hardly any needs the raw arguments."""
        for name in questions():
            values = {"at": "+1"} if name == "around" else {}
            found = needed_columns(ask(Manifest(0), name, values), are_several=False)
            self.assertTrue(any(found.values()), name)
            self.assertNotIn("a5", found["calls"], name)

    def test_mistakes(self) -> None:
        """A mistake is found before anything is read, and nothing else is opened."""
        for sql, sentence in {
            "SELECT nam FROM calls": 'Referenced column "nam" not found',
            "SELECT 1; SELECT 2": "expected one SELECT statement, and not 2 statements",
            "COPY calls TO 'x'": "only SELECT is possible, and not COPY",
            "SELECT * FROM read_csv('/etc/passwd')": "/etc/passwd",
        }.items():
            with self.assertRaises(QueryError) as raised:
                needed(sql)
            self.assertIn(sentence, str(raised.exception))
