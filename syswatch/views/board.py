"""The responses for the live pages: everything that a page shows, in one response."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from msgspec import UNSET
from msgspec.structs import asdict, replace

from syswatch.base.classes import frozen
from syswatch.model.calls import CallTally
from syswatch.model.catalog import category_of, openers
from syswatch.model.preferences import ShareOf
from syswatch.model.snapshot import CallStat, Snapshot
from syswatch.model.times import SECOND_NS
from syswatch.model.window import HISTORY_S, SecondTotals

from . import (
    board_records,
    board_time,
    group_builders,
    object_builders,
    record_builders,
    records,
    time_builders,
)
from .alerts import Alert, alerts, folded
from .budget.calls import calls
from .budget.identifiers import object_text
from .budget.period import ALWAYS, NEVER_MS, Period, with_objects, within
from .budget.scope import threads_of
from .durations import fine_bars
from .forms import CallSort
from .paths import newest_paths, opened_paths, paths_of_process
from .process_tree import process_tree
from .time_records import Time

# More rows than anyone scrolls through, and few enough for a page.
MOST_FILES = 500
MOST_PROCESSES = 1000
MOST_TABLES = 200
MOST_PATHS_OF_A_CALL = 20
MOST_OBJECTS = 500
MOST_THREADS = 200
MOST_OF_A_CALL = 50
MOST_GROUPS = 500
PARTS = frozenset(
    {"log", "files", "processes", "threads_now", "objects", "threads", "slowest", "groups"}
)


@frozen
class BoardQuery:
    """What a dashboard requests; equal queries share a response."""

    since: int = 0
    parts: frozenset[str] = frozenset()
    pid: int | None = None
    share_of: ShareOf | None = None
    # The ID of an object as text, or an empty text.
    object: str = ""
    period: Period = ALWAYS
    is_replay: bool = False
    has_baselines: bool = False
    counts_evidence: bool = False

    def __call__(self, snapshot: Snapshot) -> board_records.Board:
        """Return the response for a snapshot."""
        pid, whole = self.pid, snapshot.whole
        return board_records.Board(
            pid=pid or 0,
            now=_now(whole),
            status=record_builders.status(whole),
            stats=_rows(snapshot, pid),
            alerts=_alert_records(folded(alerts(whole))),
            fidelity=record_builders.fidelity(whole),
            history=_history(whole, self.since),
            time=self._time(snapshot),
            tables=_tables(whole),
            exact_range=True if snapshot.is_exact_part else UNSET,
            replay=self.is_replay or UNSET,
            baselines=self.has_baselines or UNSET,
            profile=self.counts_evidence or bool(whole.sums.evidence) or UNSET,
            grouped=bool(whole.sums.groups) or UNSET,
            object=board_time.board_object(snapshot, self.object, pid),
            **self._requested(snapshot),
        )

    def _time(self, snapshot: Snapshot) -> Time:
        """Return the time in the range, with the history of the whole trace for the charts."""
        found = time_builders.time(
            snapshot,
            self.pid,
            share_of=self.share_of,
            since_ms=NEVER_MS,
            period=self.period,
        )
        history = time_builders.time_history(snapshot.whole, self.pid, self.since * 1000)
        return replace(found, history=history)

    def _requested(self, snapshot: Snapshot) -> dict[str, Any]:
        """Return the parts that were requested, by the names of their fields."""
        pid, part = self.pid, within(snapshot, self.period)
        found: dict[str, Any] = _opens(snapshot, pid) if "files" in self.parts else {}
        make: dict[str, Callable[[], object]] = {
            "log": lambda: _log(part, pid),
            "processes": lambda: _processes(snapshot),
            "threads_now": lambda: time_builders.now(snapshot.whole, pid, MOST_THREADS),
            "objects": lambda: object_builders.object_rows(
                with_objects(part), pid, limit=MOST_OBJECTS
            ),
            "threads": lambda: board_time.threads(part, pid),
            "slowest": lambda: time_builders.slow_calls(part, pid),
            "groups": lambda: group_builders.groups(snapshot.whole, limit=MOST_GROUPS),
        }
        if "threads" in self.parts:
            found["lanes"] = board_time.lanes(snapshot.whole, pid, self.since)
        return {**found, **{part: make[part]() for part in make if part in self.parts}}


@frozen
class CallBoardQuery:
    """What the page of one system call requests."""

    name: str
    since: int = 0
    period: Period = ALWAYS
    is_replay: bool = False

    def __call__(self, snapshot: Snapshot) -> board_records.CallBoard:
        """Return the response for a snapshot, with zeroes for a call that was not made."""
        whole = snapshot.whole
        call = snapshot.call(self.name) or CallStat.of(self.name, CallTally())
        counted = self.name in openers()
        paths = opened_paths(snapshot) if counted else newest_paths(snapshot, self.name)
        tally = call.tally
        return board_records.CallBoard(
            now=_now(whole),
            status=record_builders.status(whole),
            call=record_builders.syscall_detail(snapshot, call, self.period),
            rate=call.rate,
            timed=tally.timed,
            bars=sorted(fine_bars(tally.histogram).items()),
            wait_bars=sorted(fine_bars(tally.waits.histogram).items()),
            alerts=_alert_records(_concerning(whole, self.name)),
            paths=record_builders.file_counts(paths[:MOST_PATHS_OF_A_CALL]),
            opens=sum(each.count for each in paths),
            all_counted=counted,
            history=_history(whole, self.since, self.name),
            objects=object_builders.objects_of_call(snapshot, self.name, MOST_OF_A_CALL),
            by_process=object_builders.processes_of_call(snapshot, self.name, MOST_OF_A_CALL),
            slowest=time_builders.slow_calls(snapshot, call=self.name),
            replay=self.is_replay or UNSET,
        )


def alert_records(snapshot: Snapshot) -> list[board_records.Alert]:
    """Return every alert, the most severe first."""
    return _alert_records(alerts(snapshot))


def _concerning(snapshot: Snapshot, call: str) -> list[Alert]:
    return [alert for alert in alerts(snapshot) if alert.concerns(call)]


def _alert_records(found: Sequence[Alert]) -> list[board_records.Alert]:
    return [
        board_records.Alert(
            severity=alert.severity.label,
            sign=alert.severity.sign,
            kind=alert.kind,
            title=alert.title,
            why=alert.why,
            call=alert.call,
            path=alert.path,
            object=object_text(alert.object) if alert.object else "",
            harmless=bool(alert.harmless),
        )
        for alert in found
    ]


def _now(snapshot: Snapshot) -> float | None:
    return None if snapshot.now_ns is None else snapshot.now_ns / SECOND_NS


def _rows(snapshot: Snapshot, pid: int | None) -> list[board_records.BoardRow]:
    found = calls(snapshot, pid, CallSort.CALLS)
    opening = [call.name for call in snapshot.calls if call.name in openers()]
    # Paths are counted for all calls that open files together: if there is one, they are its own.
    opener = opening[0] if len(opening) == 1 and pid is None else ""
    return [_row(call, _top_path(snapshot) if call.name == opener else "") for call in found]


def _row(call: CallStat, top_path: str) -> board_records.BoardRow:
    return board_records.BoardRow(
        **asdict(record_builders.syscall(call)),
        rate=call.rate,
        timed=call.tally.timed,
        avg_time=call.tally.average_ns or _average_ns(call.tally),
        top_path=top_path or UNSET,
    )


def _average_ns(tally: CallTally) -> int:
    """Return the average of calls whose total alone is known, as of those of one process."""
    return tally.total_ns // tally.count if tally.count else 0


def _top_path(snapshot: Snapshot) -> str:
    paths = snapshot.sums.paths
    return min(paths, key=lambda path: (-paths[path], path), default="")


def _tables(snapshot: Snapshot) -> list[board_records.ProcessTable]:
    """Return the processes that a table can be limited to."""
    tallies = snapshot.sums.processes
    pids = snapshot.sums.by_process.keys() | {key.pid for key in snapshot.sums.activity}
    found = [(pid, tallies[pid]) for pid in pids if pid in tallies]
    ranked = sorted(found, key=lambda each: (-each[1].count, each[0]))
    return [
        board_records.ProcessTable(pid=pid, comm=tally.comm, count=tally.count)
        for pid, tally in ranked[:MOST_TABLES]
    ]


def _log(snapshot: Snapshot, pid: int | None) -> list[records.LogEntry]:
    entries = record_builders.log(snapshot)
    if pid is None:
        return entries
    # An entry has the ID of its thread; that of the first one is the PID.
    tids = threads_of(snapshot, pid).keys() | {pid}
    return [entry for entry in entries if entry.pid in tids]


def _opens(snapshot: Snapshot, pid: int | None) -> dict[str, Any]:
    paths = opened_paths(snapshot) if pid is None else paths_of_process(snapshot, pid)
    return {
        "files": record_builders.file_counts(paths[:MOST_FILES]),
        "opens": sum(each.count for each in paths),
        "failed_opens": sum(each.failed for each in paths),
    }


def _processes(snapshot: Snapshot) -> list[board_records.BoardProcess]:
    """Return the process tree, or the processes with the most calls if there are too many."""
    ranked = sorted(snapshot.sums.processes.items(), key=lambda each: (-each[1].count, each[0]))
    kept = dict(ranked[:MOST_PROCESSES])
    return [
        board_records.BoardProcess(
            **asdict(record_builders.process_total(pid, kept[pid])), depth=depth
        )
        for pid, depth in process_tree(kept)
    ]


def _history(snapshot: Snapshot, since: int, only: str = "") -> board_records.BoardHistory:
    seconds = snapshot.sums.window.seconds
    if not seconds or snapshot.now_ns is None:
        return board_records.BoardHistory(first=None, names=[], categories=[], points=[])
    first = max(min(seconds), snapshot.now_ns // SECOND_NS - HISTORY_S + 1)
    places: dict[str, int] = {}
    points = [
        _point(at, seconds[at], places, only) for at in sorted(seconds) if at >= max(first, since)
    ]
    return board_records.BoardHistory(
        first=first,
        names=list(places),
        categories=[category_of(name) for name in places],
        points=points,
    )


def _point(
    at: int, calls: Mapping[str, SecondTotals], places: dict[str, int], only: str
) -> list[int]:
    point = [at]
    for name, totals in calls.items():
        if not only or name == only:
            place = places.setdefault(name, len(places))
            point += (place, totals.count, totals.errors, totals.total_ns)
    return point
