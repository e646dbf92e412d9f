"""Tests that a run is the same from a delta and from the summary of the same trace."""

from collections.abc import Sequence

from twisted.trial.unittest import SynchronousTestCase

from syswatch.comparison.of_delta import run_of_snapshot
from syswatch.comparison.of_json import SummaryError, is_summary, run_of_json
from syswatch.comparison.run import Figure, Kind, Run, Subject
from syswatch.model.aggregator import Aggregator
from syswatch.model.messages import Ended
from syswatch.model.snapshot import Snapshot
from syswatch.views.formats import FORMATS, Presentation
from tests.made_trace import snapshot_of
from tests.reading import read_logs, total
from tests.samples import LOGS, log_names


def _both(snapshot: Snapshot) -> Sequence[Run]:
    document = FORMATS["json"].write(snapshot, Presentation()).encode()
    return run_of_snapshot(snapshot, "run"), run_of_json(document, "run")


class SourcesTests(SynchronousTestCase):
    """A delta and a summary in JSON."""

    def test_made_up_trace(self) -> None:
        """Both give the same figures, of a trace that is running and of one that has ended."""
        for done in (False, True):
            of_delta, of_json = _both(snapshot_of(3, done=done))
            self.assertEqual(of_delta, of_json)
            self.assertTrue(of_delta.figures)

    def test_real_logs(self) -> None:
        """Both give the same figures of logs of real programs."""
        for log in log_names():
            aggregator = Aggregator()
            aggregator.add(total(read_logs([LOGS / log])))
            aggregator.ended(Ended())
            of_delta, of_json = _both(aggregator.snapshot())
            self.assertEqual(of_delta, of_json, log)
            self.assertTrue(of_delta.figures, log)

    def test_figures(self) -> None:
        """Calls, errors, files, peers, objects and endings are subjects."""
        figures = run_of_snapshot(snapshot_of(2, done=True), "run").figures
        self.assertEqual(8, figures[Subject(Kind.CALL, "recvfrom")][Figure.COUNT])
        self.assertEqual(6, figures[Subject(Kind.ERROR, "ENOENT", "openat")][Figure.COUNT])
        wal = Subject(Kind.FILE, "/var/lib/app/db.wal")
        self.assertEqual(131_072, figures[wal][Figure.BYTES_OUT])
        self.assertEqual(4, figures[wal._replace(call="fsync")][Figure.COUNT])
        peer = Subject(Kind.PEER, "10.0.0.5:5432", "recvfrom")
        self.assertEqual(81_920, figures[peer][Figure.BYTES_IN])
        self.assertIn(Subject(Kind.OBJECT, "child process convert"), figures)
        self.assertIn(Subject(Kind.ENDING, "exited with 0"), figures)


class BadSummaryTests(SynchronousTestCase):
    """Texts that are not summaries."""

    def test_rejected(self) -> None:
        """One clause says what is wrong."""
        for text in (b"", b"{", b"[]", b"{}", b'{"Status": {}, "Stats": 3}', b"\xff\xfe"):
            error = self.assertRaises(SummaryError, run_of_json, text, "run")
            self.assertIn("not a summary", str(error))

    def test_impossible_numbers(self) -> None:
        """A negative count is no count."""
        text = b'{"Status": {}, "Stats": [{"Name": "read", "Count": -1}]}'
        self.assertRaises(SummaryError, run_of_json, text, "run")

    def test_older(self) -> None:
        """What an older summary lacks is not known, rather than 0."""
        run = run_of_json(
            b'{"Status": {}, "Stats": [{"Name": "read", "Count": 1}],'
            b' "Objects": [{"Kind": "file", "Name": "/etc/passwd"}]}',
            "run",
        )
        self.assertIn((Kind.FILE, Figure.COUNT), run.unknown)
        self.assertIn((Kind.CALL, Figure.WORKING), run.unknown)
        self.assertNotIn((Kind.CALL, Figure.COUNT), run.unknown)

    def test_texts_are_escaped(self) -> None:
        """Control characters from a file never reach a terminal."""
        run = run_of_json(
            b'{"Status": {}, "Stats": [{"Name": "read\\u001b[2J", "Count": 1}]}', "run"
        )
        self.assertEqual(["read\\x1b[2J"], [each.name for each in run.figures if each.name])

    def test_beginning(self) -> None:
        """A summary is recognized by its beginning."""
        self.assertTrue(is_summary(b' \n{"Status'))
        self.assertFalse(is_summary(b"12:00:00 read("))
