"""The sums of calls: by name, by process, by thread and object, and by second."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any

import attrs

from syswatch.model.activity import ActivityKey, Sums
from syswatch.model.calls import CallTally
from syswatch.model.delta import Calls, Delta, add_calls
from syswatch.model.histogram import Histogram
from syswatch.model.ledger import Ledger
from syswatch.model.process import ProcessTally
from syswatch.model.times import SECOND_NS
from syswatch.model.waits import NO_WAITS, WaitTally
from syswatch.model.window import SecondTotals, Window
from syswatch.tracer.objects.targets import target_of
from syswatch.tracer.objects.ways import Moved

from .batch import NO_NAME, Batch
from .grouping import Groups


def sums_of(batch: Batch, *, per_process: bool) -> Delta:
    """Return the sums of calls that have returned."""
    if not len(batch):
        return Delta()
    by_process = _by_process(batch)
    calls: Calls = {}
    for table in by_process.values():
        calls = add_calls(calls, table)
    timed = ~batch.untimed
    return Delta(
        calls=calls,
        by_process=by_process if per_process else {},
        processes={pid: _process(table) for pid, table in by_process.items()},
        activity=_activity(batch),
        object_waits=_object_waits(batch),
        window=_window(batch),
        ledger=Ledger(
            untimed_calls=int((~timed).sum()), estimated_waits=int(batch.estimated.sum())
        ),
    )


def _by_process(batch: Batch) -> Mapping[int, Calls]:
    """Return the tallies of each process and name."""
    groups = Groups.of(batch.pid, batch.name)
    timed = ~batch.untimed
    of_timed, durations = groups.where(timed), batch.duration[timed]
    least, most = of_timed.extremes(durations)
    columns = zip(
        batch.pid[groups.first].tolist(),
        batch.name[groups.first].tolist(),
        groups.counts(),
        of_timed.sums(durations),
        least,
        most,
        of_timed.histograms(durations),
        _errnos(batch, groups),
        _waits(batch, groups),
        strict=True,
    )
    tables: dict[int, dict[str, CallTally]] = defaultdict(dict)
    for pid, name, count, total_ns, min_ns, max_ns, histogram, errnos, waits in columns:
        tally = CallTally(
            count=count,
            errors=sum(errnos.values()),
            total_ns=total_ns,
            min_ns=min_ns,
            max_ns=max_ns,
            histogram=Histogram(histogram),
            errnos=errnos,
            waits=waits,
        )
        shown = name_of(batch, name)
        table = tables[pid]
        table[shown] = table[shown] + tally if shown in table else tally
    return tables


def name_of(batch: Batch, place: int) -> str:
    """Return the name of a call."""
    return batch.names[place] if place != NO_NAME else ""


def _errnos(batch: Batch, groups: Groups) -> Sequence[Mapping[str, int]]:
    failed = batch.errno != NO_NAME
    tables = groups.where(failed).tables(batch.errno[failed], max(len(batch.errnos), 1))
    return [{batch.errnos[place]: count for place, count in each.items()} for each in tables]


def _waits(batch: Batch, groups: Groups) -> Sequence[WaitTally]:
    waited = batch.waiting > 0
    some, waiting = groups.where(waited), batch.waiting[waited]
    tallies = zip(
        some.counts(),
        some.sums(waiting),
        groups.sums(batch.ready),
        some.histograms(waiting),
        strict=True,
    )
    return [
        WaitTally(count, waiting_ns, ready_ns, Histogram(histogram))
        if count or ready_ns
        else NO_WAITS
        for count, waiting_ns, ready_ns, histogram in tallies
    ]


def _process(table: Calls) -> ProcessTally:
    tallies = table.values()
    return ProcessTally(
        count=sum(each.count for each in tallies),
        errors=sum(each.errors for each in tallies),
        total_ns=sum(each.total_ns for each in tallies),
    )


def _activity(batch: Batch) -> Mapping[ActivityKey, Sums]:
    groups = Groups.of(batch.pid, batch.tid, batch.object, batch.name)
    keys = _keys(batch, groups.first, batch.object)
    directions = {name: _direction(name) for name in {key.call for key in keys}}
    columns = zip(
        keys,
        groups.counts(),
        groups.counts(batch.errno != NO_NAME),
        groups.sums(batch.bytes),
        groups.sums(batch.duration * ~batch.untimed),
        groups.sums(batch.waiting),
        groups.sums(batch.ready),
        groups.counts(batch.waiting > 0),
        strict=True,
    )
    rows: dict[ActivityKey, Sums] = {}
    for key, count, errors, moved, total_ns, waiting_ns, ready_ns, waits in columns:
        is_input, is_output = directions[key.call]
        sums = Sums(
            count=count,
            errors=errors,
            bytes_in=moved if is_input else 0,
            bytes_out=moved if is_output else 0,
            working_ns=total_ns - waiting_ns - ready_ns,
            waiting_ns=waiting_ns,
            ready_ns=ready_ns,
            waits=waits,
        )
        rows[key] = rows[key] + sums if key in rows else sums
    for key, sums in _written(batch):
        rows[key] = rows[key] + sums if key in rows else sums
    return rows


def _direction(name: str) -> tuple[bool, bool]:
    """Return whether a call reads bytes from its object, or writes them to it."""
    direction = target_of(name).moved
    # What a call between two descriptors has written is in the row of the second one.
    is_input = Moved.IN in direction
    return is_input, Moved.OUT in direction and not is_input


def _written(batch: Batch) -> list[tuple[ActivityKey, Sums]]:
    """Return what calls between two descriptors have written to the second ones."""
    copied = batch.written_to != 0
    if not copied.any():
        return []
    some = batch.where(copied)
    groups = Groups.of(some.pid, some.tid, some.written_to, some.name)
    keys = _keys(some, groups.first, some.written_to)
    moved = groups.sums(some.bytes)
    return [(key, Sums(bytes_out=count)) for key, count in zip(keys, moved, strict=True)]


def _keys(batch: Batch, rows: Any, objects: Any) -> list[ActivityKey]:
    return [
        ActivityKey(pid, tid, number, name_of(batch, name))
        for pid, tid, number, name in zip(
            batch.pid[rows].tolist(),
            batch.tid[rows].tolist(),
            objects[rows].tolist(),
            batch.name[rows].tolist(),
            strict=True,
        )
    ]


def _object_waits(batch: Batch) -> Mapping[int, Histogram]:
    waited = batch.waiting > 0
    if not waited.any():
        return {}
    objects, waiting = batch.object[waited], batch.waiting[waited]
    groups = Groups.of(objects)
    numbers = objects[groups.first].tolist()
    tables = groups.histograms(waiting)
    return {number: Histogram(each) for number, each in zip(numbers, tables, strict=True)}


def _window(batch: Batch) -> Window:
    seconds = batch.end // SECOND_NS
    groups = Groups.of(seconds, batch.name)
    columns = zip(
        seconds[groups.first].tolist(),
        batch.name[groups.first].tolist(),
        groups.counts(),
        groups.counts(batch.errno != NO_NAME),
        groups.sums(batch.duration * ~batch.untimed),
        strict=True,
    )
    window: dict[int, dict[str, SecondTotals]] = defaultdict(dict)
    for second, name, count, errors, total_ns in columns:
        totals, calls = SecondTotals(count, errors, total_ns), window[second]
        shown = name_of(batch, name)
        calls[shown] = calls[shown] + totals if shown in calls else totals
    return Window.newest(window)


def without_sums(tally: ProcessTally) -> ProcessTally:
    """Return what is known of a process besides its calls."""
    return attrs.evolve(tally, count=0, errors=0, total_ns=0)
