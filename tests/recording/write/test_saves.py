"""Tests of what a flight recorder saves, and when."""

import errno
import signal
from pathlib import Path
from typing import Any

from syswatch.codec.event_frames import Life
from syswatch.codec.events import Flag
from syswatch.codec.frames import encode
from syswatch.model.messages import Ended, SaveRecording
from syswatch.recording import manifest
from syswatch.recording.keeping import Keep, Trigger
from syswatch.recording.read.opening import Recording
from syswatch.recording.write import saves as saves_module
from syswatch.recording.write.reasons import AFTER_S

from .flight_case import NO_SPACE, SECOND, START, FlightCase, refuse
from .test_tables import event

_SLOW = Trigger("slower:2s", slower_ns=2 * SECOND)


class SaveTests(FlightCase):
    """What is saved, and when."""

    def test_errno(self) -> None:
        """An error is a reason; what happens shortly after it is saved, too."""
        self.start(Keep(seconds=10, triggers=(NO_SPACE,)))
        for _ in range(20):
            self.second()
        self.recorder.receive_events(event(START + 20 * SECOND, -errno.ENOSPC, Flag.FAILED))
        self.assertEqual((), self.saves)
        self.recorder.receive_events(event(START + 20 * SECOND + 9, result=20))
        self.clock.advance(AFTER_S)
        self.recorder.tick()
        folder = self.saved()
        self.assertEqual(self.results(), self.results(folder))
        self.assertEqual([-errno.ENOSPC, 20], self.results(folder)[-2:])
        self.assertTrue(folder.name.endswith("Z-ENOSPC"), folder)
        about = manifest.read(folder)
        self.assertEqual("getppid of thread 7 failed with ENOSPC", about.saved_reason)
        self.assertIsNotNone(about.ended_ns)
        self.assertEqual(Ended(), self.deltas(folder)[-1])
        for each in (folder, *folder.rglob("*")):
            self.assertEqual(0, each.stat().st_mode & 0o077, each)
        # The recording continues, and the save stays.
        for _ in range(20):
            self.second()
        self.assertEqual([-errno.ENOSPC, 20], self.results(folder)[-2:])
        self.assertNotIn(-errno.ENOSPC, self.results())
        saved, removed = Recording.open(folder).notes
        self.assertIn("getppid of thread 7 failed with ENOSPC", saved)
        self.assertIn("were removed by --keep; the trace began 2023-11-1", removed)

    def test_not_again(self) -> None:
        """While the moment of a save is kept, the same trigger makes no other."""
        self.start(Keep(seconds=10, triggers=(NO_SPACE,)))
        failing = event(START, -errno.ENOSPC, Flag.FAILED)
        for _ in range(40):
            self.second(failing)
        self.assertIn(len(self.saves), (3, 4))

    def test_slow(self) -> None:
        """A slow call is a reason, unless such calls wait for something to happen."""
        self.start(Keep(seconds=10, triggers=(_SLOW,)))
        lasting = {"duration_ns": 2 * SECOND + 1}
        for number in (7, 35, 232):  # poll, nanosleep, epoll_wait
            self.second(event(START, number=number, **lasting))
        self.second(event(START, flags=Flag.MOVED, **lasting))
        self.second()
        self.assertEqual((), self.saves)
        self.second(event(START, number=74, **lasting))
        self.second()
        (save,) = self.saves
        self.assertEqual("fsync of thread 7 took 2 s", save.reason)

    def test_slow_call(self) -> None:
        """A call that is named is a reason, even if it waits; others are not."""
        poll = Trigger("slower:1s:poll", slower_ns=SECOND, call="poll")
        self.start(Keep(seconds=10, triggers=(poll,)))
        self.second(event(START, number=74, duration_ns=2 * SECOND))
        self.second()
        self.assertEqual((), self.saves)
        self.second(event(START, number=7, duration_ns=2 * SECOND))
        self.second()
        self.assertEqual(["poll of thread 7 took 2 s"], [each.reason for each in self.saves])

    def test_exit_status(self) -> None:
        """If the command fails, everything up to the end is saved, with the ending."""
        self.second()
        self.recorder.receive_events(event(START + 5, result=99))
        self.recorder.receive_frame(encode(Ended(3)))
        self.recorder.finish(Ended(3))
        folder = self.saved()
        self.assertEqual([0, 99], self.results(folder))
        self.assertEqual([0, 99], self.results())
        about = manifest.read(folder)
        self.assertEqual((3, "the command exited with 3"), (about.exit_code, about.saved_reason))
        self.assertEqual([Ended(3)], [each for each in self.deltas(folder) if each == Ended(3)])

    def test_success(self) -> None:
        """A command that succeeds is no reason."""
        self.second()
        self.recorder.finish(Ended(0))
        self.assertEqual((), self.saves)

    def test_crash(self) -> None:
        """A process that crashed is a reason; one that was told to end is none."""
        self.recorder.receive_lives([Life(6, START, 5, "a", "", START, None, signal.SIGTERM)])
        self.recorder.receive_lives([Life(7, START, 5, "b", "", START, 1)])
        self.second()
        self.second()
        self.assertEqual((), self.saves)
        self.recorder.receive_lives([Life(8, START, 5, "c", "", START, None, signal.SIGSEGV)])
        self.second()
        self.second()
        self.assertEqual("process 8 (c) was killed by SIGSEGV", self.saves[0].reason)

    def test_requests(self) -> None:
        """Each request is answered by a save; those that come together by the same."""
        for number in (1, 2):
            self.recorder.receive_frame(encode(SaveRecording("SIGUSR1", request=number)))
        self.second()
        self.recorder.receive_frame(encode(SaveRecording("SIGUSR1", request=3)))
        self.second()
        self.assertEqual([2, 3], [each.request for each in self.saves])
        self.assertEqual(2, len({each.place for each in self.saves}))
        self.assertNotIn(SaveRecording, [type(each) for each in self.deltas()])

    def test_most(self) -> None:
        """The oldest save is removed when there are too many."""
        self.start(Keep(seconds=10, most_saves=2))
        for number in range(5):
            self.recorder.receive_frame(encode(SaveRecording("SIGUSR1", request=number + 1)))
            self.second()
        self.assertEqual([4, 5], [each.request for each in self.saves])
        left = sorted(each.name for each in (self.folder / "saves").iterdir())
        self.assertEqual(sorted(Path(each.place).name for each in self.saves), left)

    def test_full_disk(self) -> None:
        """If the disk is full, nothing is left of the save, and recording continues."""
        self.patch(saves_module, "_link", refuse)
        self.recorder.receive_frame(encode(SaveRecording("SIGUSR1", request=1)))
        self.second()
        (save,) = self.saves
        self.assertEqual("No space left on device", save.trouble)
        self.assertEqual([], list((self.folder / "saves").iterdir()))
        self.second()
        self.assertEqual([0, 1], self.results())

    def test_stopped(self) -> None:
        """If nothing can be written any more, what there is gets saved if there was a reason."""
        self.second()
        self.recorder.receive_frame(encode(SaveRecording("SIGUSR1", request=1)))
        self.recorder.stop("Input/output error")
        folder = self.saved()
        self.assertEqual([0], self.results(folder))
        self.assertEqual("", manifest.read(folder).trouble)
        self.assertEqual("Input/output error", manifest.read(self.folder).trouble)

    def test_no_links(self) -> None:
        """Where there are no links, files are copied."""

        def fail(*_: Any) -> None:
            raise OSError(errno.EPERM, "Operation not permitted")

        self.patch(Path, "hardlink_to", fail)
        self.recorder.receive_frame(encode(SaveRecording("SIGUSR1", request=1)))
        self.second()
        folder = self.saved()
        self.assertEqual([0], self.results(folder))
        (file,) = (folder / "calls").iterdir()
        self.assertEqual((1, 0o600), (file.stat().st_nlink, file.stat().st_mode & 0o777))
