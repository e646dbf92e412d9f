"""The lines of keys in TOML, which a parser does not tell."""

import tomllib
from collections.abc import Mapping, Sequence
from functools import cached_property

from syswatch.base.classes import frozen


@frozen(slots=False)
class Lines:
    """
    A valid document whose keys can be located.

    The beginning of a document is a document, too, unless it ends within a value.  So the line of
    a key is the first one with which the key appears.
    """

    text: str

    @cached_property
    def _all(self) -> list[str]:
        return self.text.splitlines(keepends=True)

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
        for end in range(count, len(self._all) + 1):
            try:
                return tomllib.loads("".join(self._all[:end])), end
            except tomllib.TOMLDecodeError:
                continue
        return {}, len(self._all)
