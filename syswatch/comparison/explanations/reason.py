"""Why the figures of a group changed."""

from typing import NamedTuple


class Reason(NamedTuple):
    """A clause, empty if nothing is known, and what else it explains."""

    text: str = ""
    # Files at or below this directory that changed in the same way.
    place: str = ""
    # Whether names are only searched in more directories than before, and found.
    is_search: bool = False


UNKNOWN = Reason()
