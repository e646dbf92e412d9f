"""Tests of the ready-made questions."""

from pathlib import Path

from twisted.trial.unittest import TestCase

from syswatch.codec.event_frames import Life, Loss
from syswatch.codec.events import Flag
from syswatch.model.objects import ObjectInfo, ObjectKind
from syswatch.recording.query.asking import ask
from syswatch.recording.query.database import Database
from syswatch.recording.query.errors import ParameterError
from syswatch.recording.query.listing import listing
from syswatch.recording.query.questions import questions
from syswatch.recording.read.opening import Recording
from tests.recording import samples
from tests.recording.samples import BEGUN_NS, Call

_NUMBER = "expected a number from 0 to 1000000000"
_WHOLE = "expected a whole number from 0 to 1000000000"
_UNREAD = ObjectInfo(ObjectKind.FILE, "/etc/unread")

_ANSWERS = {
    "around": "3 calls within 0.05 s of 2023-11-14T22:13:20.000000000Z",
    "bytes-by-file": "Most bytes: /etc/hosts, 589 read and 0 written",
    "calls-by-second-and-peer": "Most in a second: 1 call on 10.0.0.5:443 at 22:13:21Z",
    "errors-by-path": 'Most errors: openat on "/nowhere", 1 call with ENOENT',
    "never-read": "1 file was opened and never read",
    "processes": "2 processes: 1 exited with 0, 0 ended otherwise, 1 had not ended",
    "threads": "Longest in calls: thread 7 (of 3), 900.009 ms, 880.0 ms of that waiting",
}
_WITHOUT_CALLS = {
    "around": "There are no calls",
    "bytes-by-file": "No bytes were read or written",
    "calls-by-second-and-peer": "No call was on a peer",
    "errors": "No call returned",
    "errors-by-path": "No call failed",
    "longest-gap": "There is no gap",
    "losses": "No calls are missing",
    "never-read": "No file was opened without being read",
    "not-returned": "All calls returned",
    "processes": "2 processes: 1 exited with 0, 0 ended otherwise, 1 had not ended",
    "slowest-calls": "No call returned",
    "summary": "0 calls, 0 of them failed",
    "threads": "No call returned",
}


class QuestionTests(TestCase):
    """Questions and answers."""

    def setUp(self) -> None:
        """Write a recording."""
        calls = (
            *samples.SOME,
            Call(2_500_000_000, name="openat", result=4, object=_UNREAD),
            Call(2_500_010_000, name="fstat", object=_UNREAD),
        )
        losses = [Loss(7, 1_700_000_000, 5), Loss(8, 1_700_000_001, 1)]
        self.folder = samples.write(Path(self.mktemp()), calls, losses=losses)

    def _ask(self, name: str, **values: str) -> tuple[str, list[dict[str, object]]]:
        """Return the answer in words, and the rows."""
        asked = ask(Recording.open(self.folder).about, name, values)
        database = Database.open(Recording.open(self.folder))
        self.addCleanup(database.close)
        with database.run(asked.sql, asked.parameters) as result:
            columns = result.columns
        rows = database.rows(asked.sql, asked.parameters)
        return asked.first_line(database), [dict(zip(columns, row, strict=True)) for row in rows]

    def test_all(self) -> None:
        """Each works on a recording, and on one without calls."""
        self.assertGreater(len(questions()), 10)
        for name, question in questions().items():
            self._ask(name)
            self.assertTrue(question.title.endswith("?"), name)
        self.folder = samples.write(Path(self.mktemp()), ())
        answers = {name: self._ask(name)[0] for name in questions()}
        self.assertEqual(_WITHOUT_CALLS, answers)

    def test_one_sentence(self) -> None:
        """Each question is answered in words, whatever was found."""
        answers = {name: self._ask(name)[0] for name in questions()}
        self.assertEqual(set(), {name for name, answer in answers.items() if not answer})
        self.assertEqual(_ANSWERS, {name: answers[name] for name in _ANSWERS})

    def test_slowest(self) -> None:
        """The slowest calls come first."""
        answer, rows = self._ask("slowest-calls", limit="2")
        self.assertEqual("The slowest call was recvfrom of thread 7: 900.0 ms", answer)
        self.assertEqual(["recvfrom", "sendfile"], [row["name"] for row in rows])
        self.assertEqual(("900.0 ms", samples.PEER.name), (rows[0]["duration"], rows[0]["on"]))

    def test_summary(self) -> None:
        """The summary counts calls and errors."""
        answer, rows = self._ask("summary")
        self.assertEqual("9 calls, 1 of them failed", answer)
        self.assertEqual(
            (3, 1), next((row["calls"], row["errors"]) for row in rows if row["name"] == "openat")
        )

    def test_errors(self) -> None:
        """Errors are found by call, and by path."""
        self.assertEqual("1 of 9 calls failed", self._ask("errors")[0])
        (row,) = self._ask("errors-by-path")[1]
        self.assertEqual(('"/nowhere"', "ENOENT", 1), (row["on"], row["errno"], row["calls"]))

    def test_never_read(self) -> None:
        """A file that was only opened is found, and one that was read is not."""
        (row,) = self._ask("never-read")[1]
        self.assertEqual((_UNREAD.name, 1), (row["file"], row["opened"]))

    def test_around(self) -> None:
        """Calls that were in progress near a moment are found."""
        names = [row["name"] for row in self._ask("around", at="+0.5", within="0.01")[1]]
        self.assertEqual(["recvfrom"], names)
        names = [row["name"] for row in self._ask("around", at="22:13:20.16", within="0.001")[1]]
        self.assertEqual(["recvfrom", "write"], names)
        (last,) = self._ask("around", at="2023-11-14T22:13:22.45", within="0.01")[1]
        self.assertEqual(("read", "not returned"), (last["name"], last["duration"]))

    def test_around_nothing(self) -> None:
        """Where there are no calls, the answer says when there are, as times that can be given."""
        self.folder = samples.write(Path(self.mktemp()), samples.SOME[:-1])
        span = "the calls are from 2023-11-14T22:13:20.000001000Z to 2023-11-14T22:13:21.200000100Z"
        for at, shown in (("+9.5", "29.5"), ("2023-11-14T22:13:19.25", "19.25")):
            answer, rows = self._ask("around", at=at, within="0.5")
            self.assertEqual([], rows)
            self.assertRegex(
                answer, rf"^No call within 0\.5 s of 2023-11-14T22:13:{shown}0*Z; {span}$"
            )
        first = span.split()[4]
        answer, rows = self._ask("around", at=first, within="0")
        self.assertEqual(f"1 call within 0.0 s of {first}", answer)
        self.assertEqual(["openat"], [row["name"] for row in rows])
        self.folder = samples.write(Path(self.mktemp()), ())
        self.assertEqual("There are no calls", self._ask("around")[0])

    def test_gap(self) -> None:
        """The longest gap is between one call's return and the next one's beginning."""
        answer, rows = self._ask("longest-gap")
        self.assertEqual("The longest gap is 1.2 s", answer)
        self.assertEqual(("1.2 s", 0), (rows[0]["gap"], rows[0]["in_progress"]))
        self.assertEqual(("889.997 ms", 1), (rows[1]["gap"], rows[1]["in_progress"]))

    def test_ended_with_process(self) -> None:
        """A call is in progress until its process ends; one that exits ends at once."""
        self.folder = samples.write(Path(self.mktemp()), samples.ENDED, lives=samples.ENDED_LIVES)
        for at, names in {
            "+0.02": ["read", "getpid", "exit_group", "pause"],
            "+2": ["read", "pause"],
            "+3.2": ["pause"],
        }.items():
            rows = self._ask("around", at=at, within="0.01")[1]
            self.assertEqual(names, [row["name"] for row in rows], at)
        answer, rows = self._ask("longest-gap", limit="1")
        self.assertEqual("The longest gap is 3.97 s", answer)
        self.assertEqual(("3.97 s", 2), (rows[0]["gap"], rows[0]["in_progress"]))

    def test_ended_before_gap(self) -> None:
        """What ended with its process before a gap is not in progress in it."""
        calls = (*samples.ENDED, Call(9_000_000_000, name="getpid"))
        self.folder = samples.write(Path(self.mktemp()), calls, lives=samples.ENDED_LIVES)
        (row,) = self._ask("longest-gap", limit="1")[1]
        self.assertEqual(("4.999 s", 1), (row["gap"], row["in_progress"]))

    def test_peers(self) -> None:
        """Calls on peers are counted by second."""
        (row,) = self._ask("calls-by-second-and-peer")[1]
        self.assertEqual(
            ("2023-11-14T22:13:21Z", samples.PEER.name, 1, 64),
            (row["second"], row["peer"], row["calls"], row["bytes"]),
        )

    def test_bytes(self) -> None:
        """Bytes that were read and written are told apart."""
        found = {row["on"]: row for row in self._ask("bytes-by-file")[1]}
        self.assertEqual(512 + 77, found[samples.FILE.name]["bytes_read"])
        self.assertEqual(9 + 77, found[samples.PIPE.name]["bytes_written"])

    def test_reused_pid(self) -> None:
        """Each process has its own calls, also those that nothing else is known of."""
        calls = (
            Call(1_000, tid=8, pid=8),
            Call(4_000_000_000, tid=8, pid=8),
            Call(4_500_000_000, tid=8, pid=8),
            Call(5_000_000_000, tid=99, pid=99),
        )
        lives = (
            Life(8, BEGUN_NS, 7, "cat", "cat", BEGUN_NS + 3_000_000_000, 1, None),
            Life(8, BEGUN_NS + 3_500_000_000, 7, "cat", "cat"),
        )
        self.folder = samples.write(Path(self.mktemp()), calls, lives=lives)
        answer, rows = self._ask("processes")
        self.assertEqual([(8, 1), (8, 2), (99, 1)], [(row["pid"], row["calls"]) for row in rows])
        self.assertEqual("3 processes: 0 exited with 0, 1 ended otherwise, 2 had not ended", answer)

    def test_without_durations(self) -> None:
        """Of a log without durations it is not known how long calls took."""
        calls = [Call(at, 0, flags=Flag.UNTIMED) for at in (1_000, 2_000)]
        self.folder = samples.write(Path(self.mktemp()), calls)
        for name in ("slowest-calls", "threads"):
            self.assertEqual("How long calls took is not known", self._ask(name)[0])
        self.assertEqual([None, None], [row["duration"] for row in self._ask("slowest-calls")[1]])

    def test_begun_before(self) -> None:
        """A call that began before the trace took at least as long as is known."""
        calls = [Call(1_000, 5_000_000, flags=Flag.UNTIMED), Call(2_000, 1_000)]
        self.folder = samples.write(Path(self.mktemp()), calls)
        answer, rows = self._ask("slowest-calls")
        self.assertIn(": at least 5.0 ms", answer)
        found = [(row["duration"], row["waiting"]) for row in rows]
        self.assertEqual([(">5.0 ms", None), ("1.0 µs", "0 ns")], found)

        answer, [row] = self._ask("summary")
        self.assertEqual(
            "2 calls, 0 of them failed; the times are without 1 call from before the trace", answer
        )
        self.assertEqual((2, "1.0 µs", "1.0 µs"), (row["calls"], row["time"], row["longest"]))
        answer, [row] = self._ask("threads")
        # It was waiting when it was attached to.
        self.assertEqual("5.0 ms", row["waiting"])
        self.assertIn(" 5.0 ms of that waiting", answer)

    def test_losses(self) -> None:
        """What is missing is told in words."""
        answer, rows = self._ask("losses")
        self.assertEqual("6 calls are missing", answer)
        self.assertEqual([5, 1], [row["calls"] for row in rows])

    def test_not_returned(self) -> None:
        """Calls in progress at the end are found."""
        self.assertEqual("1 call did not return", self._ask("not-returned")[0])

    def test_mistakes(self) -> None:
        """A mistake is one sentence."""
        for name, values, message in (
            ("slowst", {}, "no question 'slowst' (--list shows all)"),
            ("summary", {"limit": "1"}, "'summary' has no parameter 'limit' (it has: none)"),
            *(
                ("slowest-calls", {"limit": text}, f"limit: invalid value '{text}' ({_WHOLE})")
                for text in ("x", "-1", "1.5", "9" * 19)
            ),
            *(
                ("around", {"within": text}, f"within: invalid value '{text}' ({_NUMBER})")
                for text in ("x", "-0.1", "nan", "1e300", "inf")
            ),
            (
                "around",
                {"at": "9999-01-01T00:00"},
                "at: '9999-01-01T00:00' is not between 1970",
            ),
            ("around", {"at": "noon"}, "at: invalid time 'noon' (expected +SECONDS"),
        ):
            with self.assertRaises(ParameterError) as caught:
                ask(Recording.open(self.folder).about, name, values)
            self.assertTrue(str(caught.exception).startswith(message), str(caught.exception))

    def test_listing(self) -> None:
        """The list names every question."""
        text = listing()
        for name in questions():
            self.assertIn(f"  {name}: ", text)
