"""
The trace that a process belongs to, as W3C Trace Context has it.

A program that starts another one passes it on in the environment variable `TRACEPARENT`.
"""

import re
from typing import Self

from syswatch.base.classes import frozen

_FIRST_VERSION = "00"
_NO_VERSION = "ff"
# Later versions may have more fields; these four stay.
_FIELDS = re.compile(r"([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?", re.DOTALL)
_SAMPLED = 1


@frozen
class TraceParent:
    """A span, and whether its trace is recorded; the IDs are hexadecimal."""

    trace_id: str
    span_id: str
    flags: int

    @classmethod
    def parse(cls, text: str) -> Self | None:
        """Return what a `traceparent` says, or None if it is invalid."""
        match = _FIELDS.fullmatch(text)
        if match is None:
            return None
        version, trace_id, span_id, flags, more = match.groups()
        if version == _NO_VERSION or (version == _FIRST_VERSION and more is not None):
            return None
        if not (int(trace_id, 16) and int(span_id, 16)):
            return None
        return cls(trace_id, span_id, int(flags, 16))

    @property
    def is_valid(self) -> bool:
        """Return whether this can be what was parsed."""
        return self == self.parse(f"00-{self.trace_id}-{self.span_id}-{self.flags:02x}")

    @property
    def is_sampled(self) -> bool:
        """Return whether the spans of the trace are recorded."""
        return bool(self.flags & _SAMPLED)
