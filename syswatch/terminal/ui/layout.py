"""Which columns fit a width, and the order of the rows."""

from collections.abc import Sequence

import attrs

from syswatch.model.snapshot import CallStat

from .columns import BY_NAME, COLUMNS, USUAL, Column, Whole
from .pieces import Line, right

# What long names get where there is room, and then each column of numbers before it.
_SPARE_CELLS = {"errno": 2, "name": 12}
_MOST_AIR = 2


@attrs.frozen
class Layout:
    """The columns that fit, each with its cells."""

    columns: tuple[tuple[Column, int], ...]

    @classmethod
    def fitted(cls, width: int, sorted_by: str, wanted: frozenset[str] = USUAL) -> "Layout":
        """
        Take the wanted columns by rank while there is room.

        What the table is sorted by is among them, and then what is usually not there.
        """
        first = ("name", sorted_by)
        ranked = sorted(
            (each for each in COLUMNS if each.name in (*first, *wanted)),
            key=lambda each: (each.name not in first, not each.extra, each.rank),
        )
        free, chosen = width, set()
        for column in ranked:
            if column.width + 1 <= free:
                chosen.add(column.name)
                free -= column.width + 1
        spare = {}
        for name, most in _SPARE_CELLS.items():
            spare[name] = min(max(free, 0), most)
            free -= spare[name]
        numbers = [each for each in COLUMNS if each.name in chosen and each.fit is right]
        air = min(max(free, 0) // len(numbers), _MOST_AIR) if numbers else 0
        spare.update({each.name: air for each in numbers})
        return cls(
            tuple(
                (column, column.width + spare.get(column.name, 0))
                for column in COLUMNS
                if column.name in chosen
            )
        )

    def titles(self, sorted_by: str, *, reverse: bool) -> Line:
        """Return the titles, with a mark at what the table is sorted by."""
        mark = "▲" if reverse else "▼"
        return [
            (
                column.fit(f"{column.title}{mark if column.name == sorted_by else ''}", width)
                + " ",
                "title" if column.name == sorted_by else "heading",
            )
            for column, width in self.columns
        ]

    def row(self, call: CallStat, whole: Whole) -> Line:
        """Return the cells of one call."""
        cells = [(column.cell(call, whole), column.fit, width) for column, width in self.columns]
        return [(fit(text, width) + " ", ink) for (text, ink), fit, width in cells]

    def column_at(self, x: int) -> str:
        """Return the column under a pointer."""
        end = 0
        for column, width in self.columns:
            end += width + 1
            if x < end:
                return column.name
        return ""


def arrange(
    calls: Sequence[CallStat], sorted_by: str, wanted: str, *, reverse: bool
) -> list[CallStat]:
    """Sort, and leave out what does not have the wanted text in its name or category."""
    wanted = wanted.casefold()
    kept = [
        call
        for call in calls
        if wanted in call.name.casefold() or wanted == call.category.value.casefold()
    ]
    by_name = sorted(kept, key=lambda call: call.name)
    # A sort keeps the order of equals either way.
    return sorted(by_name, key=BY_NAME[sorted_by].key, reverse=reverse)
