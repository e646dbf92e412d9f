"""Replaces objects of a delta by others, such as those with a name that was found out later."""

from collections.abc import Mapping

import attrs

from .delta import Delta


def renamed(delta: Delta, names: Mapping[int, int]) -> Delta:
    """Return a delta with some objects replaced by others, except for their descriptions."""
    return attrs.evolve(
        delta.with_sums_renamed(names),
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
