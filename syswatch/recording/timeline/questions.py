"""What can be asked of a timeline; the answers are JSON for the client."""

from typing import Final

from syswatch.base.classes import frozen
from syswatch.recording.questions import Kind, Nothing


@frozen
class Shown:
    """A range of time in nanoseconds from the begin of the trace, its width, and some lanes."""

    first: int
    last: int
    width: int
    # None for all.
    lanes: tuple[int, ...] | None = None


@frozen
class Wanted:
    """A call by its identifier."""

    id: str


@frozen
class Search:
    """A text, and the segment to begin with."""

    text: str
    segment: int = 0


LANES: Final = Kind("lanes", Nothing, bytes)
PICTURE: Final = Kind("picture", Shown, bytes)
# The answer is empty if there is no such call.
CALL: Final = Kind("call", Wanted, bytes)
SEARCH: Final = Kind("search", Search, bytes)
