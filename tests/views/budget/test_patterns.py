"""Tests of the patterns of `--idle` and `--blocked`."""

from twisted.trial.unittest import SynchronousTestCase

from syswatch.model.objects import ObjectInfo, ObjectKind
from syswatch.model.preferences import Preferences, WaitPattern
from syswatch.views.budget.budget import budget
from syswatch.views.budget.patterns import PatternError, wait_patterns
from syswatch.views.budget.states import TimeState

from .worlds import DATABASE, LISTENER, WAL, Did, S, Thread, delta_of, snapshot_of

_ABSTRACT = ObjectInfo(ObjectKind.UNIX, "@/tmp/.X11-unix/X0")


def _one(text: str) -> WaitPattern:
    [pattern] = wait_patterns("--idle", text, is_idle=True)
    return pattern


class PatternTests(SynchronousTestCase):
    """What patterns mean."""

    def test_matches(self) -> None:
        """A pattern is a call, a kind, an object, or a call and one of the latter."""
        for text, call, info, expected in (
            ("read", "read", WAL, True),
            ("read", "read@i386", WAL, True),
            ("read", "readv", WAL, False),
            ("tcp", "read", DATABASE, True),
            ("tcp", "read", WAL, False),
            ("10.0.0.*", "read", DATABASE, True),
            ("/var/*", "fsync", WAL, True),
            ("/var", "fsync", WAL, False),
            ("fsync@/var/*", "fsync", WAL, True),
            ("fsync@/var/*", "read", WAL, False),
            ("read@tcp", "read", DATABASE, True),
            ("read@tcp", "read", WAL, False),
            ("@/tmp/.X11*", "poll", _ABSTRACT, True),
            # A kind and a call: the kind has both.
            ("futex", "futex_wait", ObjectInfo(ObjectKind.FUTEX, "0x1 in [heap]"), True),
        ):
            self.assertEqual(expected, _one(text).matches(call, info), (text, call))

    def test_list(self) -> None:
        """Commas separate patterns; each one keeps its text for the reason."""
        found = wait_patterns("--idle", "read, tcp,", is_idle=True)

        self.assertEqual(["--idle read", "--idle tcp"], [each.text for each in found])

    def test_invalid(self) -> None:
        """A word that is neither a call nor a kind is refused, with what exists."""
        for text, part in (
            ("fsycn", "unknown call or kind of object 'fsycn'; did you mean 'fsync'?"),
            ("qqq", "(the kinds are path, file, directory,"),
            ("opne@/etc/*", "unknown system call 'opne'; did you mean 'open'?"),
            ("read@", "the object is missing in 'read@'"),
            ("read@filee", "unknown call or kind of object 'filee'"),
            (" , ", "the pattern is empty"),
            ("", "the pattern is empty"),
        ):
            with self.assertRaises(PatternError) as caught:
                wait_patterns("--idle", text, is_idle=True)
            self.assertIn(part, str(caught.exception))


class OverrideTests(SynchronousTestCase):
    """Patterns decide before all rules."""

    def test_override(self) -> None:
        """What is declared idle is idle, and the reverse, with the option as the reason."""
        thread = Thread([Did("read", DATABASE, waiting=S), Did("accept", LISTENER, waiting=2 * S)])
        waits = (
            *wait_patterns("--blocked", "accept", is_idle=False),
            *wait_patterns("--idle", "tcp", is_idle=True),
        )

        usual = budget(snapshot_of(delta_of(thread)))
        declared = budget(snapshot_of(delta_of(thread), preferences=Preferences(waits=waits)))

        self.assertEqual(2 * S, usual.in_state(TimeState.IDLE))
        self.assertEqual(S, declared.in_state(TimeState.IDLE))
        self.assertEqual(2 * S, declared.in_state(TimeState.BLOCKED))
