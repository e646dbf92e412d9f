"""Tests of a recording of which only the newest part is kept."""

from syswatch.codec.event_frames import Life, Loss
from syswatch.codec.events import UNFINISHED_NS
from syswatch.codec.frames import encode
from syswatch.model.delta import Delta, Span
from syswatch.model.messages import Ended
from syswatch.model.objects import ObjectInfo, ObjectKind
from syswatch.model.process import ProcessTally
from syswatch.model.threads import ThreadTally
from syswatch.recording import manifest, segments
from syswatch.recording.extra import load
from syswatch.recording.keeping import Keep
from syswatch.recording.write import reserve as reserve_module
from syswatch.recording.write.names import MOST_OBJECTS

from .flight_case import SECOND, START, FlightCase
from .test_tables import event


class RetentionTests(FlightCase):
    """What is kept."""

    def test_time(self) -> None:
        """Segments that are older than the time are removed, one by one."""
        for number in range(30):
            self.second()
            first = max(number - 10, 0)
            self.assertEqual(list(range(first, number + 1)), self.results())
        state = self.recorder.state()
        self.assertEqual((11, 11), (state.calls, len(list((self.folder / "bins").iterdir()))))
        self.assertGreater(state.kept_to_ns, state.kept_from_ns)

    def test_counts(self) -> None:
        """Removed calls are not counted any more, whether they had returned or not."""
        for number in range(30):
            self.second(event(START + number * SECOND + 1, duration_ns=UNFINISHED_NS))
        state = self.recorder.state()
        self.assertEqual((11, 11), (state.calls, state.unfinished))

    def test_idle(self) -> None:
        """Without any calls, what is kept gets too old as well."""
        self.second()
        self.clock.advance(11)
        self.recorder.tick()
        self.assertEqual([], self.results())

    def test_size(self) -> None:
        """Everything on the disk together has less than the size."""
        # The usual size would be far more than what is kept here.
        self.patch(reserve_module, "RESERVED_BYTES", 4096)
        self.start(Keep(size=200_000))
        for _ in range(80):
            self.second()
            self.recorder.receive_losses([Loss(7, 1_700_000_000, 2)])
            files = (each for each in self.folder.rglob("*") if each.is_file())
            blocks = sum(-(-each.stat().st_size // 4096) for each in files)
            self.assertLess(blocks * 4096, 210_000)
        kept = self.results()
        self.assertEqual(list(range(80 - len(kept), 80)), kept)
        self.assertLess(5, len(kept))
        self.assertLess(len(kept), 79)
        self.recorder.finish(Ended(0))
        losses = segments.numbers_in(self.folder, segments.LOSSES)
        self.assertLess(5, len(losses))
        self.assertEqual(2 * len(losses), manifest.read(self.folder).lost)

    def test_all_kept(self) -> None:
        """If nothing had to be removed, the recording is that of the whole trace."""
        self.second()
        self.recorder.finish(Ended(0))
        about = manifest.read(self.folder)
        self.assertEqual((START, None), (about.begun_ns, about.traced_since_ns))
        self.assertEqual((), self.saves)

    def test_deltas(self) -> None:
        """Old deltas are removed, but for the start; at the end, just those of the range remain."""
        sizes = set()
        for _ in range(100):
            self.second()
            sizes.add((self.folder / "deltas").stat().st_size)
        self.assertLess(max(sizes), 3 * 12 * len(encode(Delta(span=Span(START, START)))))
        self.recorder.receive_frame(encode(Ended(0)))
        self.recorder.finish(Ended(0))
        started, named, *others, ended = self.deltas()
        self.assertEqual(("test", Ended(0)), (started.backend, ended))
        self.assertEqual(self.results(), [(each.span.last_ns - START) // SECOND for each in others])
        # The trace is older than what is kept, which the sums must not be divided by.
        self.assertEqual(named.span.last_ns, others[0].span.first_ns)
        self.assertEqual(START + (self.results()[0] - 1) * SECOND, named.span.last_ns)
        about = manifest.read(self.folder)
        self.assertEqual(START, about.traced_since_ns)
        self.assertGreater(about.begun_ns, START)

    def test_names(self) -> None:
        """What is described once is known as long as it has not ended."""
        info = ObjectInfo(ObjectKind.FILE, "/a")
        self.second(
            delta=Delta(
                objects={info.id: info},
                threads={7: ThreadTally(5, "app"), 8: ThreadTally(5, "gone")},
                processes={5: ProcessTally(1, "app", count=9, lives=1), 6: ProcessTally(1, "old")},
            )
        )
        ends = Delta(
            threads={8: ThreadTally(5, has_ended=True)},
            processes={6: ProcessTally(ending="exited with 0")},
        )
        self.second(delta=ends)
        for _ in range(60):
            self.second()
        named = self.deltas()[1]
        self.assertEqual({info.id: info}, named.objects)
        self.assertEqual({7: ThreadTally(5, "app")}, named.threads)
        self.assertEqual({5: ProcessTally(1, "app")}, named.processes)

    def test_tables(self) -> None:
        """Processes that ended before what is kept are forgotten, and objects beyond a limit."""
        self.recorder.receive_lives([Life(5, None, 1, "app", ""), Life(6, START, 5, "a", "")])
        self.recorder.receive_lives([Life(6, START, 5, "a", "", START + 1, 0)])
        infos = [ObjectInfo(ObjectKind.FILE, f"/{n}") for n in range(MOST_OBJECTS + 50)]
        self.second(delta=Delta(objects={each.id: each for each in infos}))
        for _ in range(40):
            self.second()
        self.recorder.finish(Ended(0))
        parquet = load("pyarrow.parquet")
        processes = parquet.read_table(self.folder / "processes.parquet")
        self.assertEqual([5], processes["pid"].to_pylist())
        objects = parquet.read_table(self.folder / "objects.parquet")
        self.assertEqual(MOST_OBJECTS, len(objects))
        self.assertNotIn("/0", objects["name"].to_pylist())
