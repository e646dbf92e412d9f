"""The timeline: lanes, pictures of a range, single calls, and a search."""

from syswatch.recording.questions import Nothing
from syswatch.recording.timeline.details import UnknownCallError
from syswatch.recording.timeline.questions import (
    CALL,
    LANES,
    PICTURE,
    SEARCH,
    Search,
    Shown,
    Wanted,
)
from syswatch.views.records import encode

from .request import Reader, Request


def _lanes(reader: Reader, _: Nothing) -> bytes:
    return encode(reader.timeline.lanes())


def _picture(reader: Reader, shown: Shown) -> bytes:
    return encode(reader.timeline.picture(shown.first, shown.last, shown.width, shown.lanes))


def _call(reader: Reader, wanted: Wanted) -> bytes:
    """Return a call, or nothing if there is none with this identifier."""
    try:
        return encode(reader.timeline.call(wanted.id))
    except UnknownCallError:
        return b""


def _search(reader: Reader, search: Search) -> bytes:
    return encode(reader.timeline.search(search.text, search.segment))


REQUESTS = (
    Request(LANES, _lanes),
    Request(PICTURE, _picture),
    Request(CALL, _call),
    Request(SEARCH, _search),
)
