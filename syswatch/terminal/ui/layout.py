"""The layout of a list: the columns that fit a width, and the cells of a row."""

from collections.abc import Sequence
from typing import Generic

from syswatch.base.classes import frozen

from .columns import Column, Item
from .styled_text import Line, Span

_FIRST_MINOR_RANK = 9
_FOR_NAMES = 14


@frozen
class Layout(Generic[Item]):
    """The columns that fit, each with its width."""

    columns: tuple[tuple[Column[Item], int], ...]

    @classmethod
    def fitted(
        cls,
        columns: Sequence[Column[Item]],
        width: int,
        sorted_by: str,
        wanted: frozenset[str],
    ) -> "Layout[Item]":
        """
        Choose among the wanted columns by rank until the width is used up.

        The column sorted by comes first, then those that are not shown by default.  Before minor
        columns, some space is left for long names.
        """
        ranked = sorted(
            (each for each in columns if each.name in wanted or _is_first(each, sorted_by)),
            key=lambda each: (
                not _is_first(each, sorted_by),
                not each.place.extra,
                each.place.rank,
            ),
        )
        free, chosen = width, set()
        for column in ranked:
            reserve = 0 if _is_needed(column, sorted_by) else _FOR_NAMES
            if column.width + 1 + reserve <= free:
                chosen.add(column.name)
                free -= column.width + 1
        shown = [column for column in columns if column.name in chosen]
        extra = _extra_cells(shown, free)
        return cls(tuple((column, column.width + extra[column.name]) for column in shown))

    def titles(self, sorted_by: str, *, reverse: bool, is_estimated: bool = False) -> Line:
        """Return the titles, with an arrow at the column sorted by, and a tilde at estimates."""
        arrow = "▲" if reverse else "▼"
        titles: list[Span] = []
        for column, width in self.columns:
            tilde = "~" if is_estimated and column.depends_on_waits else ""
            is_sorted = column.name == sorted_by
            text = f"{tilde}{column.title}{arrow if is_sorted else ''}"
            titles.append((column.fit(text, width) + " ", "title" if is_sorted else "heading"))
        return titles

    def row(self, item: Item) -> Line:
        """Return the row of an item."""
        cells = [(column.cell(item), column.fit, width) for column, width in self.columns]
        return [(fit(text, width) + " ", style) for (text, style), fit, width in cells]

    def column_at(self, x: int) -> str:
        """Return the name of the column at a position, or an empty string."""
        end = 0
        for column, width in self.columns:
            end += width + 1
            if x < end:
                return column.name
        return ""


def _is_first(column: Column[Item], sorted_by: str) -> bool:
    return column.place.rank == 0 or column.name == sorted_by


def _is_needed(column: Column[Item], sorted_by: str) -> bool:
    is_major = column.place.extra or column.place.rank < _FIRST_MINOR_RANK
    return is_major or _is_first(column, sorted_by)


def _extra_cells(shown: Sequence[Column[Item]], free: int) -> dict[str, int]:
    """Distribute the cells left over: to texts by their needs, then evenly to numbers."""
    wanted = sum(column.most_extra for column in shown if not column.is_number)
    part = min(max(free, 0) / wanted, 1) if wanted else 0
    extra = {column.name: int(column.most_extra * part) for column in shown if not column.is_number}
    free -= sum(extra.values())
    numbers = [column for column in shown if column.is_number]
    for column in numbers:
        extra[column.name] = min(max(free, 0) // len(numbers), column.most_extra)
    return extra
