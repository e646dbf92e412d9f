"""Tests of reading the sums of recordings of every call."""

import os
from pathlib import Path

from twisted.trial.unittest import SynchronousTestCase

from syswatch.codec.recording import DELTAS
from syswatch.machine.folder_locks import FolderLock
from syswatch.model.messages import Ended, Failed
from syswatch.recording import manifest
from tests.reading import read_logs, total
from tests.recording import samples
from tests.recording.samples import SOME, Call

_CUT_SHORT = "the recording is cut short: the end of the trace is missing"
_MORE_CALLS = "calls recorded after the last delta are counted by 'syswatch query' only"


class DirectoryTests(SynchronousTestCase):
    """Directories as inputs."""

    def test_sums(self) -> None:
        """The sums are those of the tracer, with the ending."""
        folder = samples.write(Path(self.mktemp()), end=Ended(3))
        messages = read_logs([folder])
        self.assertEqual(samples.delta_of(SOME).calls, total(messages).calls)
        self.assertEqual(Ended(3), messages[-1])

    def test_together(self) -> None:
        """Recordings of both kinds are added up; the file with the sums is one of the former."""
        folder = samples.write(Path(self.mktemp()))
        both = total(read_logs([folder, folder / DELTAS]))
        self.assertEqual(
            {name: 2 * tally.count for name, tally in samples.delta_of(SOME).calls.items()},
            {name: tally.count for name, tally in both.calls.items()},
        )

    def test_selected(self) -> None:
        """Calls are selected by name, and by what sums do not tell: result and path."""
        link = Call(2_500_000_000, name="link", args='"/etc/hosts", "/nowhere"')
        named = Call(2_500_001_000, name="execve", args='"/bin/cat", ["cat", "/nowhere"]')
        missing = Call(2_500_002_000, name="unlink", errno="ENOENT", args='"/nowhere"')
        folder = samples.write(Path(self.mktemp()), (*SOME, link, named, missing))
        hosts = {"openat": 1, "read": 1, "sendfile": 1, "link": 1}
        every = {"openat": 2, "recvfrom": 1, "write": 1, "getpid": 1, "execve": 1}
        for options, expected in (
            ({"trace": "openat"}, {"openat": 2}),
            ({"status": "failed"}, {"openat": 1, "unlink": 1}),
            ({"status": "successful"}, {**hosts, **every, "openat": 1}),
            ({"paths": ("/etc/hosts",)}, hosts),
            ({"paths": ("/nowhere",)}, {"link": 1, "unlink": 1}),
            ({"paths": ("/etc/hosts", "/nowhere"), "trace": "link"}, {"link": 1}),
            ({"paths": ("/nowhere",), "status": "failed"}, {"unlink": 1}),
            ({"paths": ("/elsewhere",)}, {}),
        ):
            messages = read_logs([folder], **options)
            found = {name: tally.count for name, tally in total(messages).calls.items()}
            self.assertEqual(expected, found, options)
            self.assertEqual(Ended(0), messages[-1])

    def test_selected_tables(self) -> None:
        """Processes, objects and paths are those of the selected calls."""
        folder = samples.write(Path(self.mktemp()))
        failed = total(read_logs([folder], status="failed"))
        self.assertEqual(({"/nowhere": 1}, {"/nowhere": 1}), (failed.paths, failed.failed_paths))
        counts = {pid: tally.count for pid, tally in failed.processes.items() if tally.count}
        self.assertEqual(({7: 1}, {}, {}), (counts, failed.by_process, failed.threads))
        opened = total(read_logs([folder], status="successful", per_process=True))
        self.assertEqual(({"/etc/hosts": 1}, {}), (opened.paths, opened.failed_paths))
        self.assertEqual({7, 9}, opened.by_process.keys())
        self.assertEqual(total(read_logs([folder])).span, opened.span)

    def test_selected_of_damaged(self) -> None:
        """If the calls cannot be read, a sentence says why."""
        folder = samples.write(Path(self.mktemp()))
        (folder / manifest.NAME).write_text("{}")
        end = read_logs([folder], status="failed")[-1]
        self.assertEqual(Failed(f"{folder}: it is not a recording of syswatch"), end)

    def test_cut_short(self) -> None:
        """A recording without an end is read as far as it goes."""
        folder = samples.write(Path(self.mktemp()), end=None)
        messages = read_logs([folder])
        self.assertEqual(samples.delta_of(SOME).calls, total(messages).calls)
        self.assertEqual(Failed(f"{folder}: {_CUT_SHORT}; {_MORE_CALLS}"), messages[-1])

    def test_being_made(self) -> None:
        """A recording that a recorder has locked ends with what there is."""
        folder = samples.write(Path(self.mktemp()), end=None)
        lock = FolderLock(folder)
        lock.hold()
        self.addCleanup(lock.release)
        messages = read_logs([folder])
        self.assertEqual(samples.delta_of(SOME).calls, total(messages).calls)
        self.assertEqual(Ended(), messages[-1])

    def test_selected_of_cut_short(self) -> None:
        """The sums of selected calls are made of all calls, so none is said to be missing."""
        folder = samples.write(Path(self.mktemp()), end=None)
        self.assertEqual(
            Failed(f"{folder}: {_CUT_SHORT}"), read_logs([folder], status="failed")[-1]
        )

    def test_hostile(self) -> None:
        """Neither a link nor a pipe is followed, and damage is one sentence."""
        folder = samples.write(Path(self.mktemp()))
        deltas = folder / DELTAS
        content = deltas.read_bytes()
        for make, sentence in (
            (lambda: deltas.symlink_to("/etc/passwd"), "its file deltas: Too many levels"),
            (lambda: os.mkfifo(deltas), "its file deltas is not a regular file"),
            (lambda: None, "Is a directory"),
            (lambda: deltas.write_bytes(b"x" * 99), "its first line is missing"),
            (lambda: deltas.write_bytes(content[:40] + b"x" * 99), "the recording is damaged"),
        ):
            deltas.unlink(missing_ok=True)
            make()
            end = read_logs([folder])[-1]
            assert isinstance(end, Failed)
            self.assertIn(sentence, end.message)
