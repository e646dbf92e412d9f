"""Masks the objects of a recording."""

from collections.abc import Callable, Mapping

import attrs

from syswatch.model.activity import rename_objects
from syswatch.model.delta import Delta
from syswatch.model.histogram import Histogram
from syswatch.model.objects import ObjectInfo, kind_of_other


def masked_objects(delta: Delta, mask: Callable[[ObjectInfo], ObjectInfo]) -> Delta:
    """
    Return a delta with its objects as they may be shown.

    An object without its name, or with another one, has another ID.
    """
    masked = {each: mask(info) for each, info in delta.objects.items()}
    names = {each: info.id for each, info in masked.items() if info.id != each}
    objects = {info.id: info for info in masked.values() if kind_of_other(info.id) is None}
    delta = attrs.evolve(delta, objects=objects)
    return _renamed(delta, names) if names else delta


def _renamed(delta: Delta, names: Mapping[int, int]) -> Delta:
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
