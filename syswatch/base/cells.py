"""How many columns of a terminal a text takes: 2 for wide characters, none for combining ones."""

from itertools import accumulate, dropwhile
from unicodedata import category, east_asian_width

_WIDE = frozenset("FW")
# Marks that are drawn over the character before them.
_COMBINING = frozenset({"Mn", "Me"})


def cells(text: str) -> int:
    """Return the width of a text."""
    return len(text) if text.isascii() else sum(map(_width, text))


def first_cells(text: str, most: int) -> str:
    """Return as much of the beginning of a text as fits into a width."""
    if text.isascii():
        return text[: max(most, 0)]
    return text[: sum(width <= most for width in accumulate(map(_width, text)))]


def last_cells(text: str, most: int) -> str:
    """Return as much of the end of a text as fits into a width."""
    widths = accumulate(map(_width, reversed(text)))
    end = text[len(text) - sum(width <= most for width in widths) :]
    # Not the marks of a character that is cut off.
    return "".join(dropwhile(lambda each: not _width(each), end))


def _width(character: str) -> int:
    if category(character) in _COMBINING:
        return 0
    return 2 if east_asian_width(character) in _WIDE else 1
