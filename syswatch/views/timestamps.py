"""Moments of trace time as text."""

from datetime import UTC, datetime


def rfc3339(time_ns: int | None) -> str:
    """Return a moment with nanoseconds and the local zone; nothing where there is no clock."""
    if time_ns is None:
        return ""
    seconds, nanoseconds = divmod(time_ns, 10**9)
    try:
        local = datetime.fromtimestamp(seconds, UTC).astimezone()
    except (OverflowError, ValueError, OSError):
        return ""  # A log may claim any year; this one is on no calendar.
    zone = local.strftime("%z")
    return f"{local:%Y-%m-%dT%H:%M:%S}.{nanoseconds:09d}{zone[:3]}:{zone[3:5]}"
