"""Numbers and times as people read them: three digits and a unit, and RFC 3339."""

from datetime import UTC, datetime
from functools import lru_cache

_TIMES = ((10**9, "s"), (10**6, "ms"), (10**3, "µs"), (1, "ns"))
_COUNTS = ((10**12, "T"), (10**9, "G"), (10**6, "M"), (10**3, "k"))
_BYTES = ((1 << 30, "GiB"), (1 << 20, "MiB"), (1 << 10, "KiB"), (1, "B"))
_FIRST_SHORT_COUNT = 10_000
# Below this, a rate is shown with fractions.
_FIRST_WHOLE_RATE = 9.995
_LEAST_PERCENT = 0.1
# From here on, three digits would round it to 100.
_MOST_PERCENT = 99.95
_ALL_PERCENT = 100


def three_digits(value: float) -> str:
    """Return a number below 1000 with three significant digits."""
    for limit, places in ((9.995, 2), (99.95, 1)):
        if value < limit:
            return f"{value:.{places}f}".rstrip("0").rstrip(".")
    return f"{value:.0f}"


# The same few hundred values occur again and again: percentiles move in steps.
@lru_cache(maxsize=4096)
def duration(nanoseconds: float) -> str:
    """Return a duration with its unit, such as `3.1 ms`."""
    return _scaled(nanoseconds, _TIMES, "0 ns")


def count(number: float) -> str:
    """Return a count, which is shortened from ten thousand on, as in `402 k`."""
    return _scaled(number, _COUNTS, "0") if number >= _FIRST_SHORT_COUNT else f"{number:.0f}"


def per_second(rate: float) -> str:
    """Return a rate, with fractions below ten per second."""
    return three_digits(rate) if 0 < rate < _FIRST_WHOLE_RATE else count(rate)


def size(number: float) -> str:
    """Return a number of bytes with its unit."""
    return _scaled(number, _BYTES, "0 B")


def share(part: float) -> str:
    """Return a fraction as a percentage; a small one is not shown as 0, nor nearly all as 100."""
    percent = 100 * part
    if 0 < percent < _LEAST_PERCENT:
        return "<0.1 %"
    if _MOST_PERCENT <= percent < _ALL_PERCENT:
        return ">99.9 %"
    return f"{three_digits(percent)} %"


def elapsed(nanoseconds: int) -> str:
    """Return a long duration in hours, minutes and whole seconds, such as `1m23s`."""
    minutes, seconds = divmod((nanoseconds + 5 * 10**8) // 10**9, 60)
    hours, minutes = divmod(minutes, 60)
    if hours:
        return f"{hours}h{minutes}m{seconds}s"
    return f"{minutes}m{seconds}s" if minutes else f"{seconds}s"


def long_duration(nanoseconds: int) -> str:
    """Return a duration of any length, in whole seconds from ten on."""
    return elapsed(nanoseconds) if nanoseconds >= 10**10 else duration(nanoseconds)


def plural(number: int, word: str) -> str:
    """Return a number with a noun in singular or plural."""
    return f"{number:,} {word}" if number == 1 else f"{number:,} {word}s"


def several(number: int) -> str:
    """Return a suffix for a name that several processes had one after the other."""
    return f" \u00d7{count(number)}" if number > 1 else ""


def rfc3339(time_ns: int | None) -> str:
    """Return a time with nanoseconds and the local zone, or an empty text for None."""
    if time_ns is None:
        return ""
    seconds, nanoseconds = divmod(time_ns, 10**9)
    try:
        local = datetime.fromtimestamp(seconds, UTC).astimezone()
    except (OverflowError, ValueError, OSError):
        return ""  # A log may claim a year that no calendar has.
    zone = local.strftime("%z")
    return f"{local:%Y-%m-%dT%H:%M:%S}.{nanoseconds:09d}{zone[:3]}:{zone[3:5]}"


def _scaled(value: float, units: tuple[tuple[int, str], ...], otherwise: str) -> str:
    next_factor, next_unit = 0, ""
    for factor, unit in units:
        if value >= factor:
            digits = three_digits(value / factor)
            # 999.9 µs is 1000 µs with three digits, and so 1 ms; but 1000 KiB are no MiB.
            is_next = digits == str(next_factor // factor)
            return f"1 {next_unit}" if is_next else f"{digits} {unit}"
        next_factor, next_unit = factor, unit
    return otherwise
