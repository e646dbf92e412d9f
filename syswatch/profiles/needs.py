"""From evidence to the profile that a program needs."""

from collections.abc import Iterable, Iterator, Mapping

import attrs

from syswatch.base.classes import frozen
from syswatch.model.evidence import Evidence, EvidenceKey, EvidenceTally
from syswatch.model.ruled_arguments import NEW_NAMESPACES, ruled_arguments

from .actions import PRETEND_ABSENT, REFUSE, Action
from .always import ALWAYS, ON_ERRORS
from .architectures import ARCHITECTURES, Architecture, known_calls, with_subs
from .argument_rules import Level, Values, additions, conditions_of
from .conditions import Condition, without_bits
from .equivalents import equivalents
from .profile import NO_REASONS, Profile, Reasons, Rule, Sighting

_UNKNOWN_PROGRAM = "a program that is not known"
_CREATING = frozenset({"clone", "fork", "vfork"})
_WHY_ABSENT = "equivalent of clone: after this error, C libraries use clone, which can be limited"
_NO_NAMESPACES = (without_bits(0, NEW_NAMESPACES),)


@frozen
class Wanted:
    """What a profile is made for."""

    level: Level = Level.DEFAULT
    # That of the machine: the one of calls that do not name theirs.
    architecture: str = "x86_64"
    # Whether calls that an existing filter refused shall be permitted.
    with_refused: bool = False
    default: Action = REFUSE
    # Calls that loaded libraries are likely to make, with reasons; for Level.BROAD.
    likely: Mapping[str, str] = attrs.field(factory=dict)


def needed(evidence: Evidence, wanted: Wanted) -> Profile:
    """Return the profile that permits what was seen, and what its level adds."""
    rules: dict[Rule, Reasons] = {}
    found = _Found(evidence, wanted)
    for rule, reasons in found.rules():
        rules[rule] = rules.get(rule, NO_REASONS) + reasons
    return Profile(rules, found.architectures, wanted.default)


class _Found:
    """The rules that evidence leads to."""

    def __init__(self, evidence: Evidence, wanted: Wanted) -> None:
        self._wanted = wanted
        self._rows = {
            key: tally for key, tally in evidence.items() if wanted.with_refused or not key.refused
        }
        self.architectures = self._architectures()
        self._known = known_calls(self.architectures)
        self._values: dict[tuple[str, str], set[Values]] = {}
        for key in self._rows:
            name = (key.call, key.architecture or wanted.architecture)
            self._values.setdefault(name, set()).add(key.values)
        self._calls = {call for call, _ in self._values}

    def _architectures(self) -> tuple[Architecture, ...]:
        native = self._wanted.architecture
        names = {key.architecture or native for key in self._rows} | {native}
        subs = with_subs(native) if self._wanted.level is Level.BROAD else ()
        return (*(ARCHITECTURES[name] for name in names), *subs)

    def rules(self) -> Iterator[tuple[Rule, Reasons]]:
        """Yield all rules; some of them several times, with different reasons."""
        yield from self._seen()
        yield from self._because(ALWAYS)
        if self._wanted.level is not Level.EXACT:
            yield from self._because(ON_ERRORS)
            yield from self._added()
            yield from self._equivalents()
        if self._wanted.level is Level.BROAD:
            yield from self._because(self._wanted.likely)

    def _seen(self) -> Iterator[tuple[Rule, Reasons]]:
        conditions = {
            (call, architecture): conditions_of(call, architecture, values, self._wanted.level)
            for (call, architecture), values in self._values.items()
        }
        for key, tally in self._rows.items():
            name = (key.call, key.architecture or self._wanted.architecture)
            yield Rule(key.call, conditions[name][key.values]), _sighting(key, tally)

    def _added(self) -> Iterator[tuple[Rule, Reasons]]:
        for (call, architecture), values in self._values.items():
            for conditions, because in additions(call, architecture, values, self._wanted.level):
                yield Rule(call, conditions), _sentence(because)

    def _equivalents(self) -> Iterator[tuple[Rule, Reasons]]:
        for call in sorted(self._calls):
            for other, because in equivalents(call).items():
                if other not in self._calls and other in self._known:
                    reasons = _sentence(f"equivalent of {call}: {because}")
                    for conditions in self._conditions_of_other(call, other):
                        yield Rule(other, conditions), reasons
        if self._calls & _CREATING and "clone3" not in self._calls:
            yield (
                Rule("clone3", action=PRETEND_ABSENT),
                _sentence(_WHY_ABSENT),
            )
        if "clone3" in self._calls and "clone" not in self._calls:
            yield (
                Rule("clone", _NO_NAMESPACES),
                _sentence("equivalent of clone3: C libraries use clone where clone3 fails"),
            )

    def _conditions_of_other(self, call: str, other: str) -> Iterable[tuple[Condition, ...]]:
        """Return the conditions of an equivalent: the same if it takes the same arguments."""
        if other == "clone":
            return [_NO_NAMESPACES]
        for (name, architecture), values in self._values.items():
            ruled = ruled_arguments(call, architecture)
            if name == call and ruled and ruled == ruled_arguments(other, architecture):
                level = self._wanted.level
                seen = conditions_of(call, architecture, values, level).values()
                more = (each for each, _ in additions(call, architecture, values, level))
                return {*seen, *more}
        return [()]

    def _because(self, calls: Mapping[str, str]) -> Iterator[tuple[Rule, Reasons]]:
        """Yield rules for calls that are needed with any arguments, unless they were seen."""
        for call, because in calls.items():
            if call in self._known and (call not in self._calls or call in ALWAYS):
                yield Rule(call, _NO_NAMESPACES if call == "clone" else ()), _sentence(because)


def _sighting(key: EvidenceKey, tally: EvidenceTally) -> Reasons:
    program = key.program or _UNKNOWN_PROGRAM
    return Reasons(seen={program: Sighting(tally.count, tally.first_ns or 0)})


def _sentence(because: str) -> Reasons:
    return Reasons(sentences={because})
