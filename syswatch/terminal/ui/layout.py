"""Which columns fit a width, and which calls are shown in which order."""

from collections.abc import Sequence

import attrs

from syswatch.model.snapshot import CallStat
from syswatch.views.column import Totals

from .columns import BY_NAME, COLUMNS, USUAL, Column
from .styled_text import Line, align_right

# Cells left over go to long names first, then evenly to the columns of numbers.
_EXTRA_CELLS = {"errno": 2, "name": 12}
_MAX_EXTRA_CELLS_OF_NUMBERS = 2


@attrs.frozen
class Layout:
    """The columns that fit, each with its width."""

    columns: tuple[tuple[Column, int], ...]

    @classmethod
    def fitted(cls, width: int, sorted_by: str, wanted: frozenset[str] = USUAL) -> "Layout":
        """
        Choose among the wanted columns by rank until the width is used up.

        The column sorted by comes first, then those that are not shown by default.
        """
        first = ("name", sorted_by)
        ranked = sorted(
            (each for each in COLUMNS if each.name in (*first, *wanted)),
            key=lambda each: (each.name not in first, not each.place.extra, each.place.rank),
        )
        free, chosen = width, set()
        for column in ranked:
            if column.width + 1 <= free:
                chosen.add(column.name)
                free -= column.width + 1
        extra = {}
        for name, most in _EXTRA_CELLS.items():
            extra[name] = min(max(free, 0), most)
            free -= extra[name]
        numbers = [each for each in COLUMNS if each.name in chosen and each.fit is align_right]
        each_extra = (
            min(max(free, 0) // len(numbers), _MAX_EXTRA_CELLS_OF_NUMBERS) if numbers else 0
        )
        extra.update({each.name: each_extra for each in numbers})
        return cls(
            tuple(
                (column, column.width + extra.get(column.name, 0))
                for column in COLUMNS
                if column.name in chosen
            )
        )

    def titles(self, sorted_by: str, *, reverse: bool) -> Line:
        """Return the titles, with an arrow at the column sorted by."""
        arrow = "▲" if reverse else "▼"
        return [
            (
                column.fit(f"{column.title}{arrow if column.name == sorted_by else ''}", width)
                + " ",
                "title" if column.name == sorted_by else "heading",
            )
            for column, width in self.columns
        ]

    def row(self, call: CallStat, totals: Totals) -> Line:
        """Return the row of a call."""
        cells = [(column.cell(call, totals), column.fit, width) for column, width in self.columns]
        return [(fit(text, width) + " ", style) for (text, style), fit, width in cells]

    def column_at(self, x: int) -> str:
        """Return the name of the column at a position, or an empty string."""
        end = 0
        for column, width in self.columns:
            end += width + 1
            if x < end:
                return column.name
        return ""


def filter_and_sort(
    calls: Sequence[CallStat], sorted_by: str, filter_text: str, *, reverse: bool
) -> list[CallStat]:
    """Return the calls whose name contains a text, or whose category starts with it, in order."""
    text = filter_text.casefold()
    matching = [
        call
        for call in calls
        if text in call.name.casefold() or call.category.value.casefold().startswith(text)
    ]
    by_name = sorted(matching, key=lambda call: call.name)
    # Sorting is stable: equal values stay sorted by name, also in reverse.
    return sorted(by_name, key=BY_NAME[sorted_by].facts.sort_key, reverse=reverse)
