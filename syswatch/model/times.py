"""Nanoseconds, and how many of them a sum may hold."""

SECOND_NS = 1_000_000_000
# 63 bits are 292 years, and what every reader of JSON and MessagePack can hold.
LONGEST_NS = (1 << 63) - 1


def add_ns(one: int, other: int) -> int:
    """Sum two durations; a thousand threads that wait for years stop at the longest one."""
    total = one + other
    return min(total, LONGEST_NS)
