"""What the smaller pages say: files, log, processes, output, help."""

from collections.abc import Sequence

from syswatch.model.entries import LogEntry
from syswatch.model.process import ProcessTally
from syswatch.model.snapshot import Snapshot
from syswatch.views import shapes
from syswatch.views.alert import SIGNS
from syswatch.views.numbers import count, duration, several, share
from syswatch.views.paths import PathTally, opened_paths
from syswatch.views.tree import tree

from .columns import COLUMNS
from .keys import ACTIONS, SORTS, spelled
from .late import Late
from .pieces import Line, left, right, wrapped

# More rows than anybody scrolls through.
_MOST_FILES = 1000
FILE_COLUMNS = [("     OPENS    FAILED   SHARE  PATH", "heading")]
PROCESS_COLUMNS = [("    CALLS  ERRORS    TIME  PROCESS", "heading")]


def files(snapshot: Snapshot, _width: int) -> Sequence[Line]:
    """Return the opened paths, the commonest first."""
    opens = sum(snapshot.sums.paths.values())
    if not opens:
        return [[("No file was opened by name yet.", "dim")]]

    def line(file: PathTally) -> Line:
        return [
            (right(f"{file.count:,}", 10), ""),
            (right(f"{file.failed:,}" if file.failed else "–", 10), "failing" * bool(file.failed)),
            (right(share(file.count / opens), 8) + "  ", "dim"),
            (file.path, ""),
        ]

    return Late(opened_paths(snapshot)[:_MOST_FILES], line)


def log(snapshot: Snapshot, _width: int) -> Sequence[Line]:
    """Return the newest calls, as strace prints them."""
    if not snapshot.sums.log:
        return [[("No call is kept in the log yet.", "dim")]]
    return Late(snapshot.sums.log, _call)


def _call(logged: LogEntry) -> Line:
    entry = shapes.log_entry(logged)
    failed = f" {entry.error}" if entry.error else ""
    return [
        (f"{entry.time[11:26]} {entry.pid} ", "dim"),
        (entry.name, "title"),
        (f"({entry.args})", ""),
        (f" = {entry.ret_val}", "live"),
        (failed, "failing"),
    ]


def processes(snapshot: Snapshot, _width: int) -> list[Line]:
    """Return the processes below those that started them."""
    tallies = snapshot.sums.processes
    lines = [_process(pid, tallies[pid], depth) for pid, depth in tree(tallies)]
    return lines or [[("No process was seen yet.", "dim")]]


def _named(pid: int, tally: ProcessTally) -> str:
    name = f"{tally.comm}[{pid}]" if tally.comm else f"pid {pid}"
    return f"{name}{several(tally.lives)}"


def _process(pid: int, tally: ProcessTally, depth: int) -> Line:
    branch = "  " * (depth - 1) + "└ " if depth else ""
    return [
        (right(count(tally.count), 9), ""),
        (right(count(tally.errors) if tally.errors else "–", 8), "failing" if tally.errors else ""),
        (right(duration(tally.total_ns) if tally.total_ns else "–", 8) + "  ", ""),
        (branch, "dim"),
        (f"{_named(pid, tally)} ", "title"),
        (tally.ending, "dim"),
    ]


def output(lines: Sequence[str]) -> Sequence[Line]:
    """Return what the command has written."""
    if not lines:
        return [
            [("Nothing was written to this terminal. What was redirected goes its way.", "dim")]
        ]
    return Late(lines, lambda line: [(line, "")])


def help_page(width: int) -> list[Line]:
    """Return every key and every column."""
    sorts = [(key, f"sort {words}; once more turns it round") for key, _, words in SORTS]
    actions = [(spelled(key), words) for key, _, words in ACTIONS]
    moves = [("↑ ↓ j k", "move"), ("PgUp PgDn", "move by a page"), ("Home End", "first, last")]
    moves.append(("← →", "on a page: see what is beside it"))
    columns = [(column.title, column.meaning) for column in COLUMNS if column.title]
    return [
        [("Keys", "title")],
        *(_entry(key, words, "live") for key, words in (*moves, *actions, *sorts)),
        [("  Click a title to sort, a row to choose it, twice to open it; the wheel scrolls.", "")],
        [],
        [("Columns", "title")],
        *(_entry(title, words, "heading") for title, words in columns),
        [("  A wider terminal shows more of them. – means that there is nothing.", "dim")],
        [],
        [("Signs", "title")],
        *wrapped(
            ", ".join(" ".join(sign) for sign in SIGNS.values())
            + "; not exact: something could not be counted, and how much.",
            width - 1,
        ),
    ]


def _entry(key: str, words: str, ink: str) -> Line:
    return [("  " + left(key, 11), ink), (words, "")]
