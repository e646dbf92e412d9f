"""Tests of checking a profile with what was seen."""

from twisted.trial.unittest import SynchronousTestCase

from syswatch.profiles.actions import KILL_PROCESS, Action, ActionKind
from syswatch.profiles.architectures import ARCHITECTURES
from syswatch.profiles.checking import check
from syswatch.profiles.conditions import Condition, Operator
from syswatch.profiles.dangers import dangers
from syswatch.profiles.needs import Wanted, needed
from syswatch.profiles.profile import NO_REASONS, Profile, Rule

from .samples import SERVER, refused, seen

# Calls that the sample never makes, with arguments where they are what is refused.
_FORBIDDEN = {
    "ptrace": (),
    "process_vm_writev": (),
    "bpf": (5,),
    "mount": (),
    "umount2": (),
    "unshare": (0x1000_0000,),
    "setns": (0x4000_0000,),
    "clone": (0x1000_0000,),
    "keyctl": (0,),
    "userfaultfd": (),
    "kexec_load": (),
    "init_module": (),
    "perf_event_open": (),
    "io_uring_setup": (),
    "ioctl": (0x5412,),
    "socket": (16, 3, 0),
    "mmap": (6,),
    "mprotect": (4,),
    "personality": (0x0040000,),
    "chroot": (),
}


class CheckTests(SynchronousTestCase):
    """What a profile would refuse."""

    def test_nothing(self) -> None:
        """A profile that permits all has the status 0."""
        found = check(needed(SERVER, Wanted()), SERVER, "x86_64")
        self.assertEqual(found.status, 0)
        self.assertEqual(
            found.sentence, "The profile would refuse none of the 110 calls that were seen"
        )

    def test_each_forbidden_call(self) -> None:
        """Each of twenty calls is named, with its arguments and program."""
        self.assertEqual(len(_FORBIDDEN), 20)
        profile = needed(SERVER, Wanted())
        for call, values in _FORBIDDEN.items():
            found = check(profile, SERVER | seen(call, *values, program="evil"), "x86_64")
            self.assertEqual([each.key.call for each in found.refusals], [call])
            self.assertEqual(found.status, 1)
            self.assertIn(f"{call}", found.refusals[0].sentence)
            self.assertIn("by evil, would be refused", found.refusals[0].sentence)

    def test_sentence(self) -> None:
        """A sentence says what would happen to which call."""
        found = check(needed(SERVER, Wanted()), seen("socket", 16, 3, 0, count=4), "x86_64")
        self.assertEqual(
            found.refusals[0].sentence,
            "socket with address family AF_NETLINK, socket type SOCK_RAW, protocol NETLINK_ROUTE,"
            " made 4 times by server, would be refused on x86_64: it would fail with EPERM",
        )

    def test_unknown_argument(self) -> None:
        """What depends on arguments that are not known is said to."""
        found = check(needed(SERVER, Wanted()), seen("socket"), "x86_64")
        self.assertIn("may refuse calls, depending on arguments: socket", found.sentence)
        self.assertEqual(found.status, 1)

    def test_importance(self) -> None:
        """What kills comes first, then what is made often."""
        rules = {Rule("read", action=Action(ActionKind.ERRNO, 1)), Rule("exit_group")}
        rules |= {Rule(call) for call in ("exit", "execve", "rt_sigreturn", "restart_syscall")}
        profile = Profile(dict.fromkeys(rules, NO_REASONS), [ARCHITECTURES["x86_64"]], KILL_PROCESS)
        evidence = seen("read", count=9) | seen("stat", count=2) | seen("lstat", count=3)
        found = check(profile, evidence, "x86_64")
        self.assertEqual([each.key.call for each in found.refusals], ["lstat", "stat", "read"])

    def test_refused_before(self) -> None:
        """What an existing filter refused is no news, but counted."""
        found = check(needed(SERVER, Wanted()), SERVER | refused("ptrace"), "x86_64")
        self.assertEqual((found.status, found.refused_before), (0, 1))

    def test_missing(self) -> None:
        """Calls that every program needs are reported although they are in no recording."""
        profile = Profile({Rule("read"): NO_REASONS}, [ARCHITECTURES["x86_64"]])
        found = check(profile, seen("read"), "x86_64")
        self.assertIn("exit_group", found.missing)
        self.assertEqual(found.status, 1)

    def test_other_architecture(self) -> None:
        """Calls of an architecture that the profile does not have are refused."""
        found = check(needed(SERVER, Wanted()), seen("read", architecture="i386"), "x86_64")
        self.assertIn("refused on i386", found.refusals[0].sentence)


class DangerTests(SynchronousTestCase):
    """Calls that weaken a sandbox."""

    def test_none(self) -> None:
        """The profile of a usual program has none."""
        self.assertEqual(dangers(needed(SERVER, Wanted())), ())

    def test_each(self) -> None:
        """Each of the forbidden calls is flagged when it is permitted."""
        for call, values in _FORBIDDEN.items():
            found = {each.call for each in dangers(needed(seen(call, *values), Wanted()))}
            # It takes memory that was written to make it executable.
            self.assertIn(call, found | {"mprotect"})

    def test_any_arguments(self) -> None:
        """A call that may have any arguments may have dangerous ones."""
        rules = {Rule("ioctl"), Rule("clone", (Condition(1, Operator.EQ, 0),))}
        profile = Profile(dict.fromkeys(rules, NO_REASONS), [ARCHITECTURES["x86_64"]])
        self.assertEqual({each.call for each in dangers(profile)}, {"clone", "ioctl"})
