"""Tests that objects that are not used any more make room for others, without a wrong credit."""

import subprocess
from collections.abc import Iterable
from pathlib import Path

from syswatch.model.delta import Delta
from syswatch.model.objects import ObjectKind, object_id
from syswatch.tracer.ebpf import reuse
from syswatch.tracer.ebpf.trace import Trace

from .activities import sums_by
from .case import EbpfCase

_WRITES = 'while read path; do echo text >"$path"; echo written; done'


class ReuseTests(EbpfCase):
    """More objects than there is room for."""

    def begin(self) -> Trace:
        """Trace a shell that writes the files whose paths it reads."""
        self.shell = subprocess.Popen(
            ["sh", "-c", _WRITES], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        self.addCleanup(self.shell.communicate)
        self.addCleanup(self.shell.kill)
        self.folder = Path(self.mktemp()).absolute()
        self.folder.mkdir()
        trace = self.prepare()
        self.addCleanup(trace.reader.close)
        trace.following.take(self.shell.pid, 0)
        trace.following.begin()
        self.write(["first"])
        trace.reader.read(everything=True)
        return trace

    def write(self, names: Iterable[str]) -> None:
        """Let the shell write some files."""
        assert self.shell.stdin is not None
        assert self.shell.stdout is not None
        for name in names:
            self.shell.stdin.write(f"{self.folder}/{name}\n")
            self.shell.stdin.flush()
            self.assertEqual("written\n", self.shell.stdout.readline())

    def writes(self, delta: Delta) -> dict[str, int]:
        """Return how often each file was written; each call is in one row."""
        for name, tally in delta.calls.items():
            rows = [sums for key, sums in delta.activity.items() if key.call == name]
            self.assertEqual(tally.count, sum(sums.count for sums in rows), name)
        return {
            Path(name).name: sums.count
            for name, sums in sums_by(delta, "write").items()
            if name.startswith(str(self.folder))
        }

    def test_room(self) -> None:
        """Objects that were not used for two readings make room; a file keeps its ID."""
        self.patch(reuse, "_MOST_OBJECTS", 20)
        trace = self.begin()
        everything: dict[str, int] = {}
        for turn in range(6):
            names = [f"{turn}-{number}" for number in range(20)]
            self.write([*names, "kept"])
            found = self.writes(trace.reader.read(everything=True))
            everything |= {name: everything.get(name, 0) + found[name] for name in found}
            self.assertEqual({*names, "kept"}, found.keys())
            self.assertEqual({1}, set(found.values()))
            for _ in range(2):
                trace.reader.read(everything=True)
        # The first ones left; without that, these were 120 files and more.
        self.assertLess(trace.program.totals.unused_objects, 32 + 80)
        self.assertEqual(0, trace.program.totals.crowded_objects)
        self.assertEqual(121, len(everything))

        self.write(["0-0"])
        delta = trace.reader.read(everything=True)
        number = object_id(ObjectKind.FILE, f"{self.folder}/0-0")
        self.assertEqual({"0-0": 1}, self.writes(delta))
        self.assertIn(number, {key.object for key in delta.activity})
        self.assertIn(number, delta.objects)

    def test_one_record(self) -> None:
        """A file that is opened takes one record, not another one for its path."""
        trace = self.begin()
        before = trace.program.totals.unused_objects
        self.write(f"new-{number}" for number in range(30))
        self.assertEqual(before + 30, trace.program.totals.unused_objects)

    def test_in_use(self) -> None:
        """What is used in every reading is described only until there are too many objects."""
        self.patch(reuse, "_MOST_OBJECTS", 1000)
        trace = self.begin()
        self.write(["kept"])
        first = trace.reader.read(everything=True)
        self.write(["kept"])
        second = trace.reader.read(everything=True)

        number = object_id(ObjectKind.FILE, f"{self.folder}/kept")
        self.assertIn(number, first.objects)
        self.assertNotIn(number, second.objects)

    def test_rows(self) -> None:
        """Rows of living threads make room as well."""
        self.patch(reuse, "_MOST_ROWS", 20)
        trace = self.begin()
        for turn in range(6):
            names = [f"{turn}-{number}" for number in range(10)]
            self.write(names)
            self.assertEqual(
                dict.fromkeys(names, 1), self.writes(trace.reader.read(everything=True))
            )
            for _ in range(2):
                self.assertEqual({}, self.writes(trace.reader.read(everything=True)))
        # Each file needs three or more.
        self.assertLess(trace.program.totals.unused_activities, 180)
