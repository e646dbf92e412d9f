"""Times and shares as the verdict has them: as short as a sentence needs them."""

from syswatch.model.times import SECOND_NS
from syswatch.views.formatting import elapsed

_UNITS = ((SECOND_NS, "s"), (10**6, "ms"), (10**3, "µs"), (1, "ns"))
# Two digits; above, whole numbers.
_FIRST_WHOLE = 9.95
_MOST_SECONDS = 100
_LEAST_OF_SECONDS = SECOND_NS // 10
_LEAST_PERCENT = 0.5
_MOST_PERCENT = 99.5
_ALL = 100


def of_wall(spent_ns: int) -> str:
    """Return a duration with two digits, such as `4.2 s`, or `2m5s` if it is long."""
    if spent_ns >= _MOST_SECONDS * SECOND_NS:
        return elapsed(spent_ns)
    for place, (factor, unit) in enumerate(_UNITS):
        value = spent_ns / factor
        # What rounds to 1000 of a unit is 1 of the next.
        if value >= (0.9995 if place else 0) and (round(value, 1) >= 1 or factor == 1):
            return f"{_two_digits(value)} {unit}"
    return "0 s"


def part_of(spent_ns: int, whole_ns: int) -> str:
    """Return a part of a duration; of seconds also in seconds, which is easier to compare."""
    if _LEAST_OF_SECONDS <= spent_ns < SECOND_NS <= whole_ns:
        return f"{_two_digits(spent_ns / SECOND_NS)} s"
    return of_wall(spent_ns)


def percent(share: float) -> str:
    """Return a share as a whole percentage; a small one is not 0, and nearly all is not 100."""
    value = _ALL * share
    if 0 < value < _LEAST_PERCENT:
        return "<1 %"
    if _MOST_PERCENT <= value < _ALL:
        return ">99 %"
    return f"{value:.0f} %"


def about(share: float) -> str:
    """Return an estimated share."""
    return f"about {_ALL * share:.0f} %"


def _two_digits(value: float) -> str:
    return f"{value:.1f}".removesuffix(".0") if value < _FIRST_WHOLE else f"{value:.0f}"


def marked(number: str, *, is_estimated: bool) -> str:
    """Return a number with a tilde if it is an estimate; what is more or less than it has none."""
    return f"~{number}" if is_estimated and number[:1].isdigit() else number
