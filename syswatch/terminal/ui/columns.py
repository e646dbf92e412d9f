"""The columns of the table: those of the registry, and how the table shows them."""

from collections.abc import Callable

import attrs

from syswatch.model.snapshot import CallStat
from syswatch.views import columns as registry
from syswatch.views.column import Column as RegisteredColumn
from syswatch.views.column import Kind, Place, Totals

from .styled_text import Span, align_left, align_right

_NOTHING = ("–", "dim")
_LONGEST_BAR = 10


@attrs.frozen
class Column:
    """A column of the registry, and how the table shows it."""

    facts: RegisteredColumn
    place: Place

    @property
    def name(self) -> str:
        """The key in the registry."""
        return self.facts.key

    @property
    def title(self) -> str:
        """The title in the first line, in capitals except for units."""
        name, slash, unit = self.facts.short_title.partition("/")
        return f"{name.upper()}{slash}{unit}"

    @property
    def width(self) -> int:
        """The least width, in cells."""
        return int(self.place.width)

    @property
    def fit(self) -> Callable[[str, int], str]:
        """The function that fits a text into a width: numbers are aligned to the right."""
        if self.facts.kind is Kind.BAR:
            return str.ljust
        return align_right if self.facts.is_number else align_left

    @property
    def is_choosable(self) -> bool:
        """Return whether the column can be hidden: the name of the call cannot."""
        return self.name != "name"

    def cell(self, call: CallStat, totals: Totals) -> Span:
        """Return what the column shows of a call."""
        value = self.facts.value(call, totals)
        if value is None:
            return _NOTHING
        if self.facts.kind is Kind.BAR:
            return "█" * round(_LONGEST_BAR * float(value)), call.category.value
        return self.facts.text(value), self._style(call)

    def _style(self, call: CallStat) -> str:
        if self.facts.is_of_errors:
            return "failing" if call.is_mostly_failing else "slow"
        return {"category": call.category.value, "rate": "live"}.get(self.name, "")


COLUMNS = tuple(Column(registry.COLUMNS[key], place) for key, place in registry.TERMINAL.items())
USUAL = frozenset(column.name for column in COLUMNS if not column.place.extra)
BY_NAME = {column.name: column for column in COLUMNS}
