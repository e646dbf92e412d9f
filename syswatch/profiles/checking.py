"""Which of the calls that were seen a profile would refuse."""

from collections.abc import Iterator, Mapping
from typing import Protocol

from syswatch.base.classes import frozen
from syswatch.model.evidence import Evidence, EvidenceKey, EvidenceTally
from syswatch.model.ruled_arguments import ruled_arguments

from .actions import Action
from .always import ALWAYS
from .architectures import ARCHITECTURES, Architecture
from .conditions import ALL_BITS, INT_BITS, Known
from .phrases import of_values


@frozen
class Refusal:
    """
    Calls that a profile would refuse; `action` is None if it depends on unknown arguments.

    `count` is 0 for a call that every program needs and no recording contains.
    """

    key: EvidenceKey
    architecture: Architecture
    tally: EvidenceTally
    action: Action | None

    @property
    def is_certain(self) -> bool:
        """Whether what is known of the call suffices to say that it is refused."""
        return self.action is not None

    @property
    def arguments(self) -> str:
        """The arguments that rules can depend on, as text."""
        return of_values(self.key.call, self.architecture.name, self.key.values)

    @property
    def sentence(self) -> str:
        """What would happen, in words."""
        program = self.key.program or "a program that is not known"
        arguments = f" with {self.arguments}" if self.arguments else ""
        times = "once" if self.tally.count == 1 else f"{self.tally.count} times"
        what = f"{self.key.call}{arguments}, made {times} by {program}"
        if self.action is None:
            return f"it depends on unknown arguments whether {what}, would be refused"
        return f"{what}, would be refused on {self.architecture.name}: {self.action.consequence}"


@frozen
class Check:
    """The outcome of checking a profile: what it refuses, the most important first."""

    refusals: tuple[Refusal, ...]
    # The calls that were checked, and those that an existing filter had refused already.
    checked: int
    refused_before: int
    # Calls that every program needs, but the profile refuses.
    missing: tuple[str, ...]

    @property
    def status(self) -> int:
        """The exit status: 1 if a call is, or may be, refused."""
        return 1 if self.refusals or self.missing else 0

    @property
    def sentence(self) -> str:
        """The answer in plain words."""
        calls = sorted({each.key.call for each in self.refusals if each.is_certain})
        unsure = sorted({each.key.call for each in self.refusals if not each.is_certain})
        if calls:
            total = sum(each.tally.count for each in self.refusals if each.is_certain)
            return f"The profile would refuse {total} of {self.checked} calls: {', '.join(calls)}"
        if unsure:
            return f"The profile may refuse calls, depending on arguments: {', '.join(unsure)}"
        if self.missing:
            return f"The profile refuses what every program needs: {', '.join(self.missing)}"
        return f"The profile would refuse none of the {self.checked} calls that were seen"


class Answering(Protocol):
    """What can be asked about calls: a profile, or a filter whose rules are not known."""

    def answer(
        self, call: str, arguments: Mapping[int, Known], architecture: Architecture
    ) -> Action | None:
        """Return what happens to a call, None if that depends on what is not known."""


def check(profile: Answering, evidence: Evidence, native: str) -> Check:
    """Return what a profile would refuse; `native` is the architecture of the machine."""
    rows = {key: tally for key, tally in evidence.items() if not key.refused}
    refusals = [
        refusal
        for key, tally in rows.items()
        for refusal in _refusals(profile, key, tally, ARCHITECTURES[key.architecture or native])
    ]
    return Check(
        refusals=tuple(sorted(refusals, key=_importance)),
        checked=sum(tally.count for tally in rows.values()),
        refused_before=sum(tally.count for key, tally in evidence.items() if key.refused),
        missing=tuple(_missing(profile, ARCHITECTURES[native])),
    )


def _refusals(
    profile: Answering, key: EvidenceKey, tally: EvidenceTally, architecture: Architecture
) -> Iterator[Refusal]:
    ruled = ruled_arguments(key.call, architecture.name)
    arguments = {
        each.position: Known(value, ALL_BITS if each.mask == INT_BITS else each.mask)
        for each, value in zip(ruled, key.values, strict=False)
    }
    action = profile.answer(key.call, arguments, architecture)
    if action is None or not action.permits:
        yield Refusal(key, architecture, tally, action)


def _missing(profile: Answering, native: Architecture) -> Iterator[str]:
    """Yield the calls that every program needs, but the profile refuses."""
    for call in ALWAYS:
        if call in native.numbers:
            action = profile.answer(call, {}, native)
            if action is not None and not action.permits:
                yield call


def _importance(refusal: Refusal) -> tuple[bool, int, int, EvidenceKey]:
    """Return a key that sorts refusals: certain, severe and frequent ones first."""
    severity = refusal.action.mildness[0] if refusal.action else 0
    return not refusal.is_certain, severity, -refusal.tally.count, refusal.key
