"""The values of the options of the flight recorder."""

import re
from collections.abc import Iterator
from decimal import Decimal

from syswatch.model.catalog.entries import lookup
from syswatch.model.errnos import NAMES
from syswatch.model.times import SECOND_NS
from syswatch.recording.keeping import Keep, Trigger

from . import checks
from .arguments import Arguments, UsageError
from .suggestions import invalid_choice

_EVENTS = ("errno", "slower", "alert")
_TIME = re.compile(r"(\d{1,9}(?:\.\d{1,9})?)(ms|s|m|min|h|d)")
_SIZE = re.compile(r"(\d{1,9}(?:\.\d{1,9})?)([KMGT])(i?)B", re.IGNORECASE)
_SECONDS = {
    "ms": Decimal("0.001"),
    "s": Decimal(1),
    "m": Decimal(60),
    "min": Decimal(60),
    "h": Decimal(3600),
    "d": Decimal(86_400),
}
_POWERS = {"K": 1, "M": 2, "G": 3, "T": 4}
_LEAST_S = 2
# A segment of very many calls has some megabytes.
_LEAST_BYTES = 10 * 1000**2
# The service gets the list of them twice a second.
_MOST_SAVES = 100


def keep(arguments: Arguments) -> Keep:
    """Check the options, and return what to keep."""
    amounts = list(_items(arguments, "keep"))
    triggers = [_trigger(arguments.label("save-on"), each) for each in _items(arguments, "save-on")]
    most_saves = checks.whole_number(arguments, "keep-saves", least=1)
    if most_saves > _MOST_SAVES:
        raise UsageError(f"{arguments.label('keep-saves')}: at most {_MOST_SAVES} are possible")
    label = arguments.label("keep")
    times = [time for text in amounts if (time := seconds(text)) is not None]
    sizes = [number for text in amounts if (number := size(text)) is not None]
    for text in amounts:
        if seconds(text) is None and size(text) is None:
            raise UsageError(
                f"{label}: invalid value '{text}' (expected a time such as 5m or a size such as"
                " 2GB)"
            )
    if not amounts:
        raise UsageError(f"{label}: the value is empty (expected a time such as 5m)")
    if times and min(times) < _LEAST_S:
        raise UsageError(f"{label}: the time is too short (at least {_LEAST_S}s)")
    if sizes and min(sizes) < _LEAST_BYTES:
        raise UsageError(f"{label}: the size is too small (at least {_LEAST_BYTES // 10**6}MB)")
    return Keep(
        seconds=float(min(times)) if times else None,
        size=min(sizes, default=None),
        most_saves=most_saves,
        triggers=tuple(each for each in triggers if each is not None),
        on_alert=None in triggers,
    )


def seconds(text: str) -> Decimal | None:
    """Return a time with its unit in seconds, or None if it is none."""
    found = _TIME.fullmatch(text)
    return Decimal(found[1]) * _SECONDS[found[2]] if found else None


def size(text: str) -> int | None:
    """Return a size with its unit in bytes, or None if it is none."""
    found = _SIZE.fullmatch(text)
    if found is None:
        return None
    return int(Decimal(found[1]) * (1024 if found[3] else 1000) ** _POWERS[found[2].upper()])


def _items(arguments: Arguments, name: str) -> Iterator[str]:
    for value in arguments.every(name):
        yield from filter(None, map(str.strip, value.split(",")))


def _trigger(label: str, text: str) -> Trigger | None:
    """Return a reason to save; None for alerts, which do not depend on single calls."""
    kind, _, value = text.partition(":")
    if text == "alert":
        return None
    if kind == "errno":
        return Trigger(text, errno=_errno(label, value))
    if kind == "slower":
        time, _, call = value.partition(":")
        return Trigger(text, slower_ns=_nanoseconds(label, time), call=_call(label, call))
    raise UsageError(invalid_choice(label, kind, _EVENTS))


def _errno(label: str, name: str) -> int:
    number = next((number for number, known in NAMES.items() if known == name), None)
    if number is None:
        raise UsageError(f"{label}: '{name}' is not the name of an error, such as ENOSPC")
    return number


def _nanoseconds(label: str, text: str) -> int:
    found = seconds(text)
    if not found:
        raise UsageError(f"{label}: invalid time '{text}' (expected one such as 2s or 500ms)")
    return int(found * SECOND_NS)


def _call(label: str, name: str) -> str:
    if name and lookup(name) is None:
        raise UsageError(f"{label}: unknown system call '{name}'")
    return name
