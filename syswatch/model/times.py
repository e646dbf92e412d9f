"""Durations in nanoseconds, and their limit."""

SECOND_NS = 1_000_000_000
# 63 bits are 292 years, and fit into what every reader of MessagePack can hold.
LONGEST_NS = (1 << 63) - 1


def add_ns(one: int, other: int) -> int:
    """Add two durations; the sum stops at the limit."""
    total = one + other
    return min(total, LONGEST_NS)
