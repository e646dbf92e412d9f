"""Tests of the forms in which results are written."""

import csv
import io
import json
from pathlib import Path

from twisted.trial.unittest import TestCase

from syswatch.recording.extra import load
from syswatch.recording.forms import RESULTS
from syswatch.recording.query.database import Database
from syswatch.recording.query.errors import QueryError
from syswatch.recording.query.writers import MOST_TABLE_ROWS, WRITERS
from syswatch.recording.read.opening import Recording
from tests.recording import samples


class WriterTests(TestCase):
    """What is written for a result."""

    def setUp(self) -> None:
        """Open a recording."""
        self.database = Database.open(Recording.open(samples.write(Path(self.mktemp()))))
        self.addCleanup(self.database.close)

    def _written(self, form: str, sql: str) -> tuple[bytes, str]:
        out = io.BytesIO()
        with self.database.run(sql) as result:
            note = WRITERS[form](result, out)
        return out.getvalue(), note

    def test_forms(self) -> None:
        """There is a writer for every form."""
        self.assertEqual(list(RESULTS), list(WRITERS))

    def test_table(self) -> None:
        """Numbers are aligned to the right, and what is missing is a dash."""
        text, note = self._written(
            "table", "SELECT name, duration, errno FROM calls WHERE pid = 9 ORDER BY start"
        )
        self.assertEqual(
            "name      duration  errno\nsendfile     30000  –\ngetpid         100  –\n",
            text.decode(),
        )
        self.assertEqual("", note)

    def test_long_table(self) -> None:
        """A long table is cut, which a note tells."""
        text, note = self._written("table", "SELECT * FROM range(10_001)")
        self.assertEqual(10_000, MOST_TABLE_ROWS)
        self.assertEqual(MOST_TABLE_ROWS + 1, text.count(b"\n"))
        self.assertIn(f"only the first {MOST_TABLE_ROWS} rows", note)

    def test_control_characters(self) -> None:
        """Nothing that is written as text can control a terminal."""
        for form in ("table", "csv", "json"):
            text, _ = self._written(form, "SELECT chr(27) || '[2J' AS a, chr(8238) AS \"\x1bb\"")
            self.assertNotIn(b"\x1b", text)

    def test_csv_and_json(self) -> None:
        """Both have every value; times have all digits."""
        sql = "SELECT start, name, args, errno, errors, waited, duration FROM calls ORDER BY start"
        lines = list(csv.DictReader(io.StringIO(self._written("csv", sql)[0].decode())))
        objects = json.loads(self._written("json", sql)[0])
        self.assertEqual(7, len(lines))
        for line, each in zip(lines, objects, strict=True):
            texts = {key: "" if value is None else str(value) for key, value in each.items()}
            texts["waited"] = texts["waited"].lower()
            self.assertEqual(line, texts)
        self.assertEqual("2023-11-14T22:13:20.000001000Z", objects[0]["start"])
        self.assertEqual(
            (None, 0, False), (objects[0]["errno"], objects[0]["errors"], objects[0]["waited"])
        )

    def test_json_types(self) -> None:
        """Sums are integers; what JSON lacks is null or text."""
        text, _ = self._written(
            "json",
            "SELECT sum(errors) AS a, 0.5::DOUBLE AS b, 'nan'::DOUBLE AS c, [1, NULL] AS d,"
            " {'x': 1} AS e, INTERVAL '90 minutes' AS f, INTERVAL '2 days' AS g,"
            " DATE '2020-01-02' AS h, 'x'::BLOB AS i, 1.25::DECIMAL(9, 2) AS j FROM calls",
        )
        expected: dict[str, object] = {"a": 1, "b": 0.5, "c": None, "d": [1, None], "e": {"x": 1}}
        expected |= {"f": "5400 s", "g": "2 days", "h": "2020-01-02", "i": "b'x'", "j": 1.25}
        self.assertEqual([expected], json.loads(text))

    def test_nested_times(self) -> None:
        """Times within other values have all digits, too."""
        first, second = "2023-11-14T22:13:20.000001000Z", "2023-11-14T22:13:20.000010000Z"
        text, _ = self._written(
            "json",
            "SELECT list(start) AS a, min({'at': start}) AS b,"
            " map([1, 2], [min(start), NULL]) AS c, NULL::TIMESTAMP_NS[] AS d,"
            " [[min(start)], NULL] AS e"
            " FROM (SELECT start FROM calls ORDER BY start LIMIT 2)",
        )
        expected: dict[str, object] = {"a": [first, second], "b": {"at": first}, "d": None}
        expected |= {"e": [[first], None]}
        expected |= {"c": [{"key": 1, "value": first}, {"key": 2, "value": None}]}
        self.assertEqual([expected], json.loads(text))

    def test_arrays(self) -> None:
        """Arrays of a fixed length are lists, also of times."""
        text, _ = self._written(
            "json",
            "SELECT array_value(min(start), NULL) AS a, NULL::INTEGER[2] AS b, [1, 2]::INTEGER[2]"
            " AS c FROM calls",
        )
        expected = {"a": ["2023-11-14T22:13:20.000001000Z", None], "b": None, "c": [1, 2]}
        self.assertEqual([expected], json.loads(text))

    def test_rare_types(self) -> None:
        """Of values that no reader shows, the error names the column."""
        for value in ("'12:00:00.000000001'::TIME_NS", "'290000-01-01'::DATE"):
            for form in ("table", "json", "csv"):
                error = self.assertRaises(QueryError, self._written, form, f"SELECT {value} AS x")
                self.assertEqual(
                    "the column 'x' has values that cannot be shown: cast it to VARCHAR", str(error)
                )

    def test_same_names(self) -> None:
        """Columns of the same name have keys of their own."""
        text, _ = self._written("json", "SELECT 1 AS a, 2 AS a_2, 3 AS a, 4 AS a")
        self.assertEqual([{"a": 1, "a_2": 2, "a_3": 3, "a_4": 4}], json.loads(text))

    def test_large_sum(self) -> None:
        """A sum that few readers of JSON could hold is a text."""
        text, _ = self._written("json", f"SELECT {1 << 70}::HUGEINT AS a")
        self.assertEqual([{"a": str(1 << 70)}], json.loads(text))

    def test_empty(self) -> None:
        """A result without rows is still well-formed."""
        sql = "SELECT name FROM calls WHERE false"
        self.assertEqual([], json.loads(self._written("json", sql)[0]))
        self.assertEqual(b"name\n", self._written("csv", sql)[0])
        self.assertEqual(b"name\n", self._written("table", sql)[0])

    def test_parquet(self) -> None:
        """The file has the rows and types of the result."""
        data, _ = self._written("parquet", "SELECT * FROM calls")
        table = load("pyarrow.parquet").read_table(io.BytesIO(data))
        self.assertEqual(7, len(table))
        self.assertEqual("timestamp[ns]", str(table.schema.field("start").type))
