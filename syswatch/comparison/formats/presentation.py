"""How text for people is written."""

from syswatch.base.classes import frozen
from syswatch.views.text_table import Paint, plain


@frozen
class Presentation:
    """The colours, and the width of the terminal; None where there is no limit."""

    paint: Paint = plain
    width: int | None = None
    # Whether tables also have what follows from other changes.
    has_all: bool = False
    # What a page says of its origin: version and time.
    origin: str = ""
