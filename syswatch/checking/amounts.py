"""Amounts in budgets, as people write and read them: counts, bytes, durations, tolerances."""

import enum
import re
from collections.abc import Callable, Mapping
from decimal import Decimal
from typing import Final

from syswatch.base.classes import frozen
from syswatch.model.times import LONGEST_NS, SECOND_NS
from syswatch.views.formatting import duration, size

_NUMBER = re.compile(r"(\d{1,18}(?:\.\d{1,9})?)\s*([^\d\s.]*)")
_DURATIONS: Mapping[str, int] = {
    "ns": 1,
    "us": 1_000,
    "µs": 1_000,
    "ms": 1_000_000,
    "s": SECOND_NS,
    "min": 60 * SECOND_NS,
    "h": 3600 * SECOND_NS,
}
_SIZES: Mapping[str, int] = {
    "B": 1,
    "kB": 10**3,
    "MB": 10**6,
    "GB": 10**9,
    "KiB": 1 << 10,
    "MiB": 1 << 20,
    "GiB": 1 << 30,
}
# A percentage above this is a mistake, such as a count in the wrong place.
_MOST_PERCENT = 10_000
_PERCENT = Decimal(100)


class AmountError(Exception):
    """An amount that cannot be read; the message is what was expected."""


class Unit(enum.Enum):
    """What an amount is measured in."""

    CALLS = "calls"
    BYTES = "bytes"
    TIME = "time"

    @property
    def expected(self) -> str:
        """What a value must look like."""
        return _EXPECTED[self]

    def read(self, value: object) -> int:
        """Return the number of calls, bytes or nanoseconds; raise AmountError."""
        # In Python, true is a number as well.
        if isinstance(value, int) and not isinstance(value, bool) and self is not Unit.TIME:
            if 0 <= value <= LONGEST_NS:
                return value
        elif isinstance(value, str) and self is not Unit.CALLS:
            match = _NUMBER.fullmatch(value.strip())
            units = _DURATIONS if self is Unit.TIME else _SIZES
            if match and match[2] in units:
                amount = int(Decimal(match[1]) * units[match[2]])
                if amount <= LONGEST_NS:
                    return amount
        raise AmountError(self.expected)

    def text(self, amount: int) -> str:
        """Return an amount for people."""
        return _TEXTS[self](amount)

    def texts(self, *amounts: int) -> list[str]:
        """Return amounts such that those which differ look different."""
        texts = [self.text(amount) for amount in amounts]
        if len(set(texts)) == len(set(amounts)):
            return texts
        return [f"{amount:,} {_SMALLEST[self]}".strip() for amount in amounts]


_EXPECTED = {
    Unit.CALLS: "a whole number, such as 100",
    Unit.BYTES: "a number of bytes, such as 4096 or '10 MiB'",
    Unit.TIME: "a duration, such as '300 ms' or '2 s'",
}
_TEXTS: Mapping[Unit, Callable[[int], str]] = {
    Unit.CALLS: "{:,}".format,
    Unit.BYTES: size,
    Unit.TIME: duration,
}
_SMALLEST = {Unit.CALLS: "", Unit.BYTES: "bytes", Unit.TIME: "ns"}


@frozen
class Tolerance:
    """By how much a limit may be exceeded: a share of it, or an amount."""

    percent: Decimal = Decimal(0)
    amount: int = 0

    @classmethod
    def read(cls, value: object, unit: Unit | None) -> "Tolerance":
        """Return a tolerance; without a unit it can only be a percentage; raise AmountError."""
        if isinstance(value, str) and value.rstrip().endswith("%"):
            match = _NUMBER.fullmatch(value.strip())
            if match and match[2] == "%" and Decimal(match[1]) <= _MOST_PERCENT:
                return cls(percent=Decimal(match[1]))
        elif unit is not None:
            try:
                return cls(amount=unit.read(value))
            except AmountError as error:
                raise AmountError(f"a percentage, such as '10 %', or {error}") from None
        raise AmountError("a percentage, such as '10 %'")

    def __bool__(self) -> bool:
        """Return whether it permits anything."""
        return bool(self.percent or self.amount)

    def beyond(self, limit: int) -> int:
        """Return how much more than a limit is tolerated."""
        return self.amount + int(limit * self.percent / _PERCENT)

    def text(self, unit: Unit) -> str:
        """Return the tolerance for people."""
        return f"{self.percent.normalize():f} %" if self.percent else unit.text(self.amount)


NO_TOLERANCE: Final = Tolerance()
