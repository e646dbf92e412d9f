"""When the profile was last extended: the newest of the rules for calls that were seen."""

from collections.abc import Iterator

from syswatch.base.classes import frozen

from .phrases import of_conditions
from .profile import Profile, Reasons, Rule


@frozen(order=True)
class Newest:
    """The rule whose first call was the last one to be seen, and that call."""

    first_ns: int
    call: str
    # In words.
    arguments: str
    program: str

    @property
    def sentence(self) -> str:
        """Return which call it was."""
        return f"{self.call} ({self.arguments}), made by {self.program}"


def newest(profile: Profile) -> Newest | None:
    """Return the newest rule, or None if none of the calls has a timestamp."""
    return max(_dated(profile), default=None)


def first_seen(reasons: Reasons) -> tuple[int, str] | None:
    """Return when the calls of a rule were first seen, and of which program."""
    return min(
        (
            (sighting.first_ns, program)
            for program, sighting in reasons.seen.items()
            if sighting.first_ns
        ),
        default=None,
    )


def _dated(profile: Profile) -> Iterator[Newest]:
    for rule, reasons in profile.rules.items():
        if first := first_seen(reasons):
            yield _newest(rule, *first)


def _newest(rule: Rule, first_ns: int, program: str) -> Newest:
    return Newest(first_ns, rule.call, of_conditions(rule.call, rule.conditions), program)
