"""Replaces objects of a delta by others, such as those with a name that was found out later."""

from collections.abc import Mapping

import attrs

from .activity import rename_objects
from .delta import Delta
from .histogram import Histogram


def renamed(delta: Delta, names: Mapping[int, int]) -> Delta:
    """Return a delta with some objects replaced by others, except for their descriptions."""
    waits: dict[int, Histogram] = {}
    for each, histogram in delta.object_waits.items():
        number = names.get(each, each)
        waits[number] = waits.get(number, Histogram()) + histogram
    return attrs.evolve(
        delta,
        activity=rename_objects(delta.activity, names),
        object_waits=waits,
        threads={
            tid: attrs.evolve(tally, times=tally.times.renamed(names))
            for tid, tally in delta.threads.items()
        },
        timeline=delta.timeline.renamed(names),
        now=attrs.evolve(
            delta.now,
            threads={
                tid: attrs.evolve(each, object=names.get(each.object, each.object))
                for tid, each in delta.now.threads.items()
            },
        ),
        slowest=delta.slowest.shown(
            lambda call: attrs.evolve(call, object=names.get(call.object, call.object))
        ),
        log=tuple(
            attrs.evolve(entry, object=names.get(entry.object, entry.object)) for entry in delta.log
        ),
    )
