"""Sentences about limits, in plain words."""

from .budget import Maximum, Measure


def sentence_about(entry: Maximum, value: int) -> str:
    """Return how much was used, and by how much that is more than is allowed."""
    unit, limit = entry.measure.unit, entry.limit
    used, most = unit.texts(value, limit)
    what = _what(entry, used, is_one=value == 1)
    if value <= limit:
        return f"{what}, within {most}"
    if not limit:
        return f"{what}, where none is allowed"
    return f"{what}, {unit.text(value - limit)} more than the {most} allowed"


def _what(entry: Maximum, used: str, *, is_one: bool) -> str:
    by = "" if entry.calls is None else entry.subject
    of = f" of {by}" if by else ""
    match entry.measure:
        case Measure.CALLS:
            return f"{used} {'call' if is_one else 'calls'}{of}"
        case Measure.ERRORS if entry.errno:
            return f"{used} {entry.errno} {'error' if is_one else 'errors'}{of}"
        case Measure.ERRORS:
            return f"{used} failed {'call' if is_one else 'calls'}{of}"
        case Measure.BYTES_IN:
            return f"{used} read{f' by {by}' if by else ''}"
        case Measure.BYTES_OUT:
            return f"{used} written{f' by {by}' if by else ''}"
        case Measure.WAITING:
            return f"{used} waiting{f' in {by}' if by else ''}"
