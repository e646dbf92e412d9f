"""The single calls that are kept: the slowest, the newest failures, and the newest with a text."""

from collections.abc import Mapping
from typing import Any

from syswatch.model.entries import FAILURE_SAMPLES, LOG_ENTRIES, Failure, LogEntry
from syswatch.model.slowest import SLOWEST_BY_CALL, SLOWEST_OVERALL, SlowCall, Slowest
from syswatch.recording.extra import load

from .batch import NO_NAME, Batch
from .tallies import name_of


def slowest_of(batch: Batch) -> Slowest:
    """Return the slowest calls, overall and of each name."""
    numpy = load("numpy")
    timed = numpy.flatnonzero(~batch.untimed)
    durations, names = batch.duration[timed], batch.name[timed]
    chosen = set(_largest(durations, SLOWEST_OVERALL).tolist())
    for name in range(NO_NAME, len(batch.names)):
        places = numpy.flatnonzero(names == name)
        chosen.update(places[_largest(durations[places], SLOWEST_BY_CALL)].tolist())
    return Slowest.of(_slow(batch, int(timed[place])) for place in sorted(chosen))


def _largest(values: Any, most: int) -> Any:
    """Return the places of the greatest values; of equal ones, the first."""
    numpy = load("numpy")
    if len(values) <= most:
        return numpy.arange(len(values))
    bound = numpy.partition(values, len(values) - most)[len(values) - most]
    above = numpy.flatnonzero(values > bound)
    equal = numpy.flatnonzero(values == bound)
    return numpy.concatenate((above, equal[: most - len(above)]))


def _slow(batch: Batch, place: int) -> SlowCall:
    args, ret = batch.text(place)
    return SlowCall(
        duration_ns=int(batch.duration[place]),
        time_ns=int(batch.start[place]),
        pid=int(batch.pid[place]),
        tid=int(batch.tid[place]),
        name=name_of(batch, batch.name[place]),
        args=args,
        ret=ret or str(int(batch.result[place])),
        error=_error(batch, place),
        waiting_ns=int(batch.waiting[place]),
        object=int(batch.object[place]),
    )


def failures_of(batch: Batch) -> Mapping[str, tuple[Failure, ...]]:
    """Return the newest failures of each name."""
    numpy = load("numpy")
    failed = numpy.flatnonzero(batch.errno != NO_NAME)
    names = batch.name[failed]
    return {
        name_of(batch, name): tuple(
            Failure(
                int(batch.start[place]),
                int(batch.tid[place]),
                _error(batch, place),
                batch.text(place)[0],
            )
            for place in failed[names == name][-FAILURE_SAMPLES:].tolist()
        )
        for name in numpy.unique(names).tolist()
    }


def log_of(batch: Batch) -> tuple[LogEntry, ...]:
    """Return the newest calls with a text."""
    numpy = load("numpy")
    known = numpy.flatnonzero(batch.args.is_valid().to_numpy(zero_copy_only=False))
    return tuple(_entry(batch, place) for place in known[-LOG_ENTRIES:].tolist())


def _entry(batch: Batch, place: int) -> LogEntry:
    args, ret = batch.text(place)
    is_timed = batch.returned[place] and not batch.untimed[place]
    return LogEntry(
        time_ns=int(batch.start[place]),
        pid=int(batch.tid[place]),
        name=name_of(batch, batch.name[place]),
        args=args,
        ret=ret,
        error=_error(batch, place),
        duration_ns=int(batch.duration[place]) if is_timed else None,
        waited=bool(batch.waiting[place] > 0) if is_timed else None,
        object=int(batch.object[place]),
    )


def _error(batch: Batch, place: int) -> str:
    errno = batch.errno[place]
    return batch.errnos[errno] if errno != NO_NAME else ""
