"""Moments of a recording as people write them."""

import re
from datetime import UTC, datetime
from decimal import Decimal

from syswatch.model.times import SECOND_NS

_EXPECTED = "expected +SECONDS from the beginning, HH:MM:SS in UTC, or a date and time"
_SINCE = re.compile(r"\+(\d{1,12}(?:\.\d*)?)(?:s)?")
_CLOCK = re.compile(r"(\d{1,2}):(\d\d)(?::(\d\d)(?:\.(\d{1,9}))?)?")
_EPOCH = re.compile(r"\d{9,11}(?:\.\d*)?")
_ISO = re.compile(r"(\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d)?)(?:\.(\d{1,9}))?(Z|[+-]\d\d:?\d\d)?")
_DAY_S = 86_400


class MomentError(ValueError):
    """A text is not a moment; the message is one sentence for the user."""


def moment(text: str, begun_ns: int) -> int:
    """Return the time of day in nanoseconds that a text means; a MomentError if it is none."""
    try:
        return _moment(text, begun_ns)
    except ValueError as error:
        raise MomentError(f"invalid time '{text}' ({_EXPECTED})") from error


def _moment(text: str, begun_ns: int) -> int:
    if found := _SINCE.fullmatch(text):
        return begun_ns + int(Decimal(found[1]) * SECOND_NS)
    if _EPOCH.fullmatch(text):
        return int(Decimal(text) * SECOND_NS)
    if found := _CLOCK.fullmatch(text):
        return _on_its_day(found, begun_ns)
    if found := _ISO.fullmatch(text):
        at = datetime.fromisoformat(found[1] + (found[3] or "Z"))
        return int(at.timestamp()) * SECOND_NS + _fraction_ns(found[2])
    raise ValueError(text)


def _on_its_day(found: re.Match[str], begun_ns: int) -> int:
    """Return a time of the day on which the recording began, or of the next if it is earlier."""
    begun = datetime.fromtimestamp(begun_ns // SECOND_NS, UTC)
    at = begun.replace(
        hour=int(found[1]), minute=int(found[2]), second=int(found[3] or 0), microsecond=0
    )
    seconds = int(at.timestamp())
    if seconds < begun_ns // SECOND_NS:
        seconds += _DAY_S
    return seconds * SECOND_NS + _fraction_ns(found[4])


def _fraction_ns(digits: str | None) -> int:
    return int((digits or "").ljust(9, "0")[:9])
