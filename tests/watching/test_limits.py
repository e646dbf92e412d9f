"""Tests of limits, and of what is seen in general."""

from pathlib import Path

from twisted.trial.unittest import SynchronousTestCase

from syswatch.model.activity import ActivityKey, Sums
from syswatch.model.calls import CallTally
from syswatch.model.delta import Delta
from syswatch.model.ledger import Ledger
from syswatch.model.objects import ObjectInfo, ObjectKind
from syswatch.watching import Seen, WatchError
from syswatch.watching.limits import Limits

_FILE = ObjectInfo(ObjectKind.FILE, "/etc/hosts")
_GONE = ObjectInfo(ObjectKind.PATH, "/etc/gone")
_PEER = ObjectInfo(ObjectKind.TCP, "10.0.0.1:443")
_LISTENING = ObjectInfo(ObjectKind.TCP, "listening on 0.0.0.0:80")
_PROGRAM = ObjectInfo(ObjectKind.PATH, "/usr/bin/curl")
_ROWS = (
    (_FILE, "openat", Sums(count=3)),
    (_GONE, "openat", Sums(count=1, errors=1)),
    (_FILE, "read", Sums(count=3, bytes_in=700)),
    (_PEER, "connect", Sums(count=1)),
    (_PEER, "sendto", Sums(count=2, bytes_out=50)),
    (_LISTENING, "listen", Sums(count=1)),
    (_PROGRAM, "execve", Sums(count=2, errors=1)),
)


def seen(**lost: int) -> Seen:
    """Return a block that has ended."""
    found = Seen()
    calls: dict[str, CallTally] = {}
    for _, call, sums in _ROWS:
        errnos = {"ENOENT": sums.errors} if sums.errors else {}
        tally = CallTally(count=sums.count, errors=sums.errors, errnos=errnos)
        calls[call] = calls[call] + tally if call in calls else tally
    delta = Delta(
        calls=calls,
        activity={ActivityKey(7, 7, info.id, call): sums for info, call, sums in _ROWS},
        objects={info.id: info for info, *_ in _ROWS},
        ledger=Ledger(**lost),
    )
    found.finish(delta, "ebpf")
    return found


class SeenTests(SynchronousTestCase):
    """What was seen, by kind."""

    def test_kinds(self) -> None:
        """Calls, errors, paths, peers, programs and bytes."""
        block = seen()
        self.assertEqual(4, block.calls["openat"])
        self.assertEqual(4, block.calls["%net"])
        self.assertEqual(0, block.calls["bind"])
        self.assertEqual((13, 13), (block.calls["all"], block.calls.total))
        self.assertEqual({"ENOENT": 2}, block.errors)
        self.assertEqual(0, block.errors["EPERM"])
        self.assertEqual({"openat": {"ENOENT": 1}, "execve": {"ENOENT": 1}}, block.failures)
        self.assertEqual({"/etc/hosts": 3, "/etc/gone": 1}, block.paths)
        self.assertEqual({"/etc/gone": 1}, block.failed_paths)
        self.assertEqual(["10.0.0.1:443"], list(block.peers))
        self.assertEqual(50, block.peers["10.0.0.1:443"].bytes_out)
        self.assertEqual({"/usr/bin/curl": 1}, block.programs)
        self.assertEqual((700, 50), (block.bytes_in, block.bytes_out))
        self.assertTrue(block.is_exact)

    def test_losses(self) -> None:
        """What could not be counted makes the numbers inexact."""
        block = seen(lost_events=1, unfollowed_processes=2, sampled_entries=9)
        self.assertFalse(block.is_exact)
        self.assertEqual(
            ("1 system call that could not be counted", "2 processes that could not be followed"),
            block.doubts,
        )

    def test_unfinished(self) -> None:
        """Nothing is known before the end."""
        self.assertRaises(WatchError, getattr, Seen(), "is_exact")
        self.assertRaises(WatchError, getattr, Seen(), "calls")


class LimitsTests(SynchronousTestCase):
    """What exceeds limits."""

    def test_within(self) -> None:
        """Exactly as many calls as allowed are within the limits."""
        limits = Limits(
            max={"openat": 4, "%net": 4, "all": 13},
            forbid=["bind", "/^get"],
            forbid_paths=["/home/*"],
            forbid_peers=["10.0.0.1:80"],
            forbid_programs="/bin/*",
        )
        self.assertEqual((), limits.exceeded(seen()))

    def test_exceeded(self) -> None:
        """Each limit that is exceeded has a sentence, and what contributed most."""
        limits = Limits(
            max={"openat": 3},
            forbid=["%net", "bind"],
            forbid_paths="/etc/*",
            forbid_peers=["10.*"],
            forbid_programs=["/*/*/curl"],
        )
        told = {line.partition("\n")[0] for line in limits.exceeded(seen())}
        self.assertEqual(
            {
                "4 calls of openat, 1 more than the 3 allowed",
                "call sendto and 2 others were used, which is forbidden (%net)",
                "path /etc/hosts and 1 other were used, which is forbidden (/etc/*)",
                "peer 10.0.0.1:443 was used, which is forbidden (10.*)",
                "program /usr/bin/curl was used, which is forbidden (/*/*/curl)",
            },
            told,
        )

    def test_figures(self) -> None:
        """Errors, bytes and time have the units and keys of budgets; a single limit is for all."""
        for limits, expected in {
            ("max", 12): "13 calls, 1 more than the 12 allowed",
            ("max_errors", 1): "2 failed calls, 1 more than the 1 allowed",
            ("max_errors", ("openat.ENOENT", 0)): "1 ENOENT error of openat, where none is allowed",
            ("max_bytes_in", "699 B"): "700 B read, 1 B more than the 699 B allowed",
            ("max_bytes_out", ("sendto", 9)): "50 B written by sendto, 41 B more than the 9 B",
        }.items():
            name, value = limits
            most = dict([value]) if isinstance(value, tuple) else value
            told = seen().exceeded(**{name: most})
            self.assertEqual(
                [expected], [text.partition("\n")[0][: len(expected)] for text in told]
            )
        by_key = {"openat": 3, "openat.ENOENT": 0, "execve": {"max": 0, "tolerance": 1}}
        (one,) = seen().exceeded(max_errors=by_key)
        self.assertIn("1 ENOENT error of openat, where none", one)

    def test_tolerance(self) -> None:
        """What is tolerated beyond a limit, and what is excepted from a ban."""
        self.assertEqual((), seen().exceeded(max=12, tolerance="10 %"))
        self.assertEqual((), seen().exceeded(forbid="%net", allow=["connect", "sendto", "listen"]))
        self.assertEqual((), seen().exceeded(forbid_peers=["*"], allow_peers=["10.0.0.0/8"]))
        (told,) = seen().exceeded(forbid_paths=[Path("/etc/*")], allow_paths="/etc/hosts")
        self.assertIn("path /etc/gone was used", told)

    def test_unknown_time(self) -> None:
        """Without times, a limit of the time waiting cannot be kept."""
        (told,) = seen().exceeded(max_waiting={"read": "1 ms"})
        self.assertIn("this source does not tell how long calls waited", told)

    def test_contributions(self) -> None:
        """What contributed most follows, with the processes."""
        (told,) = Limits(max={"openat": 3}).exceeded(seen())
        self.assertIn("  paths: /etc/hosts: 3, /etc/gone: 1\n", told)
        self.assertIn("  processes: process 7: 4", told)

    def test_inexact(self) -> None:
        """What is missing could exceed any limit."""
        limits = Limits(max={"openat": 4})
        (sentence,) = limits.exceeded(seen(lost_events=2))
        self.assertIn("but it may be more: 2 system calls that could not be counted", sentence)
        self.assertEqual((), Limits().exceeded(seen(lost_events=2)))

    def test_unknown(self) -> None:
        """A limit that can never be exceeded is an error, which names the argument."""
        for limits, expected in (
            ({"max": {"opneat": 1}}, "max.opneat: unknown system call 'opneat'; did you mean op"),
            ({"forbid": ["opneat"]}, "forbid: 'opneat': unknown system call 'opneat'; did you"),
            ({"max_errors": {"ENOENTT": 1}}, "max_errors.ENOENTT: unknown error 'ENOENTT'; did"),
            ({"max_waiting": {"read": 3}}, "max_waiting.read: invalid value 3 (expected a dur"),
            ({"max": {"read": {"most": 1}}}, "unknown key 'most' in max.read"),
            ({"allow_peers": "10.0.0.1"}, "allow_peers has no effect without forbid_peers"),
            ({"tolerance": "5 %"}, "the budget is empty"),
        ):
            error = self.assertRaises(WatchError, seen().exceeded, **limits)
            self.assertIn(expected, str(error))


class BaselineTests(SynchronousTestCase):
    """Baselines as files."""

    def test_file(self) -> None:
        """A baseline is readable, and nothing changed since it was written."""
        file = Path(self.mktemp())
        seen().write_baseline(file, "a test")
        text = file.read_text("utf-8")
        self.assertTrue(text.startswith("# System calls of a test; pytest --syscalls-update"))
        self.assertIn("[calls]\nconnect = 1\nexecve = 2\nlisten = 1\nopenat = 4\n", text)
        self.assertIn('"/usr/bin/curl" = 1\n', text)
        self.assertFalse(seen().diff(file).has_changed)
        self.assertFalse(seen().diff(seen()).has_changed)

    def test_change(self) -> None:
        """Each count that differs is a change, and bytes and times are not compared."""
        file = Path(self.mktemp())
        seen().write_baseline(file)
        file.write_text(file.read_text("utf-8").replace("openat = 4", "openat = 2"), "utf-8")
        (change,) = seen().diff(file).changes
        self.assertEqual(("openat", 2), (change.subject.name, change.difference))

    def test_damaged(self) -> None:
        """A file that is not a baseline is an error with its name."""
        file = Path(self.mktemp())
        for text in ("[calls", "[other]\nx = 1\n", "[calls]\nopenat = 'x'\n", "calls = 1\n"):
            file.write_text(text, "utf-8")
            error = self.assertRaises(WatchError, seen().diff, file)
            self.assertIn(f"{file} is not a baseline of system calls: ", str(error))
