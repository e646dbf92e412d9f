"""
The sums of a segment over intervals of 10 ms, by thread and call.

They are what a timeline of minutes or hours is drawn from.  Long calls are not in these sums,
but have rows of their own: a wait of an hour would otherwise be in 360 000 of them, and a call
that began long before what is shown could not be found.
"""

from typing import Any, Final

from syswatch.recording.arrays import array_of
from syswatch.recording.exits import is_exit
from syswatch.recording.extra import load

from .spread import cut

STEP_NS: Final = 10_000_000
# From so many intervals on, a call has a row of its own.

LONG_BINS: Final = 8
# Enough for the longest duration of a short call; the rest is for its row.
_ROW_BITS = 32
NEVER_NS = 1 << 62
_KEYS = ("interval", "pid", "tid", "name")
_SUMS = ("calls", "errors", "working", "waiting", "ready")


def bins_of(calls: Any) -> Any:
    """Return the table of the sums of a table of calls."""
    numpy, arrow = load("numpy"), load("pyarrow")
    columns = numbers_of(calls)
    is_long = columns["end"] - columns["start"] >= LONG_BINS * STEP_NS
    short = _summed(columns, numpy.flatnonzero(~is_long))
    long = _alone(columns, numpy.flatnonzero(is_long))
    names = calls["name"].combine_chunks().dictionary
    joined = {name: numpy.concatenate([short[name], long[name]]) for name in short}
    order = numpy.argsort(joined["start"], kind="stable")
    joined = {name: values[order] for name, values in joined.items()}
    rows = joined.pop("row")
    length = joined.pop("length")
    return arrow.table(
        {
            "start": array_of(joined.pop("start"), kind=arrow.timestamp("ns", tz="UTC")),
            "length": array_of(length, length >= NEVER_NS),
            "pid": array_of(joined.pop("pid").astype("i4")),
            "tid": array_of(joined.pop("tid").astype("i4")),
            "name": arrow.DictionaryArray.from_arrays(
                array_of(joined.pop("name").astype("i2")), names
            ),
            **{name: array_of(values) for name, values in joined.items()},
            "row": array_of(rows.astype("i4"), rows < 0),
        }
    )


def numbers_of(calls: Any) -> dict[str, Any]:
    """
    Return what bins are made from, as arrays.

    A call that has not returned has no end, unless it ended the thread: that took no time.  What
    one has waited that began before the trace is not known: all that was seen of it counts as that.
    """
    numpy = load("numpy")
    start = calls["start"].cast("int64").to_numpy()
    name = calls["name"].combine_chunks()
    indices = name.indices.to_numpy(zero_copy_only=False)
    unreturned = numpy.array(
        [0 if is_exit(each) else NEVER_NS for each in name.dictionary.to_pylist()]
    )
    duration = calls["duration"].fill_null(NEVER_NS).to_numpy()
    duration = numpy.where(duration < NEVER_NS, duration, unreturned[indices])
    # A step of the clock must not make any time negative.
    duration = numpy.maximum(duration, 0)
    is_over = duration < NEVER_NS
    timed = ~calls["untimed"].fill_null(False).to_numpy()  # noqa: FBT003  by position only
    waiting = numpy.clip(calls["waiting"].to_numpy(), 0, duration)
    waiting = numpy.where(timed | ~is_over, waiting, duration)
    ready = numpy.clip(calls["ready"].to_numpy(), 0, duration - waiting)
    return {
        "start": start,
        "end": numpy.where(is_over, start + duration * is_over, NEVER_NS),
        "waiting": waiting,
        "ready": ready,
        "working": numpy.where(is_over, duration - waiting - ready, 0),
        "pid": calls["pid"].to_numpy(),
        "tid": calls["tid"].to_numpy(),
        "name": indices,
        "errors": calls["errno"].is_valid().to_numpy().astype("i8"),
        # One that began before the trace has lasted longer than is known.
        "timed": timed,
    }


def _summed(columns: dict[str, Any], rows: Any) -> dict[str, Any]:
    """Return the sums of some calls by interval, thread and name."""
    numpy, arrow = load("numpy"), load("pyarrow")
    calls = {name: values[rows] for name, values in columns.items()}
    start, end = calls["start"], calls["end"]
    pieces = cut(start, end, STEP_NS, 0, NEVER_NS)
    begins = pieces.has_start(start, STEP_NS)
    found = {
        "interval": pieces.interval,
        **{name: calls[name][pieces.row] for name in ("pid", "tid", "name")},
        "calls": begins.astype("i8"),
        "errors": calls["errors"][pieces.row] * begins,
        **{
            name: pieces.amount(calls[name], start, end) for name in ("working", "waiting", "ready")
        },
        # The longest and its row, in one number of which the maximum has both.
        "longest": numpy.where(
            begins,
            (((end - start) * calls["timed"])[pieces.row] << _ROW_BITS) | rows[pieces.row],
            -1,
        ),
    }
    sums = [*((name, "sum") for name in _SUMS), ("longest", "max")]
    table = arrow.table({name: array_of(values) for name, values in found.items()})
    groups = table.group_by(list(_KEYS), use_threads=False).aggregate(sums)
    longest = groups["longest_max"].to_numpy()
    size = len(longest)
    return {
        "start": groups["interval"].to_numpy() * STEP_NS,
        "length": numpy.full(size, STEP_NS),
        **{name: groups[name].to_numpy() for name in ("pid", "tid", "name")},
        **{name: groups[f"{name}_sum"].to_numpy() for name in _SUMS},
        "longest": numpy.maximum(longest >> _ROW_BITS, 0),
        "row": numpy.where(longest < 0, -1, longest & ((1 << _ROW_BITS) - 1)),
    }


def _alone(columns: dict[str, Any], rows: Any) -> dict[str, Any]:
    """Return the rows of long calls."""
    numpy = load("numpy")
    calls = {name: values[rows] for name, values in columns.items()}
    never = calls["end"] >= NEVER_NS
    length = numpy.where(never, NEVER_NS, calls["end"] - calls["start"])
    return {
        "start": calls["start"],
        "length": length,
        **{name: calls[name] for name in ("pid", "tid", "name")},
        "calls": numpy.ones(len(rows), "i8"),
        "errors": calls["errors"],
        **{name: calls[name] for name in ("working", "waiting", "ready")},
        "longest": numpy.where(never | ~calls["timed"], 0, length),
        "row": rows,
    }
