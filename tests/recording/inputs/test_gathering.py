"""Tests of the inputs of queries: the same on this machine and on a real cluster."""

import gzip
import os
import shutil
import signal
import subprocess
from contextlib import ExitStack
from pathlib import Path
from typing import Any
from unittest.mock import patch

from distributed import Client
from twisted.trial.unittest import SynchronousTestCase

from syswatch.codec.recording import MAGIC, RecordingError
from syswatch.recording.inputs import cluster
from syswatch.recording.inputs.gathering import gathered
from syswatch.recording.inputs.prepare import all_names
from syswatch.recording.query.asking import Asked, ask
from syswatch.recording.query.database import Database
from syswatch.recording.query.needed import needed_columns
from syswatch.recording.query.questions import questions
from syswatch.recording.read.opening import Recording
from syswatch.tracer.cluster import connection
from tests import samples as logs
from tests.recording import samples
from tests.recording.inputs.web_folder import served
from tests.system.servers import SYSWATCH
from tests.tracer.cluster.workers import two_workers

_EVERYTHING = tuple(
    f"SELECT * FROM {view} ORDER BY ALL"  # noqa: S608
    for view in ("calls_with_objects", "unfinished", "processes", "objects", "losses", "seconds")
)
_COUNT = "SELECT recording, count(*) FROM calls GROUP BY ALL ORDER BY ALL"


def rows(
    asked: Asked, names: tuple[str, ...], place: Path, scheduler: str | None
) -> list[tuple[Any, ...]]:
    """Return the answer to a query."""
    place.mkdir()
    needed = needed_columns(asked, are_several=len(names) > 1)
    database = Database.open(*gathered(names, place, scheduler, needed))
    try:
        answer = (asked.first_line(database),) if asked.answer else ()
        return [answer, *database.rows(asked.sql, asked.parameters)]
    finally:
        database.close()


class InputCase(SynchronousTestCase):
    """A directory with a log, a compressed log and a recording, which a web server has, too."""

    def setUp(self) -> None:
        """Write the inputs."""
        self.folder = Path(self.mktemp()).absolute()
        self.folder.mkdir()
        self.log = self.folder / "threads.log"
        shutil.copy(logs.LOGS / "threads.log", self.log)
        self.compressed = self.folder / "pipeline.log.gz"
        self.compressed.write_bytes(gzip.compress((logs.LOGS / "pipeline.log").read_bytes()))
        self.recording = samples.write(self.folder / "app.rec")
        context = ExitStack()
        self.addCleanup(context.close)
        self.url = context.enter_context(served(self.folder))

    @property
    def names(self) -> tuple[str, ...]:
        """All kinds of inputs."""
        local = (self.log, self.compressed, self.recording)
        return (*map(str, local), *(f"{self.url}/{each.name}" for each in local))

    def place(self) -> Path:
        """Return a new directory for what is not read where it is."""
        return Path(self.mktemp())


class ClusterTests(InputCase):
    """Workers find what this machine finds."""

    @property
    def scheduler(self) -> str:
        """The address of the cluster."""
        address: str = two_workers().scheduler_address
        return address

    def test_questions(self) -> None:
        """The answers to all ready-made questions are those of this machine."""
        answered = 0
        for name in self.names:
            # They are about one input each: it is prepared once for all of them.
            local = self.place()
            local.mkdir()
            [recording] = gathered((name,), local, None, {})
            database = Database.open(recording)
            self.addCleanup(database.close)
            for question in questions():
                values = {"at": "+0.1"} if question == "around" else {}
                asked = ask(recording.about, question, values)
                expected = database.rows(asked.sql, asked.parameters)
                answered += bool(expected)
                found = rows(asked, (name,), self.place(), self.scheduler)
                self.assertEqual(expected, found[1:], f"{question} of {name}")
                if asked.answer:
                    self.assertEqual((asked.first_line(database),), found[0])
        self.assertLess(40, answered)

    def test_several(self) -> None:
        """All columns of all inputs together are those of this machine."""
        for sql in (*_EVERYTHING, _COUNT, "SELECT count(*) FROM calls WHERE false"):
            local = rows(Asked(sql, {}), self.names, self.place(), None)
            found = rows(Asked(sql, {}), self.names, self.place(), self.scheduler)
            self.assertEqual(local, found, sql)
        counts = rows(Asked(_COUNT, {}), self.names, self.place(), self.scheduler)[1:]
        self.assertEqual(sorted(self.names), [name for name, _ in counts])

    def test_only_needed_columns(self) -> None:
        """Workers return the columns that the query depends on, and the others without values."""
        sql = "SELECT name, sum(duration) FROM calls GROUP BY name"
        needed = needed_columns(Asked(sql, {}), are_several=False)
        self.assertEqual({"name", "duration"}, needed["calls"])
        place = self.place()
        place.mkdir()
        [recording] = gathered((str(self.log),), place, self.scheduler, needed)
        database = Database.open(recording)
        self.addCleanup(database.close)
        counted = "count(*), count(name), count(args), count(object) FROM calls"
        [(calls, named, decoded, objects)] = database.rows(f"SELECT {counted}")
        self.assertEqual((235, 235, 0, 0), (calls, named, decoded, objects))

    def test_killed_worker(self) -> None:
        """A worker that is killed while it reads is harmless."""
        names = tuple(str(self.folder / f"{at}.log") for at in range(60))
        for name in names:
            shutil.copy(self.log, name)
        client = Client(two_workers(), set_as_default=False)
        self.addCleanup(client.close)
        victim = min(client.run(os.getpid).values())
        written: list[Path] = []
        write = cluster._write

        def kill(folder: Path, *rest: Any) -> None:
            written.append(folder)
            # Others have been read by then, and their results are lost with it.
            if len(written) == 5:
                os.kill(victim, signal.SIGKILL)
            write(folder, *rest)

        with patch.object(cluster, "_write", kill):
            found = rows(Asked(_COUNT, {}), names, self.place(), self.scheduler)

        self.assertEqual([(name, 235) for name in sorted(names)], found[1:])
        client.wait_for_workers(2, timeout=60)
        self.assertNotIn(victim, client.run(os.getpid).values())

    def test_mistakes(self) -> None:
        """What cannot be read is the same sentence as on this machine."""
        text, cut, sums = (self.folder / each for each in ("a.txt", "cut.gz", "old.rec"))
        text.write_text("Hello.\n")
        cut.write_bytes(self.compressed.read_bytes()[:-500])
        sums.write_bytes(MAGIC)
        for name, sentence in (
            (str(text), f"no system calls in {text}: not a log of strace"),
            (str(cut), f"{cut}: the compressed data ends too early"),
            (str(sums), f"{sums}: it has sums, and not every call; 'syswatch stats' reads it"),
            ("/none.log", "/none.log: No such file or directory"),
            (f"{self.url}/none.log", f"{self.url}/none.log: No such file or directory"),
            (str(self.folder), "it is a directory without a recording: it has no manifest"),
        ):
            for scheduler in (None, self.scheduler):
                with self.assertRaises(RecordingError) as raised:
                    rows(Asked(_COUNT, {}), (name, str(self.log)), self.place(), scheduler)
                self.assertIn(sentence, str(raised.exception))

    def test_too_large(self) -> None:
        """A worker that would have to return too much says so."""
        self.patch(cluster, "MOST_BYTES", 1000)
        with self.assertRaises(RecordingError) as raised:
            rows(Asked(_EVERYTHING[0], {}), (str(self.log),), self.place(), self.scheduler)
        self.assertIn(f"{self.log}: the columns that the query needs", str(raised.exception))

    def test_unreachable(self) -> None:
        """A scheduler that does not answer is named."""
        self.patch(connection, "_CONNECT_S", 1)
        with self.assertRaises(RecordingError) as raised:
            rows(Asked(_COUNT, {}), (str(self.log),), self.place(), "tcp://127.0.0.1:9")
        self.assertIn(
            "cannot connect to the Dask scheduler tcp://127.0.0.1:9", str(raised.exception)
        )


class LocalTests(InputCase):
    """What this machine reads alone."""

    def test_same_as_recorded(self) -> None:
        """A log has the rows of the recording that `stats --record` makes of it."""
        for log in (self.log, self.compressed):
            folder = self.place()
            words = [*SYSWATCH, "stats", "--record", str(folder), str(log)]
            subprocess.run(words, check=True, capture_output=True)
            recorded = Database.open(Recording.open(folder, str(log)))
            self.addCleanup(recorded.close)
            for sql in _EVERYTHING:
                found = rows(Asked(sql, {}), (str(log),), self.place(), None)
                self.assertEqual(recorded.rows(sql), found[1:], sql)

    def test_pattern(self) -> None:
        """A pattern in a URL stands for what it matches, in the order of the names."""
        self.assertEqual(
            tuple(f"{self.url}/{name}" for name in ("pipeline.log.gz", "threads.log")),
            all_names((f"{self.url}/*.log*",)),
        )
        with self.assertRaises(RecordingError) as raised:
            all_names((f"{self.url}/*.none",))
        self.assertEqual(f"{self.url}/*.none: no file matches this pattern", str(raised.exception))

    def test_damage(self) -> None:
        """A damaged segment of a recording at a URL is left out, as in a directory."""
        segment = min((self.recording / "calls").iterdir())
        segment.write_bytes(segment.read_bytes()[:-20])
        notes = []
        for name in (str(self.recording), f"{self.url}/{self.recording.name}"):
            place = self.place()
            place.mkdir()
            for scheduler in (None, two_workers().scheduler_address):
                part = place / str(scheduler is None)
                part.mkdir()
                needed = needed_columns(Asked(_COUNT, {}), are_several=False)
                [recording] = gathered((name,), part, scheduler, needed)
                Database.open(recording).close()
                notes.append(recording.notes)
        self.assertIn("1 segment is damaged and left out", notes[0][-1])
        self.assertEqual([notes[0]] * 4, notes)

    def test_moments(self) -> None:
        """A log has a beginning, from which moments count."""
        place = self.place()
        place.mkdir()
        [recording] = gathered((str(self.compressed),), place, None, {})
        self.assertEqual(1_795_230_345_404_675_000, recording.about.begun_ns)
        self.assertEqual((str(self.compressed),), recording.about.logs)
