"""Tests of a recording in the terminal UI: keys, and one request at a time."""

from collections.abc import Callable

import attrs
from twisted.internet.defer import Deferred
from twisted.internet.task import Clock
from twisted.trial.unittest import TestCase

from syswatch.model.delta import Delta, Span
from syswatch.model.snapshot import Snapshot
from syswatch.terminal.ui.replay import Replay
from syswatch.views.budget.period import Period

from .harness import BUSY, NOW_S, Recorder, Scene, run_app, snapshot_of, tally

_FIRST_MS = NOW_S * 1000


@attrs.define
class Requests:
    """Ranges that are requested, and answered when the test wants it."""

    asked: list[tuple[Period, Deferred[Snapshot]]] = attrs.field(factory=list)
    shown: list[Snapshot | None] = attrs.field(factory=list)
    told: list[str] = attrs.field(factory=list)
    clock: Clock = attrs.field(factory=Clock)

    def part(self, period: Period) -> Deferred[Snapshot]:
        """Note a request."""
        self.asked.append((period, Deferred()))
        return self.asked[-1][1]

    def after(self, seconds: float, callback: Callable[[], None]) -> object:
        """Call back later."""
        return self.clock.callLater(seconds, callback)

    def replay(self) -> Replay:
        """Return a recording of ten seconds."""
        clock = self.clock.seconds
        replay = Replay(self.part, self.shown.append, self.after, self.told.append, clock)
        replay.update(snapshot_of(BUSY))
        return replay

    def answer(self, place: int = -1) -> Snapshot:
        """Answer a request."""
        period, answer = self.asked[place]
        snapshot = attrs.evolve(snapshot_of(part(period)), is_exact_part=True)
        answer.callback(snapshot)
        return snapshot


def part(period: Period) -> Delta:
    """Return as many calls as milliseconds in a range."""
    span = Span(period.from_ms * 10**6, period.to_ms * 10**6)
    return Delta(calls={"read": tally(period.to_ms - period.from_ms)}, span=span)


class RequestTests(TestCase):
    """What is requested, and when."""

    def test_one_at_a_time(self) -> None:
        """While an answer is awaited, only the newest range is kept."""
        requests = Requests()
        replay = requests.replay()
        for _ in range(3):
            replay.act("shorter")
        self.assertEqual(1, len(requests.asked))
        first = requests.answer()
        self.assertIs(first, requests.shown[-1])
        (_, _), (period, _) = requests.asked
        self.assertEqual(1250, period.to_ms - period.from_ms)
        self.assertIs(requests.answer(), requests.shown[-1])
        self.assertEqual(2, len(requests.asked))

    def test_whole(self) -> None:
        """The whole needs no request, and an answer that comes too late is not shown."""
        requests = Requests()
        replay = requests.replay()
        replay.act("shorter")
        replay.act("all")
        requests.answer()
        self.assertEqual((1, None), (len(requests.asked), requests.shown[-1]))
        self.assertFalse(replay.is_limited)

    def test_play(self) -> None:
        """While playing, a range is requested some time after the one before was shown."""
        requests = Requests()
        replay = requests.replay()
        self.assertTrue(replay.toggle())
        requests.clock.advance(9)
        self.assertEqual(1, len(requests.asked))
        requests.answer()
        requests.clock.advance(1)
        self.assertEqual(2, len(requests.asked))
        self.assertGreater(requests.asked[1][0].from_ms, requests.asked[0][0].from_ms)
        replay.toggle()
        requests.answer()
        requests.clock.advance(9)
        self.assertEqual([], requests.clock.getDelayedCalls())

    def test_stopped_by_hand(self) -> None:
        """Moving the range ends playing, changing the speed does not."""
        replay = Requests().replay()
        replay.toggle()
        replay.act("faster")
        self.assertTrue(replay.playback.is_playing)
        replay.act("later")
        self.assertFalse(replay.playback.is_playing)

    def test_failure(self) -> None:
        """What cannot be read is told, and the next range is requested again."""
        requests = Requests()
        replay = requests.replay()
        replay.toggle()
        requests.asked[0][1].errback(OSError("the recording is gone"))
        self.assertEqual(["the recording is gone"], requests.told)
        self.assertFalse(replay.playback.is_playing)
        replay.act("next")
        self.assertEqual(2, len(requests.asked))


class KeyTests(TestCase):
    """The keys of a replay."""

    def test_keys(self) -> None:
        """They select a range, whose numbers are shown."""
        requests = Requests()

        async def act(scene: Scene) -> None:
            self.assertIn("recording  all 10s", scene.text)
            self.assertIn("1417 calls", scene.text)
            text = await scene.press("plus")
            self.assertIn("5 s of 10s", text)
            self.assertIn("reading…", text)
            requests.answer()
            await scene.pilot.pause()
            self.assertNotIn("reading…", scene.text)
            self.assertIn("5000 calls  1000 /s", scene.text)
            for keys, begin in (
                (("left",), 4501),
                (("shift+left",), 0),
                (("right", "right"), 1000),
                (("shift+right",), 5001),
            ):
                await scene.press(*keys)
                while not requests.asked[-1][1].called:
                    requests.answer()
                await scene.pilot.pause()
                self.assertEqual(_FIRST_MS + begin, requests.asked[-1][0].from_ms)
            self.assertIn("1417 calls", await scene.press("0"))
            self.assertIn("play / pause", await scene.press("question_mark"))

        run_app(act, recorder=Recorder(part=requests.part), size=(100, 24))

    def test_updates(self) -> None:
        """While a range is shown, more of the recording can be read."""
        requests = Requests()

        async def act(scene: Scene) -> None:
            await scene.press("plus")
            requests.answer()
            later = Delta(span=Span((NOW_S + 10) * 10**9, (NOW_S + 20) * 10**9))
            scene.app.update_snapshot(snapshot_of(BUSY, BUSY, later))
            await scene.pilot.pause()
            self.assertIn("5000 calls", scene.text)
            self.assertIn("2834 calls", await scene.press("0"))
            self.assertIn("all 20s", scene.text)

        run_app(act, recorder=Recorder(part=requests.part))

    def test_no_recording(self) -> None:
        """Without a recording, the keys do nothing, and space pauses."""

        async def act(scene: Scene) -> None:
            before = scene.text
            self.assertEqual(before, await scene.press("left", "plus", "0", "right_square_bracket"))
            self.assertIn("PAUSED", await scene.press("space"))

        run_app(act)
