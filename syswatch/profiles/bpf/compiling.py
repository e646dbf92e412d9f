"""
Compiling a profile to a seccomp filter.

The filter finds the architecture, then the call by binary search, then tries its rules one after
the other. Conditions compare both halves of an argument, since a filter reads 32 bits at a time.
"""

from collections.abc import Iterable, Sequence
from typing import Final

from syswatch.profiles.architectures import X32, X32_BIT, Architecture
from syswatch.profiles.bpf import instructions as bpf
from syswatch.profiles.profile import OTHER_ARCHITECTURE, Profile, Rule

from .assembly import Assembly
from .comparing import compare
from .instructions import MOST_INSTRUCTIONS, Instruction, ProgramError
from .returns import number_of

# Calls per leaf of the search.
_FEW: Final = 4
Branches = Sequence[tuple[int, Sequence[Rule]]]


def compile_profile(profile: Profile) -> Sequence[Instruction]:
    """Return the filter of a profile; raise ProgramError if it is too long for the kernel."""
    program = _Compiler(profile).program()
    if len(program) > MOST_INSTRUCTIONS:
        raise ProgramError(
            f"the profile is too long for a seccomp filter: {len(program)} instructions (at most"
            f" {MOST_INSTRUCTIONS})"
        )
    return program


class _Compiler:
    def __init__(self, profile: Profile) -> None:
        self._profile = profile
        self._assembly = Assembly()

    def program(self) -> Sequence[Instruction]:
        """Return the whole program."""
        by_audit: dict[int, list[Architecture]] = {}
        for each in self._profile.architectures:
            by_audit.setdefault(each.audit, []).append(each)
        add = self._assembly
        add.load(bpf.ARCHITECTURE_OFFSET)
        for audit, architectures in by_audit.items():
            here, after = add.label(), add.label()
            add.branch(bpf.JUMP_EQUAL, audit, here, after)
            add.place(here)
            self._architectures(architectures)
            add.place(after)
        add.answer(number_of(OTHER_ARCHITECTURE))
        return add.program()

    def _architectures(self, architectures: Iterable[Architecture]) -> None:
        """Add the calls of architectures with the same number: x86_64, x32, or both."""
        add = self._assembly
        add.load(bpf.NUMBER_OFFSET)
        by_name = {each.name: each for each in architectures}
        x32 = by_name.pop(X32.name, None)
        if x32 is None and "x86_64" not in by_name:
            self._search(_branches(self._profile, next(iter(by_name.values()))))
            return
        new, old = add.label(), add.label()
        add.branch(bpf.JUMP_GREATER_EQUAL, X32_BIT, new, old)
        add.place(new)
        self._search_or_refuse(x32)
        add.place(old)
        self._search_or_refuse(by_name.get("x86_64"))

    def _search_or_refuse(self, architecture: Architecture | None) -> None:
        if architecture is None:
            self._assembly.answer(number_of(OTHER_ARCHITECTURE))
        else:
            self._search(_branches(self._profile, architecture))

    def _search(self, branches: Branches) -> None:
        """Add a binary search for the number of the call, which is loaded."""
        add = self._assembly
        if len(branches) > _FEW:
            middle = len(branches) // 2
            upper, lower = add.label(), add.label()
            add.branch(bpf.JUMP_GREATER_EQUAL, branches[middle][0], upper, lower)
            add.place(lower)
            self._search(branches[:middle])
            add.place(upper)
            self._search(branches[middle:])
            return
        for number, rules in branches:
            found, following = add.label(), add.label()
            add.branch(bpf.JUMP_EQUAL, number, found, following)
            add.place(found)
            self._rules(rules)
            add.place(following)
        add.answer(number_of(self._profile.default))

    def _rules(self, rules: Sequence[Rule]) -> None:
        """Add the rules of a call, the mildest first."""
        add = self._assembly
        for rule in sorted(rules, key=lambda rule: rule.action.mildness, reverse=True):
            otherwise = add.label()
            for condition in rule.conditions:
                compare(add, condition, otherwise)
            add.answer(number_of(rule.action))
            add.place(otherwise)
        if all(rule.conditions for rule in rules):
            add.answer(number_of(self._profile.default))


def _branches(profile: Profile, architecture: Architecture) -> Branches:
    """Return the rules of the calls that an architecture has, by number."""
    numbers = {call: architecture.number_of(call) for call in {rule.call for rule in profile.rules}}
    return sorted(
        (number, tuple(profile.of_call(call)))
        for call, number in numbers.items()
        if number is not None
    )
