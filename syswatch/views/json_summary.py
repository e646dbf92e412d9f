"""The summary as JSON."""

from msgspec import UNSET

from syswatch.model.snapshot import Snapshot

from . import object_builders, record_builders, time_builders, time_records
from .group_builders import groups
from .records import encode


def json_object(snapshot: Snapshot) -> str:
    """Return one JSON object with everything that a summary holds."""
    return encode(summary_record(snapshot)).decode() + "\n"


def json_lines(snapshot: Snapshot) -> str:
    """Return a line of JSON for each system call."""
    return "".join(encode(row).decode() + "\n" for row in record_builders.stats(snapshot))


def summary_record(snapshot: Snapshot) -> time_records.Summary:
    """Return everything that a summary holds."""
    return time_records.Summary(
        status=record_builders.status(snapshot),
        stats=time_builders.call_summaries(snapshot),
        categories=record_builders.by_category(snapshot),
        files=record_builders.files(snapshot),
        processes=record_builders.processes(snapshot),
        fidelity=record_builders.fidelity(snapshot),
        time=time_builders.time(snapshot),
        objects=object_builders.object_summaries(snapshot),
        threads=time_builders.thread_rows(snapshot),
        slowest=time_builders.slow_calls(snapshot),
        elapsed_time=snapshot.elapsed_ns,
        groups=groups(snapshot) if snapshot.sums.groups else UNSET,
    )
