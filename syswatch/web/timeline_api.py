"""The endpoints for the timeline of a recording: lanes, sums or single calls of a range."""

from typing import Protocol, TypeVar

from twisted.internet.defer import Deferred
from twisted.web.iweb import IRequest

from syswatch.base.classes import define
from syswatch.recording.questions import Kind, Nothing
from syswatch.recording.timeline import records
from syswatch.recording.timeline.questions import (
    CALL,
    LANES,
    PICTURE,
    SEARCH,
    Search,
    Shown,
    Wanted,
)
from syswatch.service.reader_process import ReaderError

from .errors import bad_request, no_recording, unknown_call, unreadable_recording
from .parameters import IntegerParameter, NumbersParameter, TextParameter
from .responses import Response
from .routes import serves

_MOST_WIDTH = 8192
_MOST_LANES = 1000
_LONGEST_NS = 1 << 53
_LONGEST_TEXT = 200
_FROM = IntegerParameter(
    "from", "Begin of the range, in nanoseconds from the begin of the trace.", 0, _LONGEST_NS, 0
)
_TO = IntegerParameter("to", "End of the range, in the same unit.", 10**9, _LONGEST_NS, 1)
_WIDTH = IntegerParameter(
    "width", "Into how many columns the range is divided at most.", 1000, _MOST_WIDTH
)
_LANES = NumbersParameter(
    "lanes", "Return only these lanes, as numbers separated by commas.", _MOST_LANES
)
_TEXT = TextParameter(
    "text", "The text: part of a name, an error, arguments or an object.", _LONGEST_TEXT
)
_SEGMENT = IntegerParameter(
    "segment", "Where to continue: `Next` of the previous answer.", 0, _LONGEST_NS, 0
)


Q = TypeVar("Q")
A = TypeVar("A")


class RecordingReader(Protocol):
    """Asks the process that reads a recording, which is in a folder."""

    @property
    def folder(self) -> str:
        """The directory of the recording."""

    def ask(self, kind: Kind[Q, A], question: Q) -> Deferred[A]:
        """Return the answer to a question; a ReaderError if there is none."""


@define
class TimelineApi:
    """The endpoints; they have nothing to answer without a recording."""

    _reader: RecordingReader | None

    @serves("/api/recording/lanes", answers=records.Lanes, errors=(404, 503))
    async def lanes(self, request: IRequest) -> bytes:
        """Return the threads of a recording of every call, and what is in it."""
        return Response(await self._ask(LANES, Nothing())).send(request)

    @serves(
        "/api/recording/timeline",
        answers=records.Picture,
        parameters=(_FROM, _TO, _WIDTH, _LANES),
        errors=(400, 404, 503),
    )
    async def timeline(self, request: IRequest) -> bytes:
        """Return what a range of a recording shows: sums by column, or single calls if they fit."""
        first, last = _FROM.value(request), _TO.value(request)
        if last <= first:
            raise bad_request("to must be later than from.")
        shown = Shown(first, last, _WIDTH.value(request), _LANES.value(request))
        return Response(await self._ask(PICTURE, shown)).send(request)

    @serves("/api/recording/calls/<string:id>", answers=records.Call, errors=(404, 503))
    async def call(self, request: IRequest, id: str) -> bytes:  # noqa: A002  the name in the path
        """Return one recorded call with its arguments, result, object and times."""
        found = await self._ask(CALL, Wanted(id))
        if not found:
            raise unknown_call(id)
        return Response(found).send(request)

    @serves(
        "/api/recording/search",
        answers=records.Matches,
        parameters=(_TEXT, _SEGMENT),
        errors=(400, 404, 503),
    )
    async def search(self, request: IRequest) -> bytes:
        """Return recorded calls in which a text is found, part by part."""
        search = Search(_TEXT.value(request), _SEGMENT.value(request))
        found = await self._ask(SEARCH, search)
        return Response(found).send(request)

    async def _ask(self, kind: Kind[Q, bytes], question: Q) -> bytes:
        if self._reader is None:
            raise no_recording()
        try:
            return await self._reader.ask(kind, question)
        except ReaderError as error:
            raise unreadable_recording(str(error)) from error
