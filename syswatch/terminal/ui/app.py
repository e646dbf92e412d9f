"""The application: its widgets, and what each key does."""

import enum
import os
from collections.abc import Callable, Sequence
from typing import Any, ClassVar

import attrs
from textual import events
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.filter import LineFilter
from textual.widgets import Input

from syswatch.base.text import escape_text
from syswatch.model.snapshot import Snapshot

from . import header, keys, page_content
from .detail import detail
from .dialogs import ColumnChooser, Question
from .page import Content, Page
from .styled_text import BACKGROUND, Line, NoColorFilter, cell_width, join_lines, that_fit
from .table import CallTable
from .textual_private import QuietApp
from .widgets import AlertLines, LinesWidget

# Terminals of at least this height show more alerts.
_TALL = 35
_ALERTS, _ALERTS_IF_TALL = 2, 6


class Exit(enum.Enum):
    """What the user chose when quitting."""

    QUIT = enum.auto()
    TERMINATE_COMMAND = enum.auto()


@attrs.frozen
class Controls:
    """What the application can ask its caller to do; a text that is returned is shown."""

    interrupt: Callable[[], str]
    save_report: Callable[[Snapshot], str]
    quit_terminates: Callable[[], bool]
    output: Callable[[], Sequence[str]] = tuple


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

    def __init__(self, controls: Controls, snapshot: Snapshot, **options: Any) -> None:
        super().__init__(**options)
        self.controls = controls
        self._line_filters = [NoColorFilter()] if os.environ.get("NO_COLOR") else []
        self.snapshot = snapshot
        self.is_paused = False
        self._latest = snapshot
        self._notification = ""
        self._header = LinesWidget()
        self._alerts = AlertLines()
        self.table = CallTable()
        self._filter = Input(
            placeholder="part of a name, or a category", compact=True, disabled=True
        )
        self._footer = LinesWidget("bar")

    def get_line_filters(self) -> Sequence[LineFilter]:
        """Return only the filter for NO_COLOR: Textual's own cost time for every line."""
        return self._line_filters

    def compose(self) -> ComposeResult:
        """Yield the widgets from top to bottom."""
        yield self._header
        yield self._alerts
        yield self.table
        yield self._filter
        yield self._footer

    def on_mount(self) -> None:
        """Draw the first snapshot."""
        self._draw()

    def update_snapshot(self, snapshot: Snapshot) -> None:
        """Show another snapshot unless paused."""
        self._latest = snapshot
        if self.is_running and not self.is_paused:
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

    def action_details(self) -> None:
        """Open the page of the selected call."""
        if call := self.table.selected:
            name = call.name
            self._open(name, lambda snapshot, width: detail(snapshot, name, width))

    def on_call_table_activated(self) -> None:
        """Open the page of the call that was double-clicked."""
        self.action_details()

    def action_files(self) -> None:
        """Open the page of files."""
        self._open("Top Files", page_content.files, columns=page_content.FILE_COLUMNS)

    def action_log(self) -> None:
        """Open the log."""
        self._open("Log", page_content.log, follows=True)

    def action_processes(self) -> None:
        """Open the process tree."""
        self._open("Processes", page_content.processes, columns=page_content.PROCESS_COLUMNS)

    def action_output(self) -> None:
        """Open the output of the command."""
        self._open(
            "Output",
            lambda *_: page_content.output(self.controls.output()),
            columns=page_content.OUTPUT_COLUMNS,
            follows=True,
        )

    def action_alerts(self) -> None:
        """Open the page of alerts."""
        self._open("Alerts", header.alerts_page)

    def action_columns(self) -> None:
        """Open the column chooser."""
        chooser = ColumnChooser(self.table.columns, self.table.choose_columns)
        self.push_screen(chooser, lambda _: self._draw())

    def action_help(self) -> None:
        """Open the help."""
        self._open("Help", lambda _, width: page_content.help_page(width))

    def action_pause(self) -> None:
        """Pause, or resume with the latest snapshot."""
        self.is_paused = not self.is_paused
        self._show(self.snapshot if self.is_paused else self._latest)

    def action_report(self) -> None:
        """Save a report."""
        self.show_notification(self.controls.save_report(self.snapshot))

    def action_copy(self) -> None:
        """Copy the selected row."""
        if call := self.table.selected:
            tally = call.tally
            numbers = (tally.count, tally.errors, tally.total_ns, call.p95_ns, call.p99_ns)
            self.copy_to_clipboard("\t".join([escape_text(call.name), *map(str, numbers)]))
            self.show_notification(f"copied {call.name}: calls, errors, total, P95, P99 (ns)")

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

    def action_clear_filter(self) -> None:
        """Clear and close the filter."""
        self._filter.value = ""
        self._close_filter()

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
        """Fit everything to the new size."""
        self.call_after_refresh(self._draw)

    def _open(
        self, title: str, content: Content, *, columns: Line = (), follows: bool = False
    ) -> None:
        page = Page(title, content, self.snapshot, columns=columns, follows=follows)
        self.push_screen(page, lambda _: self._draw())

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
        bar = header.category_bar(snapshot, size.width)
        self._header.show([*header.header(snapshot, size.width, is_paused=self.is_paused), bar])
        limit = _ALERTS_IF_TALL if size.height >= _TALL else _ALERTS
        self._alerts.show_alerts(snapshot, limit, size.width)
        self.table.show(snapshot)
        self._draw_footer()

    def _draw_footer(self) -> None:
        self._footer.show([self._footer_line()])

    def _footer_line(self) -> Line:
        if self._notification:
            return [(self._notification, "bar")]
        if self._filter.has_focus:
            return join_lines(map(_hint, keys.FILTER_FOOTER))
        status = ""
        if self.table.filter_text:
            status = f"filter: {self.table.filter_text} (esc clears)  "
        elif self.snapshot.done:
            status = "ended  "
        *hints, last = map(_hint, keys.FOOTER)
        free = self.size.width - cell_width([(status, ""), ("  ", ""), *last])
        return [(status, "bar"), *join_lines([*that_fit(hints, free), last])]


def _hint(hint: tuple[str, str]) -> Line:
    key, text = hint
    return [(key, "key"), (f" {text}", "bar")]
