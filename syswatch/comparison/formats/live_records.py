"""The JSON document of a comparison with a trace that a server shows; fields are the JSON keys."""

from syswatch.views.records import Count, Record

from .document import Document


class ShownChange(Record, frozen=True):
    """A number that changed as text: what it belongs to, both sides, and the change."""

    kind: str
    subject: str
    figure: str
    before: str
    after: str
    change: str


class Durations(Record, frozen=True):
    """
    The durations of a call whose time changed, in all runs of both sides.

    A bar is `[place, calls]`, as those of the page of a call.
    """

    name: str
    before: list[tuple[int, int]]
    after: list[tuple[int, int]]


class LiveDocument(Document, frozen=True, kw_only=True):
    """
    A comparison of baselines with a trace, or with a range of it.

    What is missing in a trace that is still running, or in a range, is no change.  `Total` is the
    number of all changes, of which `Changes` has the most important; `Rows` has the same as text.
    """

    running: bool
    part: bool
    total: Count
    rows: list[ShownChange]
    durations: list[Durations]
