"""Tests of the profile that evidence leads to."""

from hypothesis import given
from hypothesis import strategies as st
from twisted.trial.unittest import SynchronousTestCase

from syswatch.model.evidence import Evidence
from syswatch.profiles.actions import PRETEND_ABSENT
from syswatch.profiles.always import ALWAYS, ON_ERRORS
from syswatch.profiles.architectures import all_calls
from syswatch.profiles.argument_rules import Level
from syswatch.profiles.checking import check
from syswatch.profiles.conditions import Known
from syswatch.profiles.equivalents import equivalents, groups
from syswatch.profiles.needs import Wanted, needed
from syswatch.profiles.profile import Rule, Sighting

from .samples import DAY_NS, PROT_EXEC, SERVER, refused, seen
from .strategies import evidences


def _permits(evidence: Evidence, call: str, *values: int, level: Level = Level.DEFAULT) -> bool:
    profile = needed(evidence, Wanted(level))
    action = profile.answer(call, dict(enumerate(map(Known, values))))
    return action is not None and action.permits


class LevelTests(SynchronousTestCase):
    """The levels."""

    @given(evidences, st.sampled_from(Level))
    def test_permits_what_was_seen(self, found: Evidence, level: Level) -> None:
        """The profile of evidence refuses nothing of it."""
        outcome = check(needed(found, Wanted(level)), found, "x86_64")
        self.assertEqual((outcome.refusals, outcome.missing), ((), ()))

    @given(evidences)
    def test_levels_grow(self, found: Evidence) -> None:
        """Each level permits the calls of the one before it."""
        exact, default, broad = (needed(found, Wanted(level)).calls for level in Level)
        self.assertLessEqual(exact, default)
        self.assertLessEqual(default, broad)

    def test_exact(self) -> None:
        """The exact level has what was seen, and without what no program runs."""
        profile = needed(SERVER, Wanted(Level.EXACT))
        own = {key.call for key in SERVER} | {call for call in ALWAYS if call != "sigreturn"}
        self.assertEqual(profile.calls, own)
        self.assertEqual(
            [_permits(SERVER, "socket", 2, kind, 6, level=Level.EXACT) for kind in (1, 2)],
            [True, False],
        )

    def test_flags_of_sockets(self) -> None:
        """Flags in the type of a socket do not matter."""
        self.assertTrue(_permits(SERVER, "socket", 2, 1 | 0o2000000, 6, level=Level.EXACT))

    def test_upper_half_of_int(self) -> None:
        """Bits that the kernel ignores do not matter: some C libraries extend the sign."""
        evidence = seen("ioctl", 0x802C542A)
        self.assertTrue(_permits(evidence, "ioctl", 3, 0xFFFFFFFF802C542A, level=Level.EXACT))

    def test_default(self) -> None:
        """By default all sockets of a seen family are permitted, but no other family."""
        found = [_permits(SERVER, "socket", family, 3, 255) for family in (2, 16)]
        self.assertEqual(found, [True, False])

    def test_equivalents(self) -> None:
        """By default the calls of other C libraries are permitted, with the reason."""
        profile = needed(SERVER, Wanted())
        self.assertLessEqual({"open", "openat2", "epoll_pwait", "vfork"}, profile.calls)
        reasons = profile.rules[Rule("open")]
        self.assertIn("equivalent of openat: ", "".join(reasons.sentences))

    def test_error_paths(self) -> None:
        """By default what programs do on errors is permitted."""
        self.assertLessEqual(set(ON_ERRORS), needed({}, Wanted()).calls)

    def test_reasons(self) -> None:
        """A rule knows how often which program made the call, and when first."""
        profile = needed(SERVER | seen("openat", count=2, program="sh"), Wanted())
        self.assertEqual(
            dict(profile.rules[Rule("openat")].seen),
            {"server": Sighting(7, DAY_NS), "sh": Sighting(2, DAY_NS)},
        )

    def test_likely(self) -> None:
        """Calls that libraries are likely to make are for the broad level only."""
        likely = {"sendmmsg": "likely: libresolv is loaded"}
        found = [needed(SERVER, Wanted(level, likely=likely)).calls for level in Level]
        self.assertEqual(["sendmmsg" in calls for calls in found], [False, False, True])

    def test_likely_clone(self) -> None:
        """A process that is likely to be created has no namespaces of its own."""
        profile = needed({}, Wanted(Level.BROAD, likely={"clone": "likely: it imports system()"}))
        answers = [profile.answer("clone", {0: Known(flags)}) for flags in (0x11, 0x1000_0011)]
        self.assertEqual([each is not None and each.permits for each in answers], [True, False])


class ArgumentTests(SynchronousTestCase):
    """Rules for arguments."""

    def test_new_namespaces(self) -> None:
        """A program that creates processes may not create namespaces."""
        found = [_permits(SERVER, "clone", flags) for flags in (0x11, 0x1000_0011)]
        self.assertEqual(found, [True, False])

    def test_clone3(self) -> None:
        """If it was not seen, clone3 pretends to be absent: a filter can't see its flags."""
        self.assertEqual(needed(SERVER, Wanted()).answer("clone3", {}), PRETEND_ABSENT)
        self.assertTrue(_permits(SERVER | seen("clone3"), "clone3"))

    def test_fork(self) -> None:
        """A program that was seen to fork may clone, without namespaces."""
        found = [_permits(seen("fork"), "clone", flags) for flags in (0x11, 0x1000_0011)]
        self.assertEqual(found, [True, False])

    def test_writable_and_executable(self) -> None:
        """Memory is never both writable and executable unless that was seen."""
        jit = SERVER | seen("mmap", 6)
        found = [_permits(each, "mmap", 0, 4096, 7) for each in (SERVER, jit)]
        self.assertEqual(found, [False, True])

    def test_executable_later(self) -> None:
        """Memory becomes executable only if that was seen."""
        jit = SERVER | seen("mprotect", PROT_EXEC)
        found = [_permits(each, "mprotect", 0, 4096, 5) for each in (SERVER, jit)]
        self.assertEqual(found, [False, True])

    def test_unknown_values(self) -> None:
        """If the arguments of some calls are not known, any are permitted."""
        self.assertTrue(_permits(SERVER | seen("socket"), "socket", 16, 3, 0))

    def test_terminals(self) -> None:
        """Requests that libraries make are permitted by default; typing for others is not."""
        found = [_permits(SERVER, "ioctl", 0, each) for each in (0x5413, 0x5412)]
        self.assertEqual(found, [True, False])

    def test_copying(self) -> None:
        """A program that copies files may do so in the other ways, which depend on the files."""
        evidence = SERVER | seen("copy_file_range")
        self.assertTrue(_permits(evidence, "sendfile"))
        self.assertTrue(_permits(evidence, "ioctl", 3, 0x40049409))
        self.assertFalse(_permits(evidence, "splice"))

    def test_same_arguments(self) -> None:
        """An equivalent that takes the same arguments has the same limits."""
        evidence = seen("mmap2", 0, architecture="i386")
        profile = needed(evidence, Wanted())
        limited = [rule for rule in profile.rules if rule.call == "mmap2" and rule.conditions]
        self.assertEqual(len(limited), 3)


class RefusedTests(SynchronousTestCase):
    """Calls that an existing filter refused."""

    def test_left_out(self) -> None:
        """They are permitted only if that is wanted."""
        evidence = SERVER | refused("ptrace")
        found = [
            "ptrace" in needed(evidence, Wanted(with_refused=wanted)).calls
            for wanted in (False, True)
        ]
        self.assertEqual(found, [False, True])


class ArchitectureTests(SynchronousTestCase):
    """The architectures of profiles."""

    def test_seen(self) -> None:
        """Those that were seen are in the profile, beside the machine's; others if broad."""
        evidence = SERVER | seen("read", architecture="i386")
        for found, level, names in (
            (SERVER, Level.DEFAULT, ["x86_64"]),
            (evidence, Level.DEFAULT, ["i386", "x86_64"]),
            (SERVER, Level.BROAD, ["i386", "x32", "x86_64"]),
        ):
            profile = needed(found, Wanted(level))
            self.assertEqual([each.name for each in profile.architectures], names)

    def test_times_of_32_bits(self) -> None:
        """A 32-bit program gets the calls with 64-bit times."""
        profile = needed(seen("futex", architecture="i386"), Wanted())
        self.assertIn("futex_time64", profile.calls)
        self.assertNotIn("futex_time64", needed(seen("futex"), Wanted()).calls)


class EquivalentTests(SynchronousTestCase):
    """The table of equivalents."""

    def test_names(self) -> None:
        """Every call of the table exists on some architecture."""
        unknown = {call for group in groups() for call in group.calls} - all_calls()
        self.assertEqual(unknown, set())

    def test_symmetric(self) -> None:
        """What is an equivalent of a call has it as an equivalent."""
        for call in {call for group in groups() for call in group.calls}:
            for other in equivalents(call):
                self.assertIn(call, equivalents(other))
