"""The run of a delta: of a recording, a log, or a program that is being traced."""

from collections.abc import Iterator

import attrs

from syswatch.model.aggregator import Aggregator
from syswatch.model.delta import Delta
from syswatch.model.ledger import Weight
from syswatch.model.messages import Ended, Started
from syswatch.model.objects import NO_OBJECT
from syswatch.model.process import describe_ending
from syswatch.model.snapshot import Snapshot
from syswatch.views.budget.budget import budget
from syswatch.views.budget.calls import with_costs
from syswatch.views.budget.scope import info_of, never_returned, waiting_now
from syswatch.views.paths import opened_paths
from syswatch.views.status import notes_of

from .facts import NOT_KNOWN, CallFacts, Counts, Facts, ObjectFacts, PathFacts, ProcessFacts
from .made_by import Made, children_of, made_by
from .run import Run
from .tabulate import run_of_facts

# Calls, errors, bytes in and out, time working and waiting.
_COLUMNS = 6
_NOT_STARTED = Started(backend="")


def run_of_delta(
    delta: Delta, name: str, *, started: Started = _NOT_STARTED, ended: Ended | None = None
) -> Run:
    """Return the run of the sum of all deltas of a trace."""
    aggregator = Aggregator()
    aggregator.started(started)
    aggregator.add(delta)
    if ended is not None:
        aggregator.ended(ended)
    return run_of_snapshot(aggregator.snapshot(), name)


def run_of_snapshot(snapshot: Snapshot, name: str) -> Run:
    """Return the run of a snapshot, with the same numbers as its summary in JSON."""
    sums = snapshot.sums
    made = made_by(sums)
    facts = Facts(
        calls=_calls(snapshot, made),
        objects=list(_objects(snapshot, made)) if sums.activity or not sums.calls else None,
        paths=[PathFacts(each.path, each.count, each.failed) for each in opened_paths(snapshot)],
        processes=[
            ProcessFacts(each.comm, each.ending, each.lives) for each in sums.processes.values()
        ],
        children=children_of(sums.processes),
        threads=len(sums.threads),
        ending=ending_of(snapshot.end.exit_code, snapshot.end.exit_signal),
        elapsed_ns=snapshot.elapsed_ns,
        only=snapshot.source.only,
        # Which calls the log of the trace shows concerns no number.
        notes=tuple(notes_of(sums.ledger, Weight.LOST, Weight.NOTED)),
        is_estimated=budget(snapshot).is_estimated,
        backend=snapshot.source.backend,
        ledger=sums.ledger,
        is_cut_short=bool(snapshot.trouble),
    )
    return attrs.evolve(run_of_facts(facts, name), delta=sums)


def ending_of(exit_code: int | None, exit_signal: int | None) -> str:
    """Describe how the command ended; empty if that is not known."""
    code = -exit_signal if exit_signal is not None else exit_code
    return "" if code is None else describe_ending(code)


def _calls(snapshot: Snapshot, made: Made) -> list[CallFacts]:
    return [
        CallFacts(
            each.name,
            each.tally.count,
            each.tally.errors,
            each.tally.errnos,
            each.working_ns,
            each.waiting_ns,
            each.tally.min_ns,
            each.tally.max_ns,
            each.tally.histogram,
            made.calls.get(each.name, NOT_KNOWN),
            made.failures.get(each.name, NOT_KNOWN),
        )
        for each in with_costs(snapshot, snapshot.calls)
    ]


def _objects(snapshot: Snapshot, made: Made) -> Iterator[ObjectFacts]:
    # There may be 60 000 rows: numbers are added in place, since a new value for each takes long.
    rows: dict[int, dict[str, list[int]]] = {}
    for (_, _, number, call), sums in snapshot.sums.activity.items():
        calls = rows.get(number)
        if calls is None:
            calls = rows[number] = {}
        counts = calls.get(call)
        if counts is None:
            counts = calls[call] = [0] * _COLUMNS
        counts[0] += sums.count
        counts[1] += sums.errors
        counts[2] += sums.bytes_in
        counts[3] += sums.bytes_out
        counts[4] += sums.working_ns
        counts[5] += sums.waiting_ns
    for number, call, waiting_ns in _unfinished(snapshot):
        counts = rows.setdefault(number, {}).setdefault(call, [0] * _COLUMNS)
        counts[5] += waiting_ns
    rows.pop(NO_OBJECT, None)
    for number, calls in rows.items():
        info = info_of(snapshot, number)
        working_ns = waiting_ns = 0
        for *_, working, waiting in calls.values():
            working_ns += working
            waiting_ns += waiting
        yield ObjectFacts(
            info.kind,
            info.name,
            info.host,
            working_ns,
            waiting_ns,
            {call: Counts(*counts[:4]) for call, counts in calls.items()},
            made.on_object(number, calls),
        )


def _unfinished(snapshot: Snapshot) -> Iterator[tuple[int, str, int]]:
    """Yield the waits in progress, and those that never ended: object, call and time."""
    for _, thread, spent_ns in waiting_now(snapshot):
        yield thread.object, thread.call, spent_ns
    for key, spent_ns in never_returned(snapshot):
        yield key.object, key.call, spent_ns
