"""The calls that are missing from a recording."""

from syswatch.model.times import LONGEST_NS, SECOND_NS
from syswatch.recording import segments
from syswatch.recording.extra import load

from .files import reason_of
from .opening import Recording
from .parquet import check_types, damages, open_parquet

_TYPES = {"second": "timestamp[s, tz=UTC]|timestamp[ms, tz=UTC]", "tid": "int32", "count": "int64"}
_MOST_LOST = 1 << 48


def lost_in(recording: Recording, first_ns: int, last_ns: int) -> int:
    """Return how many calls that ended in a range of time are missing."""
    return sum(
        _lost_in_segment(recording, number, first_ns // SECOND_NS, _last(last_ns))
        for number in segments.numbers_in(recording.folder, segments.LOSSES)
    )


def _last(last_ns: int) -> int:
    return -(-last_ns // SECOND_NS) if last_ns < LONGEST_NS else LONGEST_NS


def _lost_in_segment(recording: Recording, number: int, first: int, last: int) -> int:
    arrow, name = load("pyarrow"), f"losses/{segments.name_of(number)}"
    path = recording.folder / segments.LOSSES / segments.name_of(number)
    try:
        with open_parquet(path) as file:
            check_types(file, _TYPES)
            table = file.read(columns=list(_TYPES))
        seconds = table["second"].cast(arrow.timestamp("s", tz="UTC")).cast("int64").to_pylist()
        counts = table["count"].to_pylist()
    except damages() as error:
        if path.exists():
            recording.damaged[name] = reason_of(error)
        return 0
    lost = (
        count or 0
        for second, count in zip(seconds, counts, strict=True)
        if second is not None and first <= second < last
    )
    return min(max(sum(lost), 0), _MOST_LOST)
