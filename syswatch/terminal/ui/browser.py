"""The main screen's lists: tabs, the list that is shown, details beside it, the way back."""

from collections.abc import Callable

from textual import events
from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical

from syswatch.base.text import escape_text
from syswatch.model.snapshot import Snapshot

from .lists import LISTS, scope_name
from .page import Content
from .places import Place, Places
from .side_panel import SidePanel
from .table import ListTable
from .tabs import tab_line, useful_tabs
from .widgets import LinesWidget

# From this width on, the details of the selected row are shown beside the list.
_WIDE = 160


class Browser(Vertical):
    """Shows one list at a time; calls `on_change` when another one is shown."""

    DEFAULT_CSS = "Browser { height: 1fr; }"

    def __init__(
        self, snapshot: Snapshot, on_change: Callable[[], None], sorted_by: str = ""
    ) -> None:
        super().__init__()
        self.places = Places(LISTS, Place("calls"))
        self.places.state.sorted_by = sorted_by or self.places.listing.sorted_by
        self.table = ListTable(self.places.listing, self._draw_panel)
        self._snapshot = snapshot
        self._on_change = on_change
        self._tabs = LinesWidget("bar")
        self._panel = SidePanel()

    def compose(self) -> ComposeResult:
        """Yield the widgets."""
        yield self._tabs
        with Horizontal():
            yield self.table
            yield self._panel

    def on_resize(self, _event: events.Resize) -> None:
        """Show or hide the details beside the list, and as many tabs as fit."""
        self.show(self._snapshot)

    def show(self, snapshot: Snapshot) -> None:
        """Show another snapshot."""
        self._snapshot = snapshot
        place, listing = self.places.current, self.places.listing
        scope = scope_name(snapshot, place.scope)
        has_groups = bool(snapshot.sums.groups)
        self._tabs.show([tab_line(place.name, scope, self.size.width, has_groups=has_groups)])
        self._panel.display = self.size.width >= _WIDE
        self.table.show(listing, self.places.state, snapshot, place.scope)

    def sentence(self, snapshot: Snapshot) -> str:
        """Return the sentence of the list that is shown, if it has one of its own."""
        return self.places.listing.sentence(snapshot)

    def switch(self, name: str) -> None:
        """Show another list of the same part of the trace."""
        self.places.switch(name)
        self._on_change()

    def switch_to_neighbour(self, step: int) -> None:
        """Show the next or the previous list."""
        current, has_groups = self.places.current.name, bool(self._snapshot.sums.groups)
        useful = {tab.name for tab in useful_tabs(has_groups=has_groups)} | {current}
        names = [name for name in LISTS if name in useful]
        self.switch(names[(names.index(current) + step) % len(names)])

    def enter_selected(self) -> bool:
        """Show the calls of the selected row; return False if only its details can be shown."""
        item = self.table.selected
        scope = None if item is None else self.table.listing.opens(item, self.places.current.scope)
        if scope is None:
            return False
        self.places.enter(Place("calls", scope))
        self._on_change()
        return True

    def back(self) -> None:
        """Return to the list before, or else to all calls."""
        if not self.places.back():
            self.places.switch("calls")
        self._on_change()

    def details(self) -> tuple[str, Content] | None:
        """Return the title and the content of the selected row's details."""
        item = self.table.selected
        if item is None:
            return None
        listing, scope = self.table.listing, self.places.current.scope
        key = listing.key(item)
        return listing.text(item), lambda snapshot, width: listing.details(
            snapshot, scope, key, width
        )

    def copied(self) -> tuple[str, str] | None:
        """Return the selected row as text, and what its numbers are."""
        item = self.table.selected
        if item is None:
            return None
        numbers, meaning = self.table.listing.copied(item)
        return f"{escape_text(self.table.listing.text(item))}\t{numbers}", meaning

    def _draw_panel(self) -> None:
        if self._panel.display:
            _, content = self.details() or ("", lambda *_: ())
            self._panel.show(lambda width: content(self._snapshot, width))
