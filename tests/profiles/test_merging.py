"""Tests of merging profiles, and of the difference of two."""

from hypothesis import given
from twisted.trial.unittest import SynchronousTestCase

from syswatch.profiles.actions import ALLOW
from syswatch.profiles.architectures import ARCHITECTURES
from syswatch.profiles.conditions import Known, without_bits
from syswatch.profiles.differing import differ
from syswatch.profiles.merging import MergeError, merge_profiles
from syswatch.profiles.profile import Profile, Reasons, Rule

from .strategies import ACTIONS, CALLS, REFUSALS, allowlists, arguments, profiles

_REFUSING = profiles(actions=ACTIONS, defaults=REFUSALS)


def _profile(*rules: Rule) -> Profile:
    return Profile(dict.fromkeys(rules, Reasons()), [ARCHITECTURES["x86_64"]])


class MergeTests(SynchronousTestCase):
    """Merging."""

    @given(_REFUSING, _REFUSING, _REFUSING)
    def test_associative(self, one: Profile, two: Profile, three: Profile) -> None:
        """Profiles can be merged in any grouping, with their reasons."""
        self.assertEqual(
            merge_profiles([merge_profiles([one, two]), three]),
            merge_profiles([one, merge_profiles([two, three])]),
        )

    @given(_REFUSING, _REFUSING)
    def test_commutative(self, one: Profile, two: Profile) -> None:
        """Profiles can be merged in any order."""
        self.assertEqual(merge_profiles([one, two]), merge_profiles([two, one]))

    @given(allowlists, allowlists, arguments)
    def test_permits_what_any_permits(
        self, one: Profile, two: Profile, values: tuple[int, ...]
    ) -> None:
        """The result permits a call exactly if one of the profiles permits it."""
        known = dict(enumerate(map(Known, values)))
        merged = merge_profiles([one, two])
        for call in CALLS:
            answers = [each.answer(call, known) for each in (one, two, merged)]
            permits = [each is not None and each.permits for each in answers]
            self.assertEqual(permits[2], permits[0] or permits[1], call)

    def test_denylist(self) -> None:
        """A profile that permits what it does not list is an error."""
        error = self.assertRaises(
            MergeError, merge_profiles, [_profile(), Profile({}, [], default=ALLOW)]
        )
        self.assertIn("profile 2 permits every call", str(error))

    def test_none(self) -> None:
        """Merging nothing is an error."""
        self.assertRaises(MergeError, merge_profiles, [])


class DifferenceTests(SynchronousTestCase):
    """The difference of two profiles."""

    @given(_REFUSING)
    def test_same(self, profile: Profile) -> None:
        """A profile does not differ from itself."""
        self.assertTrue(differ(profile, profile).is_empty)

    def test_dangers_first(self) -> None:
        """Calls that weaken the sandbox come first, with the reason."""
        found = differ(_profile(Rule("read")), _profile(Rule("open"), Rule("ptrace")))
        self.assertEqual([rule.call for rule in found.added], ["ptrace", "open"])
        self.assertEqual([rule.call for rule in found.removed], ["read"])
        self.assertIn("controls other processes", found.new_dangers[0].why)

    def test_dropped_condition(self) -> None:
        """A call with fewer conditions is added, one with more is not."""
        limited = _profile(Rule("clone", (without_bits(0, 0x7E020000),)))
        free = _profile(Rule("clone"))
        self.assertEqual(differ(limited, free).added, (Rule("clone"),))
        self.assertEqual(differ(free, limited).added, ())
        self.assertEqual(
            [each.call for each in differ(limited, free).new_dangers], ["clone", "clone"]
        )
