"""Tests of the process that reads a recording."""

import os
import signal
from pathlib import Path
from typing import Any, cast

from twisted.internet import reactor
from twisted.internet.task import Clock
from twisted.trial.unittest import TestCase

from syswatch.model.times import SECOND_NS
from syswatch.recording.questions import FOLD, SQL, STATE, Kind, Nothing, Query, Range
from syswatch.recording.read.wire import Answered, encode
from syswatch.service.reactor import Reactor
from syswatch.service.reader_process import (
    ANSWER_S,
    QuestionError,
    ReaderError,
    Recording,
    _ReaderProcess,
)
from tests.recording import samples
from tests.recording.samples import BEGUN_NS, SOME


class _Transport:
    """A child that never answers."""

    def __init__(self) -> None:
        self.killed = 0

    def writeToChild(self, _fd: int, _data: bytes) -> None:
        """Ignore a question."""

    def signalProcess(self, _name: str) -> None:
        """Count."""
        self.killed += 1


class ReaderTests(TestCase):
    """Questions and answers."""

    def open(self, folder: Path) -> Recording:
        """Return a recording of which the child ends with the test."""
        recording = Recording(str(folder), cast("Reactor", reactor))
        self.addCleanup(recording.close)
        return recording

    async def test_answers(self) -> None:
        """The child answers several questions, in any number at once."""
        recording = self.open(samples.write(Path(self.mktemp())))
        asked = [
            recording.ask(FOLD, Range()),
            recording.ask(FOLD, Range(BEGUN_NS, BEGUN_NS + SECOND_NS)),
        ]
        whole, early = [await each for each in asked]
        self.assertEqual(samples.delta_of(SOME).calls, whole.calls)
        self.assertNotIn("recvfrom", early.calls)
        about = await recording.ask(STATE, Nothing())
        self.assertEqual((BEGUN_NS, ()), (about.about.begun_ns, about.notes))

    async def test_no_recording(self) -> None:
        """What cannot be read is one sentence."""
        recording = self.open(Path("/nowhere"))
        with self.assertRaises(ReaderError) as raised:
            await recording.ask(STATE, Nothing())
        self.assertIn("it is not a directory", str(raised.exception))

    async def test_crash(self) -> None:
        """If the child is killed, its questions fail, and the next one starts another."""
        recording = self.open(samples.write(Path(self.mktemp())))
        await recording.ask(STATE, Nothing())
        process = recording._processes[STATE.takes_long]
        pid = cast("Any", process.transport).pid
        os.kill(pid, signal.SIGSTOP)
        asked = recording.ask(STATE, Nothing())
        os.kill(pid, signal.SIGKILL)
        with self.assertRaises(ReaderError) as raised:
            await asked
        self.assertEqual(
            "the process that reads the recording was killed by signal 9", str(raised.exception)
        )
        self.assertEqual((), (await recording.ask(STATE, Nothing())).notes)

    async def test_long(self) -> None:
        """What takes long does not delay other questions; a mistake is told from a failure."""
        recording = self.open(samples.write(Path(self.mktemp())))
        with self.assertRaises(QuestionError) as raised:
            await recording.ask(SQL, Query("SELEC"))
        self.assertIn("line 1, column 1", str(raised.exception))
        slow = recording.ask(SQL, Query("SELECT count(*) FROM range(1000000) a, range(1000000) b"))
        await recording.ask(STATE, Nothing())
        self.assertNoResult(slow)
        await recording.close()
        self.assertNotIsInstance(self.failureResultOf(slow, ReaderError).value, QuestionError)

    def test_timeout(self) -> None:
        """A child that does not answer is ended."""
        clock, transport = Clock(), _Transport()
        process = _ReaderProcess(clock)
        process.transport = cast("Any", transport)
        asked = process.ask(STATE, Nothing())
        clock.advance(ANSWER_S)
        self.failureResultOf(asked, ReaderError)
        self.assertEqual((1, True), (transport.killed, process.has_ended))

    def test_late_answer(self) -> None:
        """What a child had sent before it was killed is ignored."""
        process = _ReaderProcess(Clock())
        process.transport = cast("Any", _Transport())
        asked = process.ask(STATE, Nothing())
        process.kill("took too long")
        self.failureResultOf(asked, ReaderError)
        process.childDataReceived(1, encode(Answered(1, b"")))

    def test_impossible_question(self) -> None:
        """A question that cannot be sent is not waited for."""
        clock = Clock()
        process = _ReaderProcess(clock)
        process.transport = cast("Any", _Transport())
        self.assertRaises(OverflowError, process.ask, FOLD, Range(1 << 80))
        self.assertEqual([], clock.getDelayedCalls())

    async def test_unknown(self) -> None:
        """A question that the child does not know is an error, and not its end."""
        recording = self.open(samples.write(Path(self.mktemp())))
        unknown = Kind("unknown", Nothing, int)
        with self.assertRaises(ReaderError):
            await recording.ask(unknown, Nothing())
        await recording.ask(STATE, Nothing())
