"""Tests of what container runtimes need to start a program under its profile."""

from hypothesis import given
from twisted.trial.unittest import SynchronousTestCase

from syswatch.profiles.always import ALWAYS
from syswatch.profiles.architectures import ARCHITECTURES
from syswatch.profiles.argument_rules import Level
from syswatch.profiles.conditions import Known
from syswatch.profiles.dangers import dangers
from syswatch.profiles.formats.registry import WRITERS
from syswatch.profiles.needs import Wanted, needed
from syswatch.profiles.profile import Profile, Rule
from syswatch.profiles.starting import startable

from .strategies import allowlists

_PR_SET_SECCOMP, _PR_CAPBSET_DROP = 22, 24


class StartingTests(SynchronousTestCase):
    """The calls between loading a profile and starting the program."""

    def test_runtimes(self) -> None:
        """Containers start under the profile of a program that does nothing."""
        profile = startable(needed({}, Wanted(Level.EXACT)))
        self.assertLessEqual(
            {"capset", "close_range", "epoll_ctl", "fstatfs", "setuid", *ALWAYS} - {"sigreturn"},
            profile.calls,
        )

    def test_limited(self) -> None:
        """They get no more than they need: nothing that weakens the sandbox."""
        profile = startable(needed({}, Wanted(Level.EXACT)))
        self.assertEqual(dangers(profile), ())
        answers = [
            profile.answer(call, {index: Known(value)})
            for call, index, value in (
                ("prctl", 0, _PR_CAPBSET_DROP),
                ("prctl", 0, _PR_SET_SECCOMP),
                ("mmap", 2, 2),
                ("mmap", 2, 4),
                ("clone", 0, 0x11),
                ("clone", 0, 0x1000_0011),
            )
        ]
        permits = [each is not None and each.permits for each in answers]
        self.assertEqual(permits, [True, False] * 3)

    def test_other_formats(self) -> None:
        """What loads the other formats makes no such calls."""
        profile = needed({}, Wanted())
        changed = [
            form
            for form, write in WRITERS.items()
            if write(profile).content == write(startable(profile)).content
        ]
        self.assertEqual(changed, ["oci", "kubernetes"])

    @given(allowlists)
    def test_adds_only(self, profile: Profile) -> None:
        """Whatever a profile permits stays permitted, and calls of other machines are not added."""
        found = startable(profile)
        self.assertLessEqual(profile.calls, found.calls)
        self.assertEqual(startable(found), found)

    def test_names(self) -> None:
        """Every call exists on the usual architecture, so no name is misspelled."""
        numbers = ARCHITECTURES["x86_64"].numbers
        added = startable(Profile({}, [ARCHITECTURES["x86_64"]]))
        self.assertEqual(len(added.calls), len(added.calls & numbers.keys()))
        self.assertIn(Rule("faccessat2"), added.rules)
