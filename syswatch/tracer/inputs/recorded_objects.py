"""Masks the objects of a recording."""

from collections.abc import Callable

import attrs

from syswatch.model.delta import Delta
from syswatch.model.objects import ObjectInfo, kind_of_other
from syswatch.model.renaming import renamed


def masked_objects(delta: Delta, mask: Callable[[ObjectInfo], ObjectInfo]) -> Delta:
    """
    Return a delta with its objects as they may be shown.

    An object without its name, or with another one, has another ID.
    """
    masked = {each: mask(info) for each, info in delta.objects.items()}
    names = {each: info.id for each, info in masked.items() if info.id != each}
    objects = {info.id: info for info in masked.values() if kind_of_other(info.id) is None}
    delta = attrs.evolve(delta, objects=objects)
    return renamed(delta, names) if names else delta
