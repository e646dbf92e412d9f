"""Tests of reading the sums of recordings of every call."""

import os
from pathlib import Path

from twisted.trial.unittest import SynchronousTestCase

from syswatch.codec.recording import DELTAS
from syswatch.model.messages import Ended, Failed
from tests.reading import read_logs, total
from tests.recording import samples
from tests.recording.samples import SOME


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
        """Calls are selected by name, but not by what sums do not tell."""
        folder = samples.write(Path(self.mktemp()))
        self.assertEqual(["openat"], list(total(read_logs([folder], trace="openat")).calls))
        end = read_logs([folder], status="failed")[-1]
        assert isinstance(end, Failed)
        self.assertIn("cannot be applied to a recording", end.message)
        self.assertEqual(2, end.exit_status)

    def test_cut_short(self) -> None:
        """A recording without an end is read as far as it goes."""
        folder = samples.write(Path(self.mktemp()), end=None)
        messages = read_logs([folder])
        self.assertEqual(samples.delta_of(SOME).calls, total(messages).calls)
        self.assertEqual(
            Failed(f"{folder}: the recording is cut short: the end of the trace is missing"),
            messages[-1],
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
