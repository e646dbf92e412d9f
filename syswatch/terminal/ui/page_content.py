"""The lines of most pages: files, log, processes, output, help."""

from collections.abc import Sequence
from functools import partial

from syswatch.model.entries import LogEntry
from syswatch.model.process import ProcessTally
from syswatch.model.snapshot import Snapshot
from syswatch.views import record_builders
from syswatch.views.alerts import Severity
from syswatch.views.formatting import count, duration, several, share
from syswatch.views.paths import PathTally, opened_paths
from syswatch.views.process_tree import process_tree

from .columns import BY_NAME, COLUMNS
from .keys import ACTIONS, SORTS, key_label
from .long_lists import LazyList
from .styled_text import Line, align_left, align_right, wrap

_MAX_FILES = 1000
FILE_COLUMNS = [("     OPENS    FAILED   SHARE  PATH", "heading")]
PROCESS_COLUMNS = [("    CALLS  ERRORS    TIME  PROCESS", "heading")]
OUTPUT_COLUMNS = [
    (" Standard input is /dev/null; trace interactive programs with --tui never", "heading")
]
_MOVES = (
    ("↑ ↓ j k", "move or scroll by a line"),
    ("PgUp PgDn", "move or scroll by a page"),
    ("Home End", "go to the first or last line"),
    ("← →", "scroll a page sideways"),
)


def files(snapshot: Snapshot, _width: int) -> Sequence[Line]:
    """Return the opened paths, those opened most often first."""
    opens = sum(snapshot.sums.paths.values())
    if not opens:
        return [[("No files opened yet", "dim")]]

    def line(file: PathTally) -> Line:
        failed = f"{file.failed:,}" if file.failed else "–"
        return [
            (align_right(f"{file.count:,}", 10), ""),
            (align_right(failed, 10), "failing" if file.failed else ""),
            (align_right(share(file.count / opens), 8) + "  ", "dim"),
            (file.path, ""),
        ]

    return LazyList(opened_paths(snapshot)[:_MAX_FILES], line)


def log(snapshot: Snapshot, _width: int) -> Sequence[Line]:
    """Return the most recent calls, as strace prints them."""
    if not snapshot.sums.log:
        return [[("The log is empty", "dim")]]
    return LazyList(snapshot.sums.log, partial(_log_line, snapshot))


def _log_line(snapshot: Snapshot, logged: LogEntry) -> Line:
    entry = record_builders.log_entry(snapshot, logged)
    failed = f" {entry.error}" if entry.error else ""
    return [
        (f"{entry.time[11:26]} {entry.pid} ", "dim"),
        (entry.name, "title"),
        (f"({entry.args})", ""),
        (f" = {entry.ret_val}", "live"),
        (failed, "failing"),
    ]


def processes(snapshot: Snapshot, _width: int) -> list[Line]:
    """Return the process tree."""
    tallies = snapshot.sums.processes
    lines = [_process_line(pid, tallies[pid], depth) for pid, depth in process_tree(tallies)]
    return lines or [[("No processes yet", "dim")]]


def _process_line(pid: int, tally: ProcessTally, depth: int) -> Line:
    branch = "  " * (depth - 1) + "└ " if depth else ""
    errors = count(tally.errors) if tally.errors else "–"
    time = duration(tally.total_ns) if tally.total_ns else "–"
    return [
        (align_right(count(tally.count), 9), ""),
        (align_right(errors, 8), "failing" if tally.errors else ""),
        (align_right(time, 8) + "  ", ""),
        (branch, "dim"),
        (f"{_process_name(pid, tally)} ", "title"),
        (tally.ending, "dim"),
    ]


def _process_name(pid: int, tally: ProcessTally) -> str:
    name = f"{tally.comm}[{pid}]" if tally.comm else f"PID {pid}"
    return f"{name}{several(tally.lives)}"


def output(lines: Sequence[str]) -> Sequence[Line]:
    """Return the output of the command."""
    if not lines:
        return [
            [("No output yet", "dim")],
            [("This page shows what the command of `syswatch run` writes to the terminal.", "dim")],
        ]
    return LazyList(lines, lambda line: [(line, "")])


def help_page(width: int) -> list[Line]:
    """Return every key and every column."""
    actions = [(key_label(key), text) for key, _, text in ACTIONS]
    sorts = [(key, f"sort by {BY_NAME[column].title}") for key, column in SORTS.items()]
    columns = [(column.title, column.facts.meaning) for column in COLUMNS if column.title]
    signs = ", ".join(f"{severity.sign} {severity.meaning}" for severity in Severity)
    return [
        [("Keys", "title")],
        *(_entry(key, text, "live") for key, text in (*_MOVES, *actions)),
        [],
        [("Sort keys", "title"), (" (press again to reverse)", "dim")],
        *(_entry(key, text, "live") for key, text in sorts),
        [],
        [("Mouse", "title")],
        [("  Click a title to sort, a row to select it; double-click a row for details.", "")],
        [],
        [("Columns", "title")],
        *(_entry(title, text, "heading") for title, text in columns),
        [("  A wider terminal shows more columns. – means none.", "dim")],
        [],
        [("Signs", "title")],
        *([("  ", ""), *line] for line in wrap(f"{signs}, not exact: events were lost", width - 3)),
    ]


def _entry(name: str, text: str, style: str) -> Line:
    return [("  " + align_left(name, 11), style), (text, "")]
