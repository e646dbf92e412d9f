"""Tests of a flight recorder on a disk that gets full."""

import errno
from typing import Any

from syswatch.codec.events import Flag
from syswatch.model.messages import Ended
from syswatch.recording import durable, manifest
from syswatch.recording.keeping import Keep
from syswatch.recording.write import reserve as reserve_module
from syswatch.recording.write.saves import Saves

from .flight_case import NO_SPACE, SECOND, START, FlightCase, refuse
from .test_tables import event


class FullDiskTests(FlightCase):
    """A disk that gets full."""

    def setUp(self) -> None:
        """Record for twenty seconds, and keep everything."""
        super().setUp()
        self.patch(reserve_module, "RESERVED_BYTES", 32_768)
        self.start(Keep(seconds=3600, triggers=(NO_SPACE,)))
        for _ in range(20):
            self.second()

    def fill_disk(self) -> None:
        """Leave no room for anything that is larger than what is removed from now on."""
        write_all, size = durable.write_all, self.used

        def write(file: Any, data: Any) -> None:
            if self.used + len(data) > size:
                write_all(file, data[:9])
                raise OSError(errno.ENOSPC, "No space left on device")
            write_all(file, data)

        self.patch(durable, "write_all", write)

    @property
    def used(self) -> int:
        """How much the files have; those with two names once."""
        files = (each.stat() for each in self.folder.rglob("*") if each.is_file())
        return sum({each.st_ino: each.st_size for each in files}.values())

    def test_save(self) -> None:
        """What was reserved is enough for a save, although the disk is full."""
        self.assertTrue((self.folder / ".reserve").exists())
        self.fill_disk()
        self.recorder.receive_events(event(START + 20 * SECOND, -errno.ENOSPC, Flag.FAILED))
        self.recorder.close_segment()
        # There may be no room a second later.
        self.recorder.tick()
        folder = self.saved()
        self.assertEqual([*range(20), -errno.ENOSPC], self.results(folder))
        self.assertFalse((self.folder / ".reserve").exists())

    def test_room(self) -> None:
        """Recording continues with the newest half, and stops if there is still no room."""
        write_all = durable.write_all
        self.fill_disk()
        for _ in range(12):
            self.second()
        kept = self.results()
        self.assertEqual(list(range(kept[0], 32)), kept)
        last = self.deltas()[-1]
        self.assertEqual(START + 31 * SECOND, last.span.last_ns)
        self.assertGreater(kept[0], 0)
        kept_from_ns = self.recorder.state().kept_from_ns
        self.patch(durable, "write_all", refuse)
        with self.assertRaises(OSError):
            self.second()
        self.assertLess(len(self.results()), len(kept))
        self.patch(durable, "write_all", write_all)
        self.recorder.stop("No space left on device")
        self.assertLessEqual(10, len(self.results()))
        about = manifest.read(self.folder)
        self.assertEqual(START, about.traced_since_ns)
        self.assertEqual(self.recorder.state().kept_from_ns, about.begun_ns)
        self.assertGreater(about.begun_ns, kept_from_ns)

    def test_room_for_last_save(self) -> None:
        """Calls that were removed to make room for the last save are in neither directory."""
        make, attempts = Saves.make, iter(range(4))

        def make_later(*arguments: Any) -> None:
            if next(attempts, None) is not None:
                refuse()
            make(*arguments)

        self.patch(Saves, "make", make_later)
        self.recorder.receive_events(event(START + 20 * SECOND, -errno.ENOSPC, Flag.FAILED))
        self.recorder.finish(Ended(0))
        for folder in (self.folder, self.saved()):
            self.assertEqual([*range(4, 20), -errno.ENOSPC], self.results(folder))
            about = manifest.read(folder)
            self.assertEqual(START, about.traced_since_ns)
            self.assertEqual(self.recorder.state().kept_from_ns, about.begun_ns)

    def test_end(self) -> None:
        """At the end, what was reserved is free again."""
        self.recorder.finish(Ended(0))
        self.assertFalse((self.folder / ".reserve").exists())

    def test_little_free(self) -> None:
        """If little is free, nothing is reserved: others need it."""
        self.patch(reserve_module, "_LEAST_FREE", 1 << 60)
        self.start(Keep(seconds=10))
        self.assertFalse((self.folder / ".reserve").exists())
