"""Merging profiles: the result permits what any of them permits."""

from collections.abc import Sequence
from functools import reduce

from syswatch.model.merging import merge

from .profile import Profile, Reasons


class MergeError(Exception):
    """Profiles that can't be merged; the message is a sentence for the user."""


def merge_profiles(profiles: Sequence[Profile]) -> Profile:
    """Return a profile that permits what any of the profiles permits; raise MergeError."""
    if not profiles:
        raise MergeError("there is no profile to merge")
    for number, profile in enumerate(profiles, 1):
        if profile.default.permits:
            raise MergeError(
                f"profile {number} permits every call that it does not list: such profiles can't be"
                " merged"
            )
    return reduce(_merged, profiles)


def _merged(left: Profile, right: Profile) -> Profile:
    default = max(left.default, right.default, key=lambda action: action.mildness)
    rules = merge(left.rules, right.rules, Reasons.__add__)
    return Profile(
        # What is refused is refused in the mildest way.
        {rule: why for rule, why in rules.items() if rule.action.mildness > default.mildness},
        (*left.architectures, *right.architectures),
        default,
    )
