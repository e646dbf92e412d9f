"""Tests of filters and redaction of recordings."""

from pathlib import Path
from typing import Any

from syswatch.codec.frames import Message, encode
from syswatch.codec.recording import MAGIC
from syswatch.model.activity import Sums
from syswatch.model.calls import CallTally
from syswatch.model.delta import Delta
from syswatch.model.evidence import EvidenceKey, EvidenceTally
from syswatch.model.groups import GroupInfo, GroupKey
from syswatch.model.histogram import Histogram
from syswatch.model.messages import Ended, Failed, Started
from syswatch.model.objects import kind_of_other
from tests.reading import by_call, read_logs, total, without_objects

from .filtering import FilterCase


class RecordingTests(FilterCase):
    """Filters of recordings, which contain sums."""

    def recorded(self, *, end: Message | None = None, **options: Any) -> bytes:
        """Return the recording of the log."""
        *before, last = self.read(**options)
        return MAGIC + b"".join(map(encode, [*before, end or last]))

    def test_names(self) -> None:
        """With per-process tables, the result is that of the log."""
        recording = self.recorded(per_process=True)
        for trace in ("openat", "%desc", "none", "!read"):
            expected = total(self.read(trace=trace, per_process=True))
            actual = total(self.read(recording, trace=trace, per_process=True))

            self.assertEqual(by_call(expected), by_call(actual))
            self.assertEqual({}, actual.threads)
            for what in ("calls", "by_process", "paths", "failures", "log", "window"):
                self.assertEqual(getattr(expected, what), getattr(actual, what), (trace, what))
            self.assertEqual(expected.processes, actual.processes)

    def test_without_tables(self) -> None:
        """Without per-process tables, processes are left out and counted in the ledger."""
        whole = total(self.read(self.recorded(), trace="openat"))

        self.assertEqual({"openat": 2}, {name: each.count for name, each in whole.calls.items()})
        self.assertEqual(({}, 2), (whole.processes, whole.ledger.untracked_processes))

    def test_masked(self) -> None:
        """Text is masked as in a log."""
        recording = self.recorded()
        hidden: list[dict[str, Any]] = [
            {"redact": ("secret-[a-z]+",)},
            {"read_arguments": False},
        ]
        for options in hidden:
            expected = total(self.read(**options))
            actual = total(self.read(recording, **options))
            self.assertEqual(without_objects(expected), without_objects(actual))
            self.assertNotIn(b"secret-", encode(actual))
            self.assertEqual(by_call(expected), by_call(actual))
        # Without names, all objects of a kind are one.
        self.assertTrue(all(kind_of_other(key.object) for key in actual.activity))
        self.assertNotIn(b"secret-", encode(self.read(recording, redact=("secret-[a-z]+",))[0]))

    def test_evidence(self) -> None:
        """What was counted with --profile is passed on; it can't be counted afterwards."""
        keys = [EvidenceKey("read", program=f"secret-{each}") for each in ("a", "b")]
        evidence = {key: EvidenceTally(1, 5) for key in (*keys, EvidenceKey("write"))}
        messages: list[Message] = [Started("ptrace"), Delta(evidence=evidence), Ended()]
        recording = MAGIC + b"".join(map(encode, messages))

        self.assertEqual(evidence, dict(total(self.read(recording)).evidence))
        chosen = total(self.read(recording, trace="read", redact=("secret-[a-z]",)))
        self.assertEqual([2], [tally.count for tally in chosen.evidence.values()])
        self.assertNotIn(b"secret-", encode(chosen))

    def test_inapplicable_options(self) -> None:
        """Filters that cannot be applied to sums are a usage error."""
        recording = self.recorded()
        refused: list[dict[str, Any]] = [
            {"status": "failed"},
            {"paths": ("/a",)},
            {"per_process": True},
            {"profile": True},
        ]
        for options in refused:
            last = self.read(recording, **options)[-1]

            assert isinstance(last, Failed)
            self.assertEqual(2, last.exit_status, last)

    def test_groups(self) -> None:
        """Groups have only the selected calls, also of 32-bit programs; labels are masked."""
        calls = {"write": CallTally(1), "write@i386": CallTally(2), "read": CallTally(4)}
        delta = Delta(
            calls=calls,
            groups={GroupKey("g", name): Sums(tally.count) for name, tally in calls.items()},
            group_times={"g": Histogram.of([100] * 7)},
            group_infos={"g": GroupInfo(name="g", labels={"a": "secret-x"}, lives=1)},
        )
        messages: list[Message] = [Started("ebpf"), delta, Ended()]
        recording = MAGIC + b"".join(map(encode, messages))
        found = total(self.read(recording, trace="write", redact=("secret-[a-z]",)))
        self.assertEqual({"write", "write@i386"}, set(found.calls))
        self.assertEqual({"write", "write@i386"}, {key.call for key in found.groups})
        self.assertEqual({}, found.group_times)
        self.assertEqual({"a": "[redacted]"}, found.group_infos["g"].labels)

    def test_ending(self) -> None:
        """The exit status of the recorded command is kept, unless recordings differ in it."""
        three, nine = (self.recorded(end=end) for end in (Ended(3), Ended(exit_signal=9)))
        files = [Path(self.mktemp()) for _ in range(2)]
        for file, content in zip(files, (three, nine), strict=True):
            file.write_bytes(content)

        self.assertEqual(Ended(3), self.read(three)[-1])
        self.assertEqual(Ended(exit_signal=9), self.read(nine)[-1])
        self.assertEqual(Ended(3), read_logs([files[0], files[0]])[-1])
        self.assertEqual(Ended(), read_logs(files)[-1])

    def test_no_call(self) -> None:
        """A recording without any selected call is not an error."""
        empty = MAGIC + encode(Started("ptrace", only="-e none")) + encode(Ended(0))
        self.assertEqual(Ended(0), self.read(empty)[-1])

    def test_without_objects(self) -> None:
        """Nothing is made up for a recording that has no objects."""
        old = self.read(objects=False)
        recording = MAGIC + b"".join(map(encode, old))
        actual = total(self.read(recording))

        self.assertEqual(total(old), actual)
        self.assertEqual(({}, {}, {}), (actual.activity, actual.objects, actual.threads))

    def test_old_backlog(self) -> None:
        """The recorded backlog is dropped."""
        recording = MAGIC + encode(Started("ptrace")) + encode(Delta(backlog=7)) + encode(Ended(0))
        self.assertEqual(0, total(self.read(recording)).backlog)
