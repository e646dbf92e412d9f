"""Addition of maps, which adding deltas consists of."""

from collections.abc import Callable, Hashable, Mapping
from typing import TypeVar

import attrs

Counters = TypeVar("Counters", bound=attrs.AttrsInstance)
K = TypeVar("K", bound=Hashable)
V = TypeVar("V")


def merge(
    left: Mapping[K, V],
    right: Mapping[K, V],
    add: Callable[[V, V], V],
) -> Mapping[K, V]:
    """Add two maps key by key; an empty side costs nothing."""
    if not right:
        return left
    if not left:
        return right
    merged = dict(left)
    for key, value in right.items():
        merged[key] = add(merged[key], value) if key in merged else value
    return merged


def add_counts(left: Mapping[K, int], right: Mapping[K, int]) -> Mapping[K, int]:
    """Add two maps of counts."""
    return merge(left, right, int.__add__)


def merge_bounded(
    left: Mapping[K, V],
    right: Mapping[K, V],
    add: Callable[[V, V], V],
    most: int,
) -> tuple[Mapping[K, V], list[V]]:
    """Add two maps into at most `most` keys; also return the values that were cut."""
    if not right or len(left) + len(right) <= most:
        return merge(left, right, add), []
    merged = dict(left)
    left_out = []
    for key, value in right.items():
        if key in merged:
            merged[key] = add(merged[key], value)
        elif len(merged) < most:
            merged[key] = value
        else:
            left_out.append(value)
    return merged, left_out


def add_counters(left: Counters, right: Counters) -> Counters:
    """Add two instances of a class whose fields are all counts."""
    return type(left)(*map(int.__add__, attrs.astuple(left), attrs.astuple(right)))
