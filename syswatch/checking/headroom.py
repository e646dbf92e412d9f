"""How much more than was seen a first budget allows."""

from collections.abc import Sequence
from typing import Final

from .amounts import Unit

# By how many percent a limit is above the most that was seen.
_PERCENT: Final = {Unit.CALLS: 10, Unit.BYTES: 25, Unit.TIME: 200}
_HUNDRED: Final = 100
# How often the range between runs is added: a few runs do not show how far numbers range.
_RANGES: Final = 2
_DIGITS: Final = 2
# With fewer of a unit, rounding up would add too much.
_FEWEST: Final = 10
_STEPS: Final = (("GiB", 1 << 30), ("MiB", 1 << 20), ("KiB", 1 << 10))
_TIMES: Final = (("s", 10**9), ("ms", 10**6), ("us", 10**3))


def limit_for(seen: Sequence[int], unit: Unit) -> int:
    """Return the limit for what was seen in one run or several, rounded up."""
    most = max(seen)
    added = -(-most * _PERCENT[unit] // _HUNDRED) + _RANGES * (most - min(seen))
    return rounded_up(most + added, unit)


def rounded_up(amount: int, unit: Unit) -> int:
    """Return the next larger amount that is short to write."""
    size = next((size for _, size in _units(unit) if amount >= _FEWEST * size), 1)
    return _with_digits(-(-amount // size)) * size


def written(amount: int, unit: Unit) -> str:
    """Return a rounded amount as it is written in a budget."""
    for name, size in _units(unit):
        if amount and amount % size == 0:
            return f'"{amount // size} {name}"'
    return f'"{amount} ns"' if unit is Unit.TIME else str(amount)


def _units(unit: Unit) -> Sequence[tuple[str, int]]:
    return {Unit.CALLS: (), Unit.BYTES: _STEPS, Unit.TIME: _TIMES}[unit]


def _with_digits(number: int) -> int:
    """Round up to two digits and zeros."""
    step: int = 10 ** max(len(str(number)) - _DIGITS, 0)
    return -(-number // step) * step
