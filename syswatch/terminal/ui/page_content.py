"""The pages of the tabs that are not lists: log, files, output."""

from collections.abc import Callable, Mapping, Sequence

from syswatch.base.classes import frozen
from syswatch.model.entries import LogEntry
from syswatch.model.snapshot import Snapshot
from syswatch.views.formatting import duration, rfc3339, share
from syswatch.views.paths import PathTally, opened_paths

from .listing import Scope
from .long_lists import LazyList
from .styled_text import Line, align_right

_MAX_FILES = 1000
# Of a timestamp: the time of day with microseconds, or milliseconds on a narrow terminal.
_TIME, _SHORT_TIME = slice(11, 26), slice(11, 23)
_WIDE = 100
FILE_COLUMNS = [("     OPENS    FAILED   SHARE  PATH", "heading")]
OUTPUT_COLUMNS = [
    (" Standard input is /dev/null; trace interactive programs with --tui never", "heading")
]


def files(snapshot: Snapshot) -> Sequence[Line]:
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


def log(snapshot: Snapshot, scope: Scope, width: int) -> Sequence[Line]:
    """Return the most recent calls of a part of the trace, as strace prints them."""
    entries = [entry for entry in snapshot.sums.log if _is_in(snapshot, entry, scope)]
    if not entries:
        return [[("The log has no such calls" if snapshot.sums.log else "The log is empty", "dim")]]
    time = _TIME if width >= _WIDE else _SHORT_TIME
    return LazyList(entries, lambda entry: _log_line(entry, time))


def _is_in(snapshot: Snapshot, entry: LogEntry, scope: Scope) -> bool:
    """Return whether a part of the trace contains a call; the log has the IDs of threads."""
    thread = snapshot.sums.threads.get(entry.pid)
    return (
        scope.tid in (None, entry.pid)
        and scope.object in (None, entry.object)
        and scope.pid in (None, entry.pid, thread.pid if thread else None)
    )


def _log_line(entry: LogEntry, time: slice) -> Line:
    failed = f" {entry.error}" if entry.error else ""
    took = "" if entry.duration_ns is None else duration(entry.duration_ns)
    return [
        (f"{rfc3339(entry.time_ns)[time]} {entry.pid:>5} ", "dim"),
        (align_right(took, 7), "slow" if entry.waited else "dim"),
        (" w " if entry.waited else "   ", "slow"),
        (entry.name, "title"),
        (f"({entry.args})", ""),
        (f" = {entry.ret}", "live"),
        (failed, "failing"),
    ]


def output(lines: Sequence[str]) -> Sequence[Line]:
    """Return the output of the command."""
    if not lines:
        return [
            [("No output yet", "dim")],
            [("This page shows what the command of `syswatch run` writes to the terminal.", "dim")],
        ]
    return LazyList(lines, lambda line: [(line, "")])


# Of a snapshot, a part of it, the output of the command, and a width.
_Lines = Callable[[Snapshot, Scope, Callable[[], Sequence[str]], int], Sequence[Line]]


@frozen
class TabPage:
    """The page of a tab that is not a list."""

    title: str
    lines: _Lines
    columns: Line
    follows: bool = False


TAB_PAGES: Mapping[str, TabPage] = {
    "log": TabPage(
        "Log",
        lambda snapshot, scope, _, width: log(snapshot, scope, width),
        [("Time, ID of the thread, duration, w if the call waited, call", "heading")],
        follows=True,
    ),
    "files": TabPage("Top Files", lambda snapshot, *_: files(snapshot), FILE_COLUMNS),
    "output": TabPage(
        "Output", lambda _snapshot, _scope, lines, _: output(lines()), OUTPUT_COLUMNS, follows=True
    ),
}
