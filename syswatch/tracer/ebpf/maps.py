"""The sizes of the maps."""

from collections.abc import Mapping

from syswatch.codec.events import EVENT

from . import activity_layout as activity
from . import evidence_layout as evidence
from . import layout
from . import object_layout as objects

RECORDS = 16_384
_PATHS = 10_000
_SELECTED_PATHS = 1024
# Rows for single processes: 3.5 kB each, all of them allocated when the trace begins.
_ROWS = 16_384
# A second of samples, at the usual rate.
RING_BYTES = 1 << 22
# The memory of all rings of events, if that is enough for the fewest events that a ring holds.
_EVENTS_BYTES = 32 << 20
MOST_EVENTS = 1 << 17
_FEWEST_EVENTS = 1 << 12
# How many rows there are for each group, on average; the rest of its calls share one.
_ROWS_OF_GROUP = 32
# Threads and seconds with lost calls.
_LOST_CALLS = 1 << 14
# Two sides, with room for all rows with neither a program nor values, refused or not.
_EVIDENCE = 2 * (evidence.MOST_OF_PROGRAMS + evidence.MOST_OF_VALUES + 2 * layout.ROWS + 64)

# Only if objects are followed; otherwise these maps have one entry.
_ACTIVITY = {
    "activities": activity.ACTIVITIES,
    "activity_keys": activity.ACTIVITIES,
    "activity_index": activity.ACTIVITIES,
    "vacant_activities": activity.ACTIVITIES,
    "objects": objects.OBJECTS,
    "object_index": 2 * objects.OBJECTS,
    "vacant_objects": objects.OBJECTS,
    "threads": activity.THREADS,
    "vacant_threads": activity.THREADS,
    "wait_counts": 1 << 17,
    "watches": 1 << 15,
    "sides": 1 << 14,
}


def sizes_of_maps(settings: layout.Settings) -> Mapping[str, int]:
    """Return the sizes of the maps that depend on the machine or on options."""
    selects = _SELECTED_PATHS if settings.selects else 1
    return {
        "sums": settings.cpus * layout.ROWS,
        "histograms": settings.shards * layout.ROWS,
        "processes": settings.records,
        "vacant": settings.records,
        "short_paths": _PATHS,
        "long_paths": _PATHS,
        "wanted_paths": selects,
        "wanted_files": selects,
        "rows": _ROWS if settings.split else 1,
        "samples": RING_BYTES,
        **(_ACTIVITY if settings.objects else {}),
        **(_sizes_of_events(settings) if settings.events else {}),
        "evidence": _EVIDENCE if settings.profile else 1,
        **(_sizes_of_groups(settings) if settings.groups else {}),
    }


def events_of_cpu(cpus: int) -> int:
    """Return how many events the ring of each CPU holds."""
    number = MOST_EVENTS
    while number > _FEWEST_EVENTS and cpus * number * EVENT.size > _EVENTS_BYTES:
        number >>= 1
    return number


def _sizes_of_events(settings: layout.Settings) -> Mapping[str, int]:
    return {
        "events": settings.cpus * settings.events,
        "event_rings": settings.cpus,
        "lost_calls": _LOST_CALLS,
        "command_lines": settings.records,
    }


def rows_of_groups(most_groups: int) -> int:
    """Return how many rows the table of all groups has."""
    return layout.ROWS + most_groups + _ROWS_OF_GROUP * most_groups


def _sizes_of_groups(settings: layout.Settings) -> Mapping[str, int]:
    groups = ("group_records", "group_index", "vacant_groups", "group_times")
    rows = ("group_rows", "group_row_keys", "group_row_index", "vacant_group_rows")
    return {
        **dict.fromkeys(groups, settings.most_groups),
        **dict.fromkeys(rows, settings.group_rows),
    }
