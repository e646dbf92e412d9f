"""The application: its widgets, and what each key does."""

import os
from collections.abc import Sequence
from typing import Any, ClassVar

from textual import events
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.filter import LineFilter
from textual.widgets import Input

from syswatch.model.snapshot import Snapshot

from . import footer, header, keys, page_content
from .browser import Browser
from .controls import Controls, Exit
from .dialogs import ColumnChooser, Question
from .help_page import help_page
from .lists import LISTS
from .pace import is_due
from .page import Content, Page
from .replay import Replay
from .styled_text import BACKGROUND, Line, NoColorFilter
from .table import ListTable
from .textual_private import QuietApp
from .widgets import AlertLines, LinesWidget


class SyswatchApp(QuietApp[Exit]):
    """Shows snapshots until the user quits."""

    TITLE = "syswatch"
    ENABLE_COMMAND_PALETTE = False
    # Keys go to the table unless the filter is open.
    AUTO_FOCUS = None
    CSS = f"""
    Screen, ModalScreen {{ background: {BACKGROUND}; overflow: hidden; }}
    Question, ColumnChooser {{ background: {BACKGROUND} 60%; }}
    Input {{ display: none; height: 1; border: none; padding: 0; background: #1d2530; }}
    Input.open {{ display: block; }}
    Input:focus {{ border: none; }}
    """
    BINDINGS: ClassVar[list[BindingType]] = keys.BINDINGS

    def __init__(
        self, controls: Controls, snapshot: Snapshot, sorted_by: str = "", **options: Any
    ) -> None:
        super().__init__(**options)
        self.controls = controls
        self._line_filters = [NoColorFilter()] if os.environ.get("NO_COLOR") else []
        self.snapshot = snapshot
        self.is_paused = False
        self._latest = snapshot
        self._notification = ""
        self._is_drawn = False
        self._header = LinesWidget()
        self._alerts = AlertLines()
        self.browser = Browser(snapshot, self._draw, sorted_by)
        self._filter = Input(placeholder="part of a name or kind", compact=True, disabled=True)
        # Nothing is sent to a terminal while nothing changes.
        self._filter.cursor_blink = False
        self._footer = LinesWidget("bar")
        self._replay = Replay(
            controls.part, self._show_part, self.set_timer, self.show_notification
        )
        self._replay.update(snapshot)

    @property
    def table(self) -> ListTable:
        """The table of the list that is shown."""
        return self.browser.table

    def get_line_filters(self) -> Sequence[LineFilter]:
        """Return only the filter for NO_COLOR: Textual's own cost time for every line."""
        return self._line_filters

    def compose(self) -> ComposeResult:
        """Yield the widgets from top to bottom."""
        yield self._header
        yield self._alerts
        yield self.browser
        yield self._filter
        yield self._footer

    def on_mount(self) -> None:
        """Draw the newest snapshot for the first time."""
        self._is_drawn = True
        self._show(self._latest)

    def update_snapshot(self, snapshot: Snapshot) -> None:
        """Show another snapshot if it is time for that, unless paused."""
        self._latest = snapshot
        self._replay.update(snapshot)
        is_held = self.is_paused or self._replay.is_limited
        if self._is_drawn and not is_held and is_due(snapshot, self.snapshot):
            self._show(snapshot)

    def show_notification(self, text: str) -> None:
        """Show a text in the footer until the next key."""
        self._notification = text
        if isinstance(self.screen, Page):
            self.screen.show_notification(text)
        else:
            self._draw_footer()

    # --- keys --------------------------------------------------------------------------------

    def on_key(self, _event: events.Key) -> None:
        """Remove the notification."""
        if self._notification:
            self.show_notification("")

    def action_move(self, name: str) -> None:
        """Move the cursor."""
        self.table.move(name)

    def action_sort(self, column: str) -> None:
        """Sort by a column, or reverse the order if sorted by it already."""
        self.table.sort(column)

    def action_reverse(self) -> None:
        """Reverse the sort order."""
        self.table.reverse_order()

    def action_sort_by_neighbour(self, step: int) -> None:
        """Sort by the next or the previous column."""
        self.table.sort_by_neighbour(step)

    def action_tab(self, name: str) -> None:
        """Show a list, or open the page of a tab."""
        if name in LISTS:
            self.browser.switch(name)
            return
        page = page_content.TAB_PAGES[name]
        scope, output = self.browser.places.current.scope, self.controls.output
        self._open(
            page.title,
            lambda snapshot, width: page.lines(snapshot, scope, output, width),
            columns=page.columns,
            follows=page.follows,
        )

    def action_next_tab(self, step: int) -> None:
        """Show the next or the previous list."""
        if len(self.screen_stack) == 1:
            self.browser.switch_to_neighbour(step)

    def action_open(self) -> None:
        """Show the calls of the selected row, or its details if it is a call."""
        if not self.browser.enter_selected():
            self.action_details()

    def action_details(self) -> None:
        """Open the details of the selected row."""
        if details := self.browser.details():
            self._open(*details)

    def on_list_table_activated(self) -> None:
        """Open the row that was double-clicked."""
        self.action_open()

    def action_alerts(self) -> None:
        """Open the page of alerts."""
        self._open("Alerts", header.alerts_page)

    def action_columns(self) -> None:
        """Open the column chooser."""
        table = self.table
        chooser = ColumnChooser(table.columns, table.state.columns, table.choose_columns)
        self.push_screen(chooser, lambda _: self._draw())

    def action_help(self) -> None:
        """Open the help."""
        is_replay = self._replay.is_there
        self._open("Help", lambda snapshot, width: help_page(snapshot, width, is_replay=is_replay))

    def action_pause(self) -> None:
        """Pause, or resume with the latest snapshot; play a recording, or pause it."""
        if self._replay.toggle():
            return
        self.is_paused = not self.is_paused
        self._show(self.snapshot if self.is_paused else self._latest)

    def action_replay(self, name: str) -> None:
        """Show another range of a recording."""
        self._replay.act(name)

    def action_report(self) -> None:
        """Save a report."""
        self.show_notification(self.controls.save_report(self.snapshot))

    def action_copy(self) -> None:
        """Copy the selected row."""
        if copied := self.browser.copied():
            self.copy_to_clipboard(copied[0])
            self.show_notification(f"copied {copied[1]}")

    def action_interrupt(self) -> None:
        """Pass on Ctrl+C."""
        self.show_notification(self.controls.interrupt())

    def action_ask_quit(self) -> None:
        """Quit; ask first if that terminates the command."""
        if isinstance(self.screen, Question):
            return
        if not self.controls.quit_terminates():
            self.exit(Exit.QUIT)
            return
        lines = ("The command is still running.", "Quit and terminate it (SIGTERM)?")
        self.push_screen(Question(lines), self._on_answer)

    def _on_answer(self, is_yes: bool | None) -> None:  # noqa: FBT001  Textual passes it so
        if is_yes:
            self.exit(Exit.TERMINATE_COMMAND)
        else:
            self._draw()

    # --- the filter --------------------------------------------------------------------------

    def action_filter(self) -> None:
        """Open the filter."""
        self._filter.disabled = False
        self._filter.add_class("open")
        self._filter.focus()
        self._draw_footer()

    def action_go_back(self) -> None:
        """Clear and close the filter, or go back to where the user came from."""
        if self._filter.has_focus or self.table.state.filter_text:
            self._filter.value = ""
            self._close_filter()
        else:
            self.browser.back()

    def on_input_changed(self, event: Input.Changed) -> None:
        """Filter while the user types."""
        self.table.set_filter(event.value.strip())
        self._draw_footer()

    def on_input_submitted(self, _event: Input.Submitted) -> None:
        """Keep the filter and return to the table."""
        self._close_filter()

    def _close_filter(self) -> None:
        self._filter.remove_class("open")
        self._filter.disabled = True
        self.set_focus(None)
        self._draw_footer()

    # --- drawing -----------------------------------------------------------------------------

    def on_resize(self, _event: events.Resize) -> None:
        """Fit everything to the new size, unless it is that of the first drawing, still to come."""
        if self._is_drawn:
            self.call_after_refresh(self._draw)

    def _open(
        self, title: str, content: Content, *, columns: Line = (), follows: bool = False
    ) -> None:
        page = Page(title, content, self.snapshot, columns=columns, follows=follows)
        self.push_screen(page, self._on_page_closed)

    def _on_page_closed(self, tab: str | None) -> None:
        self.action_tab(tab) if tab else self._draw()

    def _show_part(self, part: Snapshot | None) -> None:
        """Show a part of the recording, or the whole."""
        if self.is_running:
            self._show(part or self._latest)

    def _show(self, snapshot: Snapshot) -> None:
        self.snapshot = snapshot
        match self.screen:
            case Page() as page:
                page.update_snapshot(snapshot)
            case Question() as question:
                # The table below is not redrawn: Textual would redraw the whole screen.
                if not self.controls.quit_terminates():
                    question.dismiss(result=False)
            case _:
                self._draw()

    def _draw(self) -> None:
        snapshot, size = self.snapshot, self.size
        pid, sentence = self.browser.places.current.scope.pid, self.browser.sentence(snapshot)
        lines = header.header(snapshot, size, pid, sentence, is_paused=self.is_paused)
        self._header.show([*lines, *self._replay.lines(size.width)])
        self._alerts.show_alerts(snapshot, size)
        self.browser.show(snapshot)
        self._filter.value = self.table.state.filter_text
        self._draw_footer()

    def _draw_footer(self) -> None:
        line = footer.line(
            self.size.width,
            notification=self._notification,
            filtered_by=self.table.state.filter_text,
            is_filtering=self._filter.has_focus,
            has_ended=self.snapshot.done,
            is_replay=self._replay.is_there,
        )
        self._footer.show([line])
