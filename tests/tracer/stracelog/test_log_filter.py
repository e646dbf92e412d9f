"""Tests of filters and redaction of logs."""

import attrs
from hypothesis import given
from hypothesis import strategies as st
from twisted.trial.unittest import SynchronousTestCase

from syswatch.codec.frames import encode
from syswatch.model.delta import Delta
from syswatch.model.messages import FilterOptions, Started
from syswatch.model.objects import ObjectKind
from syswatch.tracer.stracelog.arguments import paths, split, with_short_strings
from syswatch.tracer.stracelog.log_filter import LogFilter
from tests import tracelines
from tests.reading import condense, total, without_user_time
from tests.tracer.inputs.filtering import LOG, FilterCase


def _without_kinds(delta: Delta) -> Delta:
    """Leave out what only calls tell that the filter excludes: that a path is a file."""
    objects = {
        number: attrs.evolve(info, kind=ObjectKind.PATH)
        if info.kind.namespace == ObjectKind.PATH.namespace
        else info
        for number, info in delta.objects.items()
    }
    return attrs.evolve(without_user_time(delta), objects=objects)


class LogTests(FilterCase):
    """Filters of logs."""

    def test_names(self) -> None:
        """Names and classes select what is counted, logged and opened."""
        whole = total(self.read(trace="openat", per_process=True))

        self.assertEqual({"openat"}, set(whole.calls))
        self.assertEqual(["openat", "openat"], [entry.name for entry in whole.log])
        self.assertEqual({"/etc/passwd": 1, "/none": 1}, whole.paths)
        self.assertEqual({1: 1, 2: 1}, {pid: t.count for pid, t in whole.processes.items()})
        self.assertEqual({"read": 1, "write": 1}, self.names(trace="%desc,!openat,!close"))
        self.assertEqual({}, total(self.read(trace="read")).paths)

    def test_all_lines_are_accounted_for(self) -> None:
        """Calls that are left out still count as read."""
        self.assertEqual(total(self.read()).reading, total(self.read(trace="read")).reading)

    def test_status(self) -> None:
        """--status selects failed or successful calls; one without result is neither."""
        self.assertEqual({"openat": 1, "close": 1}, self.names(status="failed"))
        self.assertEqual(
            {"execve": 1, "openat": 1, "read": 1, "write": 1}, self.names(status="successful")
        )
        log = total(self.read(status="successful")).log
        self.assertNotIn("exit_group", [entry.name for entry in log])

    def test_paths(self) -> None:
        """-P selects calls by path arguments and descriptors, not by data."""
        self.assertEqual({"openat": 1, "read": 1}, self.names(paths=("/etc/passwd",)))
        self.assertEqual({}, self.names(paths=("/etc/passw",)))

    def test_redacted(self) -> None:
        """Matches are masked in arguments, paths, the process and unparsed lines."""
        content = LOG + b"an odd secret-token\n"
        messages = self.read(content, redact=("secret-[a-z]+", "passwd"), string_limit=12)

        for message in messages:
            self.assertNotIn(b"secret-", encode(message))
            self.assertNotIn(b"passwd", encode(message))
        self.assertIn("[redacted]", str(messages))

    def test_redacted_before_it_is_cut(self) -> None:
        """A secret that crosses the string limit is masked as a whole."""
        (entry,) = total(self.read(redact=("root:secret-token",), trace="read", string_limit=8)).log
        self.assertNotIn("root", entry.args)

    def test_string_limit(self) -> None:
        """Long strings are cut, paths are not."""
        log = total(self.read(string_limit=3)).log

        shown = {entry.name: entry.args for entry in log}
        self.assertEqual('3</etc/passwd>, "roo"..., 4096', shown["read"])
        self.assertIn('"/none"', shown["openat"])
        self.assertTrue(shown["execve"].startswith('"/bin/cat", ["cat", "sec"...], '))

    def test_no_arguments(self) -> None:
        """With --no-args, no arguments are shown and no paths are counted."""
        whole = total(self.read(read_arguments=False))

        self.assertEqual({""}, {entry.args for entry in whole.log})
        self.assertEqual({""}, {each.args for every in whole.failures.values() for each in every})
        self.assertEqual({}, whole.paths)

    def test_only(self) -> None:
        """The start message names the filters."""
        started = self.read(trace="openat", status="failed")[0]

        assert isinstance(started, Started)
        self.assertEqual("-e openat --status failed", started.only)

    @given(tracelines.split_logs(), st.sampled_from(["%desc", "!read,poll", "none"]))
    def test_fast_is_exact(self, log: bytes, trace: str) -> None:
        """Counting rows leaves out the same calls as parsing each line."""
        for status in ("", "failed", "successful"):
            view = LogFilter(FilterOptions(trace=trace, status=status, string_limit=2))
            exact, fast = (condense(log, filter=view, exactly=exactly) for exactly in (True, False))
            self.assertEqual(_without_kinds(exact), _without_kinds(fast))


class ArgumentsTests(SynchronousTestCase):
    """Splitting of arguments."""

    @given(tracelines.arguments_lists)
    def test_split(self, args: bytes) -> None:
        """Joined with commas, the arguments give the text again."""
        self.assertEqual(args, b",".join(split(args)))

    def test_nested(self) -> None:
        """Commas in strings, structures and decorations do not separate arguments."""
        args = b'3</a,b>, {x="a,b", y=[1, 2]}, ","'
        self.assertEqual([b"3</a,b>", b' {x="a,b", y=[1, 2]}', b' ","'], list(split(args)))

    def test_paths(self) -> None:
        """Escapes are decoded; a path that was cut is unknown."""
        self.assertEqual(['/a"b'], list(paths("open", b'"/a\\"b", O_RDONLY')))
        self.assertEqual([""], list(paths("open", b'"/a"..., O_RDONLY')))
        self.assertEqual([], list(paths("nonsense", b'"/a"')))

    def test_short_strings(self) -> None:
        """The limit counts bytes, not the characters of their escapes."""
        for args, expected in {
            b'1, "abc", 3': b'1, "ab"..., 3',
            b'1, "ab"..., 3': b'1, "ab"..., 3',
            b'1, "\\1\\2\\3", 3': b'1, "\\1\\2"..., 3',
            b'1, "\\n\\x41", 2': b'1, "\\n\\x41", 2',
        }.items():
            self.assertEqual(expected, with_short_strings("write", args, 2))
        self.assertEqual(b'1, ""..., 3', with_short_strings("write", b'1, "abc", 3', 0))
