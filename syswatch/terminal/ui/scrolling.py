"""Where one is in a list that is longer than the window."""

import attrs


@attrs.define
class Scroll:
    """The first line shown, and how far one may go."""

    top: int = 0
    length: int = 0
    height: int = 1

    @property
    def last_top(self) -> int:
        """The first line when the end is shown."""
        return max(self.length - self.height, 0)

    @property
    def at_end(self) -> bool:
        """Return whether the end is shown."""
        return self.top >= self.last_top

    def fit(self, length: int, height: int) -> None:
        """Take note of how much there is, and stay inside."""
        self.length, self.height = length, max(height, 1)
        self.to(self.top)

    def to(self, top: int) -> None:
        """Go to a line."""
        self.top = min(max(top, 0), self.last_top)

    def reveal(self, line: int) -> None:
        """Go just as far as is needed to see a line."""
        if line < self.top:
            self.to(line)
        elif line >= self.top + self.height:
            self.to(line - self.height + 1)

    def step(self, name: str) -> int:
        """Return how far a key goes; more than there is means to the very end."""
        page = max(self.height - 1, 1)
        return {
            "up": -1,
            "down": 1,
            "page_up": -page,
            "page_down": page,
            "home": -self.length,
            "end": self.length,
        }[name]
