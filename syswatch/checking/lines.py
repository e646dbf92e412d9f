"""The lines of keys in TOML, which a parser does not tell."""

import re
from bisect import bisect_left
from collections.abc import Mapping, Sequence
from functools import cached_property

import attrs

from syswatch.base.classes import frozen
from syswatch.base.toml import TomlError, parsed

# A statement may end before such a line, and a document before a statement.  Of the elements of a
# list, hardly any looks so; without this, a long list would be parsed at each of its lines.
_BEGINS = re.compile(r"""\s*(?:$|[\#\[]|(?:[\w-]+|"(?:[^"\\\n]|\\.)*"|'[^'\n]*')\s*[.=])""")


@frozen(slots=False)
class Lines:
    """
    A valid document whose keys can be located.

    The beginning of a document is a document, too, unless it ends within a value.  So the line of
    a key is the first one with which the key appears.
    """

    text: str
    # Of beginnings that were looked at, by their numbers of lines.
    _known: dict[int, Mapping[str, object] | None] = attrs.field(factory=dict, init=False)

    @cached_property
    def _all(self) -> list[str]:
        return [f"{line}\n" for line in self.text.split("\n")]

    @cached_property
    def _ends(self) -> list[int]:
        """How many lines the beginnings have that may be documents."""
        count = len(self._all)
        return [end for end in range(1, count) if _BEGINS.match(self._all[end])] + [count]

    def line(self, keys: Sequence[str], element: str = "") -> int:
        """Return the line of a key, or of an element of its list, counted from 1; 0 if unknown."""
        low, high = 1, len(self._all)
        if not self._has(high, keys):
            return 0
        while low < high:
            middle = (low + high) // 2
            if self._has(middle, keys):
                high = middle
            else:
                low = middle + 1
        return self._line_of_element(low, element) if element else low

    def _line_of_element(self, first: int, element: str) -> int:
        """Return the line of an element, which is the first one that has its text in quotes."""
        _, last = self._document(first)
        texts = (f'"{element}"', f"'{element}'")
        for row in range(first, last + 1):
            if any(text in self._all[row - 1] for text in texts):
                return row
        return first

    def _has(self, count: int, keys: Sequence[str]) -> bool:
        """Return whether a key appears in the beginning that has at least so many lines."""
        found: object
        found, _ = self._document(count)
        for key in keys:
            if not isinstance(found, Mapping) or key not in found:
                return False
            found = found[key]
        return True

    def _document(self, count: int) -> tuple[Mapping[str, object], int]:
        """Return the shortest valid beginning with at least so many lines, and its length."""
        for end in self._ends[bisect_left(self._ends, count) :]:
            if (document := self._parsed(end)) is not None:
                return document, end
        return {}, len(self._all)

    def _parsed(self, end: int) -> Mapping[str, object] | None:
        """Return a beginning as a document, None if it ends within a value."""
        if end not in self._known:
            try:
                self._known[end] = parsed("".join(self._all[:end]))
            except TomlError:
                self._known[end] = None
        return self._known[end]
