"""Tests of what a profile answers."""

from hypothesis import given
from twisted.trial.unittest import SynchronousTestCase

from syswatch.profiles.actions import KILL_PROCESS, LOG, PRETEND_ABSENT, REFUSE
from syswatch.profiles.architectures import ARCHITECTURES
from syswatch.profiles.conditions import ALL_BITS, Condition, Known, Operator, without_bits
from syswatch.profiles.profile import Profile, Reasons, Rule, Sighting

from .strategies import arguments, conditions, profiles, words

_X86_64 = ARCHITECTURES["x86_64"]
_FAMILY = Condition(0, Operator.EQ, 2)
_SOCKETS = Profile(dict.fromkeys([Rule("socket", (_FAMILY,))], Reasons()), [_X86_64])


class ConditionTests(SynchronousTestCase):
    """Conditions."""

    def test_operators(self) -> None:
        """Each operator compares unsigned."""
        held = {
            operator: [Condition(0, operator, 5).holds(each) for each in (4, 5, ALL_BITS)]
            for operator in Operator
        }
        self.assertEqual(
            held,
            {
                Operator.NE: [True, False, True],
                Operator.LT: [True, False, False],
                Operator.LE: [True, True, False],
                Operator.EQ: [False, True, False],
                Operator.GE: [False, True, True],
                Operator.GT: [False, False, True],
                Operator.MASKED_EQ: [False, True, False],
            },
        )

    def test_mask(self) -> None:
        """Bits outside of the mask do not matter."""
        self.assertTrue(without_bits(0, 6).holds(9))
        self.assertFalse(without_bits(0, 6).holds(2))

    @given(conditions(), words, words)
    def test_partly_known(self, condition: Condition, value: int, mask: int) -> None:
        """What is decided from some of the bits holds whatever the others are."""
        decided = condition.decide(Known(value & mask, mask))
        if decided is not None:
            for rest in (0, ALL_BITS, value):
                self.assertEqual(condition.holds((value & mask) | (rest & ~mask)), decided)

    def test_no_such_argument(self) -> None:
        """A seventh argument is refused."""
        self.assertRaises(ValueError, Condition, 6, Operator.EQ, 0)

    def test_mask_without_use(self) -> None:
        """A mask that would be ignored is refused."""
        self.assertRaises(ValueError, Condition, 0, Operator.LT, 0, 1)


class AnswerTests(SynchronousTestCase):
    """The answers of profiles."""

    def test_conditions(self) -> None:
        """A rule applies where its conditions hold."""
        answers = [_SOCKETS.answer("socket", {0: Known(family)}) for family in (2, 16)]
        self.assertEqual([each and each.permits for each in answers], [True, False])

    def test_unknown_argument(self) -> None:
        """What depends on an argument that is not known is not decided."""
        self.assertIsNone(_SOCKETS.answer("socket", {}))

    def test_not_listed(self) -> None:
        """A call without a rule gets the default."""
        self.assertEqual(_SOCKETS.answer("ptrace", {}), REFUSE)

    def test_other_architecture(self) -> None:
        """No rule applies to an architecture that the profile does not have."""
        answer = _SOCKETS.answer("socket", {0: Known(2)}, ARCHITECTURES["i386"])
        self.assertEqual(answer, KILL_PROCESS)

    def test_any_arguments(self) -> None:
        """A rule without conditions replaces those with conditions, and takes their reasons."""
        rules = {
            Rule("socket", (_FAMILY,)): Reasons({"a": Sighting(2, 7)}),
            Rule("socket"): Reasons({"a": Sighting(3, 5)}, {"b"}),
        }
        profile = Profile(rules, [_X86_64])
        self.assertEqual(
            dict(profile.rules), {Rule("socket"): Reasons({"a": Sighting(5, 5)}, {"b"})}
        )

    def test_permission_replaces_refusal(self) -> None:
        """A rule that permits has priority over one that only refuses in another way."""
        rules = [Rule("clone3", action=PRETEND_ABSENT), Rule("clone3", action=LOG)]
        profile = Profile(dict.fromkeys(rules, Reasons()), [_X86_64])
        self.assertEqual(profile.answer("clone3", {}), LOG)

    @given(profiles(), arguments)
    def test_rules_are_effective(self, profile: Profile, values: tuple[int, ...]) -> None:
        """A profile made of the rules of a profile is the same, and all is decided."""
        again = Profile(profile.rules, profile.architectures, profile.default)
        self.assertEqual(again, profile)
        known = dict(enumerate(map(Known, values)))
        for rule in profile.rules:
            self.assertIsNotNone(profile.answer(rule.call, known))
