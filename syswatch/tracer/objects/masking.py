"""What is shown of objects: without secrets, and without names if no arguments may be read."""

from collections.abc import Callable

import attrs

from syswatch.base.classes import frozen
from syswatch.model.messages import FilterOptions
from syswatch.model.objects import ObjectInfo


@frozen
class Masking:
    """Masks the texts of objects; `redact` returns a text without secrets."""

    options: FilterOptions
    redact: Callable[[str], str]

    def __call__(self, info: ObjectInfo) -> ObjectInfo:
        """Return an object as it may be shown; without arguments, only its kind and side."""
        if not self.options.read_arguments:
            return ObjectInfo(info.kind, side=info.side)
        if not self.options.redact:
            return info
        shown = tuple(text and self.redact(text) for text in (info.name, info.detail, info.host))
        if shown == (info.name, info.detail, info.host):
            return info
        name, detail, host = shown
        return attrs.evolve(info, name=name, detail=detail, host=host)


def show_all(info: ObjectInfo) -> ObjectInfo:
    """Return an object as it is."""
    return info
