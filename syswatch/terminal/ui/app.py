"""The application: which widget shows what, and which key does what."""

import enum
import os
from collections.abc import Callable, Sequence
from typing import Any, ClassVar

import attrs
from textual import events
from textual.app import App, ComposeResult
from textual.binding import BindingType
from textual.filter import LineFilter
from textual.widgets import Input

from syswatch.base.text import inert
from syswatch.model.snapshot import Snapshot

from . import head, keys, texts
from .chooser import ColumnChooser
from .detail import detail
from .lines import Lines, StandingOut
from .page import Content, Page
from .pieces import INK, Line, cells, fitting, joined
from .plain import Plain
from .question import Question
from .table import CallTable

_PAPER = str(INK[""].bgcolor.name if INK[""].bgcolor else "black")
# From this height on there is room for more of what stands out.
_TALL = 35


class Leave(enum.Enum):
    """How somebody leaves."""

    QUIT = enum.auto()
    END_COMMAND = enum.auto()


@attrs.frozen
class Controls:
    """What the application asks of those who run it; each sentence returned is shown."""

    interrupt: Callable[[], str]
    save_report: Callable[[Snapshot], str]
    would_die: Callable[[], bool]
    output: Callable[[], Sequence[str]] = tuple


class SyswatchApp(App[Leave]):
    """Shows snapshots until somebody leaves."""

    TITLE = "syswatch"
    ENABLE_COMMAND_PALETTE = False
    # Keys are for the table until the filter asks for a text.
    AUTO_FOCUS = None
    CSS = f"""
    Screen, ModalScreen {{ background: {_PAPER}; overflow: hidden; }}
    Question, ColumnChooser {{ background: {_PAPER} 60%; }}
    Input {{ display: none; height: 1; border: none; padding: 0; background: #1d2530; }}
    Input.asked {{ display: block; }}
    Input:focus {{ border: none; }}
    """
    BINDINGS: ClassVar[list[BindingType]] = keys.BINDINGS

    def __init__(self, controls: Controls, snapshot: Snapshot, **options: Any) -> None:
        super().__init__(**options)
        self.controls = controls
        self._only_filters = [Plain()] if os.environ.get("NO_COLOR") else []
        self.snapshot = snapshot
        self.frozen = False
        self._newest = snapshot
        self._said = ""
        self._head = Lines()
        self._standing_out = StandingOut()
        self.table = CallTable()
        self._filter = Input(
            placeholder="part of a name, or a category", compact=True, disabled=True
        )
        self._foot = Lines("bar")

    @property
    def broken_by(self) -> Exception | None:
        """The error that has ended this application."""
        return self._exception

    def get_line_filters(self) -> Sequence[LineFilter]:
        """Look at each line only where it must not have colours."""
        return self._only_filters

    def compose(self) -> ComposeResult:
        """Stack the widgets."""
        yield self._head
        yield self._standing_out
        yield self.table
        yield self._filter
        yield self._foot

    def on_mount(self) -> None:
        """Draw what is known already."""
        self._draw()

    def take(self, snapshot: Snapshot) -> None:
        """Show another snapshot, unless the picture is held still."""
        self._newest = snapshot
        if self.is_running and not self.frozen:
            self._show(snapshot)

    def say(self, words: str) -> None:
        """Show a sentence until the next key."""
        self._said = words
        if isinstance(self.screen, Page):
            self.screen.say(words)
        else:
            self._draw_foot()

    # --- keys --------------------------------------------------------------------------------

    def on_key(self, _event: events.Key) -> None:
        """Take the last sentence away."""
        if self._said:
            self.say("")

    def action_move(self, name: str) -> None:
        """Move the cursor."""
        self.table.move(name)

    def action_sort(self, column: str) -> None:
        """Sort."""
        self.table.sort(column)

    def action_turn(self) -> None:
        """Sort the other way round."""
        self.table.turn()

    def action_detail(self) -> None:
        """Open the page of a call."""
        if call := self.table.chosen:
            name = call.name
            self._open(name, lambda snapshot, width: detail(snapshot, name, width))

    def on_call_table_chosen(self) -> None:
        """Open the page of a call."""
        self.action_detail()

    def action_files(self) -> None:
        """Open the page of files."""
        self._open("Top Files", texts.files, columns=texts.FILE_COLUMNS)

    def action_log(self) -> None:
        """Open the log."""
        self._open("Newest calls", texts.log, follows=True)

    def action_processes(self) -> None:
        """Open the tree of processes."""
        self._open("Processes", texts.processes, columns=texts.PROCESS_COLUMNS)

    def action_output(self) -> None:
        """Open what the command has written."""
        self._open("Output", lambda *_: texts.output(self.controls.output()), follows=True)

    def action_alerts(self) -> None:
        """Open what stands out."""
        self._open("What stands out", head.in_full)

    def action_columns(self) -> None:
        """Ask which columns to show."""
        chooser = ColumnChooser(self.table.columns, self.table.choose_columns)
        self.push_screen(chooser, lambda _: self._draw())

    def action_help(self) -> None:
        """Open the help."""
        self._open("Help", lambda _, width: texts.help_page(width))

    def action_freeze(self) -> None:
        """Hold the picture still, or show the newest."""
        self.frozen = not self.frozen
        self._show(self.snapshot if self.frozen else self._newest)

    def action_report(self) -> None:
        """Save a report."""
        self.say(self.controls.save_report(self.snapshot))

    def action_copy(self) -> None:
        """Copy the row under the cursor."""
        if call := self.table.chosen:
            tally = call.tally
            numbers = (tally.count, tally.errors, tally.total_ns, call.p95_ns, call.p99_ns)
            self.copy_to_clipboard("\t".join([inert(call.name), *map(str, numbers)]))
            self.say(f"copied: {call.name} with calls, errors, total, P95 and P99 in ns")

    def action_interrupt(self) -> None:
        """Let those who run us decide."""
        self.say(self.controls.interrupt())

    def action_leave(self) -> None:
        """Leave; what would die of it deserves a question."""
        if isinstance(self.screen, Question):
            return
        if not self.controls.would_die():
            self.exit(Leave.QUIT)
            return
        words = ("The command still runs.", "Leaving ends it (SIGTERM). Leave?")
        self.push_screen(Question(words), self._answered)

    def _answered(self, agreed: bool | None) -> None:  # noqa: FBT001  Textual passes it so
        if agreed:
            self.exit(Leave.END_COMMAND)
        else:
            self._draw()

    # --- the filter --------------------------------------------------------------------------

    def action_filter(self) -> None:
        """Ask for a text."""
        self._filter.disabled = False
        self._filter.add_class("asked")
        self._filter.focus()

    def action_unfilter(self) -> None:
        """Take the filter away."""
        self._filter.value = ""
        self._close_filter()

    def on_input_changed(self, event: Input.Changed) -> None:
        """Filter while it is typed."""
        self.table.keep(event.value.strip())
        self._draw_foot()

    def on_input_submitted(self, _event: Input.Submitted) -> None:
        """Keep the filter and go back to the table."""
        self._close_filter()

    def _close_filter(self) -> None:
        self._filter.remove_class("asked")
        self._filter.disabled = True
        self.set_focus(None)
        self._draw_foot()

    # --- drawing -----------------------------------------------------------------------------

    def on_resize(self, _event: events.Resize) -> None:
        """Fit everything anew."""
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
                page.take(snapshot)
            case Question() as question:
                # What is below it stands still, or all of it would be drawn anew.
                if not self.controls.would_die():
                    question.dismiss(result=False)
            case _:
                self._draw()

    def _draw(self) -> None:
        snapshot, size = self.snapshot, self.size
        bar = head.category_bar(snapshot, size.width)
        self._head.show([*head.header(snapshot, size.width, frozen=self.frozen), bar])
        most = 6 if size.height >= _TALL else 2
        self._standing_out.take(snapshot, most, size.width)
        self.table.show(snapshot)
        self._draw_foot()

    def _draw_foot(self) -> None:
        self._foot.show([self._foot_line()])

    def _foot_line(self) -> Line:
        if self._said:
            return [(self._said, "bar")]
        first = ""
        if self.table.wanted:
            first = f"filter: {self.table.wanted}  "
        elif self.snapshot.done:
            first = "final  "
        *words, last = ([(key, "key"), (f" {name}", "bar")] for key, name in keys.FOOT)
        room = self.size.width - cells([(first, ""), ("  ", ""), *last])
        return [(first, "bar"), *joined([*fitting(words, room), last])]

    # --- trouble -----------------------------------------------------------------------------

    def _print_error_renderables(self) -> None:
        """Print nothing: whoever runs us has the error, and the words for it."""
        self._exit_renderables.clear()
