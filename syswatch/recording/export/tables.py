"""One table of all calls with their objects, and folded stacks, both made by queries."""

from typing import BinaryIO

from syswatch.model.times import LONGEST_NS
from syswatch.recording.query.database import Database
from syswatch.recording.query.writers import WRITERS

from .selection import Selection

_RANGE = "WHERE epoch_ns(start) < $until AND epoch_ns(start) + duration >= $since"
_CALLS = f"SELECT * EXCLUDE (recording) FROM calls_with_objects {_RANGE}"  # noqa: S608  of constants alone
# What separates frames, and the weight from them, may not be in their names.
_FOLDED = f"""
WITH names AS (SELECT pid, max(command) AS command FROM processes GROUP BY pid),
sums AS (
    SELECT pid, tid, name, object, sum(duration) AS time FROM calls {_RANGE}
    GROUP BY pid, tid, name, object
)
SELECT replace(coalesce(names.command, 'process') || ' ' || pid, ';', ':')
    || ';thread ' || tid || ';' || sums.name
    || coalesce(';' || replace(o.name, ';', ':'), '')
    || ' ' || round(time / 1000)::BIGINT AS line
FROM sums LEFT JOIN names USING (pid) LEFT JOIN objects AS o USING (object)
ORDER BY line
"""  # noqa: S608  of constants alone


def write_csv(selection: Selection, out: BinaryIO) -> None:
    """Write the calls as CSV."""
    _write(selection, "csv", out)


def write_parquet(selection: Selection, out: BinaryIO) -> None:
    """Write the calls as one Parquet file."""
    _write(selection, "parquet", out)


def write_folded(selection: Selection, out: BinaryIO) -> None:
    """Write process, thread, call and object, and the microseconds in these calls."""
    database = Database.open(selection.recording)
    with database.run(_FOLDED, _parameters(selection)) as result:
        for batch in result.batches:
            out.writelines(f"{line}\n".encode() for line in batch.column(0).to_pylist())


def _write(selection: Selection, form: str, out: BinaryIO) -> None:
    database = Database.open(selection.recording)
    with database.run(_CALLS, _parameters(selection)) as result:
        WRITERS[form](result, out)


def _parameters(selection: Selection) -> dict[str, object]:
    return {"since": selection.since_ns, "until": min(selection.until_ns, LONGEST_NS)}
