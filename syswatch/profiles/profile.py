"""A profile: which calls a program may make with which arguments, and why."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Final

import attrs

from syswatch.base.classes import frozen
from syswatch.model.merging import merge

from .actions import ALLOW, KILL_PROCESS, REFUSE, Action
from .architectures import Architecture
from .conditions import Condition, Known, all_hold


@frozen
class Sighting:
    """How often a program made a call, and when first; 0 if unknown."""

    count: int
    first_ns: int = 0

    def __add__(self, other: "Sighting") -> "Sighting":
        """Add the counts, and keep the earlier time."""
        known = [each for each in (self.first_ns, other.first_ns) if each]
        return Sighting(self.count + other.count, min(known, default=0))


def _read_only(values: Mapping[str, Sighting]) -> Mapping[str, Sighting]:
    return MappingProxyType(dict(values))


def _texts(sentences: Iterable[str]) -> frozenset[str]:
    return frozenset(sentences)


def _frozen(rules: "Rules") -> "Rules":
    return MappingProxyType(dict(rules))


@frozen
class Reasons:
    """Why a rule is in a profile: the programs that made the call, and sentences."""

    seen: Mapping[str, Sighting] = attrs.field(factory=dict, converter=_read_only)
    sentences: frozenset[str] = attrs.field(default=frozenset(), converter=_texts)

    def __add__(self, other: "Reasons") -> "Reasons":
        """Add what was seen."""
        return Reasons(
            merge(self.seen, other.seen, Sighting.__add__), self.sentences | other.sentences
        )

    @property
    def count(self) -> int:
        """How often the calls were seen."""
        return sum(each.count for each in self.seen.values())


NO_REASONS: Final = Reasons()
# What happens to calls of an architecture that a profile does not have: what libseccomp does.
OTHER_ARCHITECTURE: Final = KILL_PROCESS


def _sorted(conditions: Iterable[Condition]) -> tuple[Condition, ...]:
    return tuple(sorted(set(conditions)))


@frozen
class Rule:
    """What to do with a call if all conditions hold; with any arguments if there are none."""

    call: str
    conditions: tuple[Condition, ...] = attrs.field(default=(), converter=_sorted)
    action: Action = ALLOW

    @property
    def order(self) -> tuple[str, tuple[Condition, ...], tuple[int, int]]:
        """A key that sorts rules."""
        return self.call, self.conditions, self.action.mildness


Rules = Mapping[Rule, Reasons]


def _by_order(architectures: Iterable[Architecture]) -> tuple[Architecture, ...]:
    """Return the architectures once each, in the order of their names."""
    return tuple(sorted(set(architectures)))


@frozen
class Profile:
    """
    What happens to the calls of a program.

    If a call has rules that permit what the default refuses, or refuse what it permits, its other
    rules are dropped. Of several rules that match, the mildest one is used.
    """

    rules: Rules = attrs.field(converter=_frozen)
    architectures: tuple[Architecture, ...] = attrs.field(converter=_by_order)
    default: Action = REFUSE
    _by_call: Mapping[str, list[Rule]] = attrs.field(init=False, eq=False, repr=False)

    def __attrs_post_init__(self) -> None:
        """Remove rules that change nothing."""
        rules = dict(sorted(self._effective(), key=lambda each: each[0].order))
        object.__setattr__(self, "rules", MappingProxyType(rules))
        object.__setattr__(self, "_by_call", _grouped(rules))

    def answer(
        self, call: str, arguments: Mapping[int, Known], architecture: Architecture | None = None
    ) -> Action | None:
        """
        Return what happens to a call, None if that depends on an argument that is not given.

        Without an architecture, it is one that the profile covers.
        """
        if architecture is not None and architecture not in self.architectures:
            return OTHER_ARCHITECTURE
        possible = [
            (rule.action, holds)
            for rule in self.of_call(call)
            if (holds := all_hold(rule.conditions, arguments)) is not False
        ]
        certain = [action for action, holds in possible if holds] or [self.default]
        answer = max(certain, key=lambda action: action.mildness)
        open_ = [action for action, holds in possible if holds is None and action != answer]
        return None if open_ else answer

    def of_call(self, call: str) -> Sequence[Rule]:
        """Return the rules of a call."""
        return self._by_call.get(call, ())

    @property
    def bare(self) -> "Profile":
        """The profile without reasons."""
        return attrs.evolve(self, rules=dict.fromkeys(self.rules, NO_REASONS))

    @property
    def calls(self) -> frozenset[str]:
        """The calls that are permitted with some arguments by a rule."""
        return frozenset(rule.call for rule in self.rules if rule.action.permits)

    def _effective(self) -> Iterator[tuple[Rule, Reasons]]:
        """Yield the rules that decide something, with the reasons of those that they cover."""
        for rules in _grouped(self.rules).values():
            deciding = self._deciding([rule for rule in rules if rule.action != self.default])
            anything = max(
                (rule for rule in deciding if not rule.conditions),
                key=lambda rule: rule.action.mildness,
                default=None,
            )
            covered = [rule for rule in deciding if anything and _covers(anything, rule)]
            for rule in deciding:
                if rule == anything and rule.action.permits:
                    yield rule, sum((self.rules[each] for each in covered), NO_REASONS)
                elif rule == anything or rule not in covered:
                    yield rule, self.rules[rule]

    def _deciding(self, rules: Sequence[Rule]) -> Sequence[Rule]:
        """Return those of the rules of a call that are on the other side of the default."""
        across = [rule for rule in rules if rule.action.permits != self.default.permits]
        return across or rules


def _covers(anything: Rule, rule: Rule) -> bool:
    """Return whether a rule without conditions makes another one unnecessary."""
    return rule.action.mildness <= anything.action.mildness


def _grouped(rules: Iterable[Rule]) -> Mapping[str, list[Rule]]:
    grouped: dict[str, list[Rule]] = {}
    for rule in rules:
        grouped.setdefault(rule.call, []).append(rule)
    return grouped
