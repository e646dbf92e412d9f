"""
When the calls of a segment began and ended, as its footer says.

A reader finds the segments of a range of time by it, without reading them.
"""

from collections.abc import Mapping
from typing import Any, Self

import attrs

from syswatch.base.classes import frozen
from syswatch.codec.events import UNFINISHED_NS
from syswatch.model.times import LONGEST_NS

from .extra import load

_KEY = b"syswatch extent"


@frozen
class Extent:
    """
    The times in nanoseconds since 1970, and the number of calls that have not returned.

    The ends are those of the calls that have returned; if none has, the last is before the first.
    """

    begun_ns: int
    first_end_ns: int
    last_end_ns: int
    unfinished: int

    @classmethod
    def of(cls, events: Any) -> Self:
        """Return the extent of events, which are in the order of their starts."""
        numpy = load("numpy")
        # Columns, not events, are selected: that copies a small part.
        has_returned = events["duration_ns"] != UNFINISHED_NS
        starts = events["start_ns"][has_returned]
        ends = numpy.minimum(starts + events["duration_ns"][has_returned], LONGEST_NS)
        return cls(
            begun_ns=int(events["start_ns"].min(initial=LONGEST_NS)),
            first_end_ns=int(ends.min(initial=LONGEST_NS)),
            last_end_ns=int(ends.max(initial=0)),
            unfinished=len(events) - len(starts),
        )

    @classmethod
    def from_metadata(cls, metadata: Mapping[bytes, bytes] | None) -> Self | None:
        """Return what the metadata of a file say, or None if they say nothing that makes sense."""
        numbers = (metadata or {}).get(_KEY, b"")[:100].split()
        if len(numbers) != len(attrs.fields(cls)) or not all(map(bytes.isdigit, numbers)):
            return None
        return cls(*map(int, numbers))

    def as_metadata(self) -> Mapping[bytes, bytes]:
        """Return the metadata for a file."""
        return {_KEY: b" ".join(b"%d" % number for number in attrs.astuple(self))}
