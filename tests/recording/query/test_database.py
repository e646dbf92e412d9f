"""Tests of the database over a recording: what it answers, and what it refuses."""

import os
from pathlib import Path

from twisted.trial.unittest import TestCase

from syswatch.base.text import escape_text
from syswatch.codec.event_frames import Loss
from syswatch.recording import segments
from syswatch.recording.columns import CALLS, LOSSES
from syswatch.recording.extra import load
from syswatch.recording.query.database import Database
from syswatch.recording.query.errors import QueryError
from syswatch.recording.query.views import VIEWS
from syswatch.recording.read.opening import Recording
from tests.recording import samples

# Each would read or write something else, or change a setting.
_REFUSED = (
    "SELECT * FROM read_text('/etc/passwd')",
    "SELECT * FROM read_blob('/proc/self/environ')",
    "SELECT * FROM read_csv('/etc/passwd')",
    "SELECT * FROM '/etc/passwd'",
    "SELECT * FROM glob('/etc/*')",
    "SELECT * FROM sniff_csv('/etc/passwd')",
    "SELECT * FROM query('COPY (SELECT 1) TO ''out''')",
    "COPY calls TO 'out'",
    "EXPLAIN ANALYZE COPY (SELECT 1) TO 'out'",
    "EXPORT DATABASE 'out'",
    "ATTACH 'out'",
    "INSTALL httpfs",
    "LOAD httpfs",
    "SET memory_limit = '9GB'",
    "SET enable_external_access = true",
    "RESET lock_configuration",
    "PRAGMA database_list",
    "CREATE TABLE t AS SELECT 1",
    "DROP VIEW calls",
    "SELECT 1; SELECT 2",
    "",
    "-- nothing",
)


class DatabaseTests(TestCase):
    """Queries."""

    def setUp(self) -> None:
        """Write a recording and open it."""
        self.folder = samples.write(Path(self.mktemp()))
        self.database = self._open(self.folder)

    def _open(self, folder: Path) -> Database:
        database = Database.open(Recording.open(folder))
        self.addCleanup(database.close)
        return database

    def _error(self, sql: str, database: Database | None = None) -> str:
        with self.assertRaises(QueryError) as caught:
            (database or self.database).rows(sql)
        message = str(caught.exception)
        self.assertNotIn("\n", message)
        return message

    def test_sums(self) -> None:
        """Calls and errors by name are those of the calls that returned."""
        rows = self.database.rows("SELECT name, count(*), sum(errors) FROM calls GROUP BY name")
        expected: dict[str, list[int]] = {}
        for call in samples.SOME:
            if call.duration_ns is not None:
                sums = expected.setdefault(call.name, [0, 0])
                sums[0] += 1
                sums[1] += bool(call.errno)
        self.assertEqual({(name, *sums) for name, sums in expected.items()}, set(rows))

    def test_any_bytes(self) -> None:
        """The name of the directory may be other bytes than UTF-8."""
        folder = self.folder.rename(self.folder.with_name(os.fsdecode(b"any [*] \xff.rec")))
        before = len(list(Path("/proc/self/fd").iterdir()))
        database = Database.open(Recording.open(folder))
        sql = "SELECT DISTINCT recording, count(*) FROM calls GROUP BY ALL"
        self.assertEqual([(escape_text(str(folder)), 7)], database.rows(sql))
        outside = "SELECT * FROM read_text('/proc/self/environ')"
        self.assertIn("Cannot access file", self._error(outside, database))
        database.close()
        self.assertEqual(before, len(list(Path("/proc/self/fd").iterdir())))

    def test_columns(self) -> None:
        """Every view has the columns that are documented, also where there is nothing in it."""
        empty = samples.write(Path(self.mktemp()), ())
        for database in (self.database, self._open(empty)):
            for view in VIEWS:
                with database.run(f"SELECT * FROM {view.name}") as result:  # noqa: S608
                    names = tuple(column.name for column in view.columns)
                    self.assertEqual(names, result.columns, view.name)

    def test_times(self) -> None:
        """No digit of a time is lost."""
        ((start, end),) = self.database.rows(
            "SELECT epoch_ns(start), epoch_ns(\"end\") FROM calls WHERE name = 'getpid'"
        )
        call = next(call for call in samples.SOME if call.name == "getpid")
        self.assertEqual(
            (call.start_ns, call.end_ns), (start - samples.BEGUN_NS, end - samples.BEGUN_NS)
        )

    def test_seconds(self) -> None:
        """The sums of each second add up to all calls that returned."""
        rows = self.database.rows(
            "SELECT sum(calls), sum(errors), sum(time), sum(bytes) FROM seconds"
        )
        returned = [call for call in samples.SOME if call.duration_ns is not None]
        times = sum(call.duration_ns or 0 for call in returned)
        self.assertEqual([(7, 1, times, sum(call.moved for call in returned))], rows)

    def test_objects(self) -> None:
        """Calls have the names of their objects, in a view of its own."""
        rows = self.database.rows(
            "SELECT object_name, service FROM calls_with_objects WHERE name = 'recvfrom'"
        )
        self.assertEqual([(samples.PEER.name, samples.PEER.service)], rows)

    def test_unfinished(self) -> None:
        """What has not returned is not among the calls."""
        self.assertEqual([("read", "0")], self.database.rows("SELECT name, args FROM unfinished"))

    def test_losses(self) -> None:
        """What is missing is in a table."""
        folder = samples.write(Path(self.mktemp()), losses=[Loss(7, 1_700_000_000, 5)])
        rows = self._open(folder).rows("SELECT second, tid, count FROM losses")
        self.assertEqual([("2023-11-14T22:13:20Z", 7, 5)], rows)

    def test_sandbox(self) -> None:
        """A query can do nothing but read the recording."""
        before = sorted(self.folder.rglob("*")), sorted(Path.cwd().iterdir())
        for sql in _REFUSED:
            self._error(sql)
        self.assertEqual(before, (sorted(self.folder.rglob("*")), sorted(Path.cwd().iterdir())))

    def test_overwriting(self) -> None:
        """A file of the recording, which may be read, cannot be written."""
        file = self.folder / segments.CALLS / segments.name_of(0)
        before = file.read_bytes()
        for options in ("", "(USE_TMP_FILE false)"):
            for prefix in ("", "EXPLAIN ANALYZE "):
                self._error(f"{prefix}COPY (SELECT 1) TO '{file.absolute()}' {options}")
        self.assertEqual(before, file.read_bytes())

    def test_variables(self) -> None:
        """A table that does not exist is not looked for among Python's variables."""
        secrets = load("pyarrow").table({"value": [1]})
        self.assertIn("does not exist", self._error("SELECT * FROM secrets"))
        self.assertEqual(1, len(secrets))

    def test_errors(self) -> None:
        """An error is one sentence, with the place in the query."""
        for sql, place in (
            ("SELEC 1", "at line 1, column 1"),
            ("SELECT nam FROM calls", "at line 1, column 8"),
            ("SELECT name\nFROM calls\nWHERE nam = 1", "at line 3, column 7"),
            ("SELECT " + "1, " * 200 + "nam FROM calls", "at line 1, column 608"),
            ("FROM callz", 'did you mean "calls"?'),
        ):
            self.assertIn(place, self._error(sql))

    def test_run_time_error(self) -> None:
        """An error in a value is one sentence, too."""
        self.assertIn("Could not convert", self._error("SELECT name::INTEGER FROM calls"))

    def test_time_limit(self) -> None:
        """A query that takes too long is stopped, and the next one works."""
        endless = "SELECT count(*) FROM range(1_000_000_000_000) AS r WHERE sqrt(r.range) = 2.5"
        with self.assertRaises(QueryError) as caught, self.database.run(endless, most_s=0.05) as it:
            list(it.batches)
        self.assertEqual("the query took longer than 0.05 s", str(caught.exception))
        self.assertEqual([(1,)], self.database.rows("SELECT 1"))

    def test_memory_limit(self) -> None:
        """A query that needs too much memory is stopped."""
        database = Database.open(Recording.open(self.folder), memory="20MB")
        self.addCleanup(database.close)
        sql = "SELECT * FROM range(100_000_000) AS r ORDER BY hash(r.range)"
        self.assertIn("needs more memory", self._error(sql, database))

    def test_odd_path(self) -> None:
        """The name of the directory may have characters that mean something in a pattern."""
        folder = Path(self.mktemp()) / "a [b]*? 'c' {calls}"
        folder.parent.mkdir()
        samples.write(folder)
        self.assertEqual([(7,)], self._open(folder).rows("SELECT count(*) FROM calls"))

    def test_being_written(self) -> None:
        """A recording without an end can be read, and so can one with a file that is begun."""
        folder = samples.write(Path(self.mktemp()), end=None)
        (folder / segments.CALLS / ".00000099.parquet").write_bytes(b"PAR1")
        self.assertEqual([(7,)], self._open(folder).rows("SELECT count(*) FROM calls"))

    def test_damaged(self) -> None:
        """A damaged segment is left out, and a note says so."""
        file = self.folder / segments.CALLS / segments.name_of(0)
        whole = file.read_bytes()
        huge = whole[:-8] + (10 << 30).to_bytes(8, "little")[:4] + b"PAR1"
        for content in (b"", b"PAR1", whole[:-20], b"no" * 99, huge):
            file.write_bytes(content)
            recording = Recording.open(self.folder)
            database = Database.open(recording)
            self.assertEqual([(4,)], database.rows("SELECT count(*) FROM calls"))
            self.assertIn("1 segment is damaged and left out", "".join(recording.notes))

    def test_damaged_tables(self) -> None:
        """Without the tables of processes and objects, there are still calls, and a note."""
        for name in ("processes.parquet", "objects.parquet"):
            (self.folder / name).write_bytes(b"PAR1 PAR1")
        recording = Recording.open(self.folder)
        database = Database.open(recording)
        self.addCleanup(database.close)
        database.rows("SELECT count(*) FROM processes")
        self.assertIn("2 are damaged and left out: objects.parquet: ", "".join(recording.notes))
        rows = self._open(self.folder).rows("SELECT count(*), count(kind) FROM calls_with_objects")
        self.assertEqual([(7, 0)], rows)

    def test_link(self) -> None:
        """A link in place of a file is not followed: it could lead anywhere."""
        file = self.folder / segments.CALLS / segments.name_of(0)
        other = file.rename(self.folder.with_name("other"))
        file.symlink_to(other.absolute())
        count = "SELECT count(*) FROM calls"
        self.assertEqual([(4,)], self._open(self.folder).rows(count))
        file.unlink()
        os.mkfifo(file)
        self.assertEqual([(4,)], self._open(self.folder).rows(count))

    def test_damaged_data(self) -> None:
        """A file that is damaged inside is named in one sentence; the rest can be queried."""
        file = self.folder / segments.CALLS / segments.name_of(0)
        whole = bytearray(file.read_bytes())
        whole[4:600] = bytes(596)
        file.write_bytes(whole)
        error = self._error("SELECT * FROM calls", self._open(self.folder))
        self.assertIn(f"{file.absolute()} is damaged: ", error)
        self.assertNotIn("is damaged", self._error("SELECT 'a'::int", self._open(self.folder)))
        file.unlink()
        self.assertEqual([(4,)], self._open(self.folder).rows("SELECT count(*) FROM calls"))

    def test_other_columns(self) -> None:
        """A Parquet file with other columns is one sentence."""
        arrow, parquet = load("pyarrow"), load("pyarrow.parquet")
        file = self.folder / segments.CALLS / segments.name_of(0)
        names = [column.name for column in CALLS]
        for table in (
            arrow.table({"x": [1]}),
            arrow.table({name: ["text"] for name in names}),
            arrow.table({name: [[1]] for name in names}),
        ):
            parquet.write_table(table, file)
            with self.assertRaises(QueryError) as caught:
                Database.open(Recording.open(self.folder)).rows("SELECT * FROM calls")
            self.assertNotIn("\n", str(caught.exception))


class PlainReaderTests(TestCase):
    """The files are read without code of this project."""

    def test_readers(self) -> None:
        """DuckDB and pyarrow read the calls and find the same."""
        folder = samples.write(Path(self.mktemp()), losses=[Loss(7, 1_700_000_000, 5)])
        duckdb, dataset = load("duckdb"), load("pyarrow.dataset")
        files = str(folder / "calls" / "*.parquet")
        rows = duckdb.execute(
            "SELECT name, count(*), count(errno) FROM read_parquet(?) GROUP BY name", [files]
        ).fetchall()
        table = dataset.dataset(folder / "calls", format="parquet").to_table()
        self.assertEqual([column.name for column in CALLS], table.column_names)
        names = load("pyarrow.compute").cast(table["name"], "string")
        plain = load("pyarrow").table({"name": names, "errno": table["errno"].cast("string")})
        groups = plain.group_by("name").aggregate([([], "count_all"), ("errno", "count")])
        found = zip(
            *(groups[name].to_pylist() for name in ("name", "count_all", "errno_count")),
            strict=True,
        )
        self.assertEqual(set(rows), set(found))
        self.assertEqual(8, sum(row[1] for row in rows))
        losses = dataset.dataset(folder / "losses", format="parquet").to_table()
        self.assertEqual([column.name for column in LOSSES], losses.column_names)
