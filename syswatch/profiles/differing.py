"""What one profile permits and another does not."""

from collections.abc import Iterator

from syswatch.base.classes import frozen

from .dangers import Danger, dangers
from .profile import Profile, Rule


@frozen
class Difference:
    """
    From profile A to B: what is permitted in addition, and what no longer.

    `new_dangers` are those that A does not permit. A rule counts as added if A does not permit
    everything that it permits.
    """

    new_dangers: tuple[Danger, ...]
    added: tuple[Rule, ...]
    removed: tuple[Rule, ...]
    added_architectures: tuple[str, ...]
    removed_architectures: tuple[str, ...]
    # The default actions if they differ.
    defaults: tuple[str, str] | None

    @property
    def is_empty(self) -> bool:
        """Whether both profiles permit the same."""
        return self == _SAME


_SAME = Difference((), (), (), (), (), None)


def differ(before: Profile, after: Profile) -> Difference:
    """Return what changes from one profile to another; dangerous calls come first."""
    known = set(dangers(before))
    new_dangers = tuple(each for each in dangers(after) if each not in known)
    first = {each.call for each in new_dangers}
    old = {each.name for each in before.architectures}
    new = {each.name for each in after.architectures}
    return Difference(
        new_dangers=new_dangers,
        added=tuple(
            sorted(_more(before, after), key=lambda rule: (rule.call not in first, rule.order))
        ),
        removed=tuple(_more(after, before)),
        added_architectures=tuple(sorted(new - old)),
        removed_architectures=tuple(sorted(old - new)),
        defaults=_defaults(before, after),
    )


def _more(before: Profile, after: Profile) -> Iterator[Rule]:
    """Yield the rules of a profile that permit what another does not."""
    for rule in after.rules:
        if rule.action.permits and not _covers(before, rule):
            yield rule


def _covers(profile: Profile, rule: Rule) -> bool:
    """Return whether a profile permits all that a rule permits, as far as its rules show it."""
    rules = profile.of_call(rule.call)
    if not rules:
        return profile.default.permits
    return any(
        each.action.permits and set(each.conditions) <= set(rule.conditions) for each in rules
    )


def _defaults(before: Profile, after: Profile) -> tuple[str, str] | None:
    if before.default == after.default:
        return None
    return before.default.text, after.default.text
