"""Tests of queries to the process that reads a recording."""

from pathlib import Path

import msgspec
from twisted.trial.unittest import TestCase

from syswatch.codec.recording import RecordingError
from syswatch.recording.questions import SQL, Query, Rows
from syswatch.recording.read.opening import Recording
from syswatch.recording.read.requests import REQUESTS, Reader
from tests.recording import samples


class SQLTests(TestCase):
    """Questions and answers."""

    def setUp(self) -> None:
        """Write a recording."""
        self.reader = Reader(Recording.open(samples.write(Path(self.mktemp()))))

    def _ask(self, question: Query) -> Rows:
        """Return the answer as it arrives at the service."""
        answer: Rows = REQUESTS[SQL.name].respond(self.reader, question)
        return msgspec.msgpack.decode(msgspec.msgpack.encode(answer), type=SQL.answer)

    def test_query(self) -> None:
        """A query in SQL has rows."""
        answer = self._ask(Query("SELECT count(*) AS calls, sum(errors) AS errors FROM calls"))
        self.assertEqual(Rows("", ("calls", "errors"), [(7, 1)]), answer)

    def test_limit(self) -> None:
        """A long answer is cut, and says so."""
        answer = self._ask(Query("SELECT start FROM calls ORDER BY start", most_rows=2))
        self.assertEqual((2, True), (len(answer.rows), answer.has_more))

    def test_question(self) -> None:
        """A ready-made question has an answer in words."""
        answer = self._ask(Query(name="slowest-calls", values={"limit": "1"}))
        self.assertEqual("The slowest call was recvfrom of thread 7: 900.0 ms", answer.answer)
        self.assertEqual(1, len(answer.rows))

    def test_mistakes(self) -> None:
        """What is wrong with a query is a RecordingError; other questions are still answered."""
        for question, message in (
            (Query("SELEC"), "at line 1, column 1"),
            (Query("COPY calls TO 'x'"), "only SELECT is possible"),
            (Query(name="nothing"), "no question 'nothing'"),
        ):
            with self.assertRaises(RecordingError) as caught:
                self._ask(question)
            self.assertIn(message, str(caught.exception))
        self.test_query()
