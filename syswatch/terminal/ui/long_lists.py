"""Long lists: items computed when they are shown, and the position of the visible part."""

from collections.abc import Callable, Sequence
from typing import Generic, TypeVar, overload

from syswatch.base.classes import define, frozen

Source = TypeVar("Source")
Item = TypeVar("Item")


@frozen
class LazyList(Sequence[Item], Generic[Source, Item]):
    """A sequence that applies a function to an item of another sequence when it is accessed."""

    _source: Sequence[Source]
    _convert: Callable[[Source], Item]

    def __len__(self) -> int:
        return len(self._source)

    @overload
    def __getitem__(self, index: int) -> Item: ...

    @overload
    def __getitem__(self, index: slice) -> Sequence[Item]: ...

    def __getitem__(self, index: int | slice) -> Item | Sequence[Item]:
        """Convert one item, or those of a slice."""
        if isinstance(index, slice):
            return [self._convert(each) for each in self._source[index]]
        return self._convert(self._source[index])


@define
class ScrollPosition:
    """The first visible line of a list, kept within its bounds."""

    top: int = 0
    length: int = 0
    height: int = 1

    @property
    def last_top(self) -> int:
        """The first visible line when the end is visible."""
        return max(self.length - self.height, 0)

    @property
    def at_end(self) -> bool:
        """Whether the end is visible."""
        return self.top >= self.last_top

    def fit(self, length: int, height: int) -> None:
        """Set the length of the list and the height of the window."""
        self.length, self.height = length, max(height, 1)
        self.scroll_to(self.top)

    def scroll_to(self, top: int) -> None:
        """Make a line the first visible one, as far as the bounds allow."""
        self.top = min(max(top, 0), self.last_top)

    def reveal(self, line: int) -> None:
        """Scroll as little as needed to make a line visible."""
        if line < self.top:
            self.scroll_to(line)
        elif line >= self.top + self.height:
            self.scroll_to(line - self.height + 1)

    def step(self, name: str) -> int:
        """Return the number of lines that a movement key moves by; it may exceed the bounds."""
        page = max(self.height - 1, 1)
        return {
            "up": -1,
            "down": 1,
            "page_up": -page,
            "page_down": page,
            "home": -self.length,
            "end": self.length,
        }[name]
