"""Which calls are wanted, beyond their names: by how they end, and by the paths they are given."""

import os
from collections.abc import Iterator

import attrs

from syswatch.model.catalog import ArgumentKind, lookup
from syswatch.model.messages import TraceOptions

from .abi import read_arguments
from .calls import CallKind
from .threads import Thread

_PATH_BYTES = 4096
_DESCRIPTORS = frozenset({ArgumentKind.FD, ArgumentKind.DIRFD})


@attrs.define
class Selection:
    """Decides as `strace --status` and `strace -P` do."""

    options: TraceOptions
    _paths: frozenset[str] = attrs.field(init=False)

    def __attrs_post_init__(self) -> None:
        """Take a path for what it is called and for what it is."""
        named = self.options.paths
        self._paths = frozenset(named) | frozenset(map(os.path.realpath, named))

    @property
    def choosy(self) -> bool:
        """Whether any call may be unwanted."""
        return bool(self.options.status or self._paths)

    @property
    def admits_unfinished(self) -> bool:
        """Whether calls are wanted that have neither failed nor succeeded."""
        return not self.options.status

    def admits_result(self, *, failed: bool) -> bool:
        """Say whether calls are wanted that end like this."""
        return not self.options.status or failed == (self.options.status == "failed")

    def admits_arguments(self, thread: Thread, call: CallKind) -> bool:
        """Say whether a call that begins has to do with a wanted path."""
        return not self._paths or any(path in self._paths for path in _paths(thread, call))


def _paths(thread: Thread, call: CallKind) -> Iterator[str]:
    """Yield every path that the arguments name, themselves or by a descriptor."""
    description = lookup(call.plain_name)
    if description is None:
        return
    values = read_arguments(thread.entry)
    for argument, value in zip(description.arguments, values, strict=False):
        if argument.kind is ArgumentKind.PATH:
            yield os.fsdecode(thread.memory.string(value, _PATH_BYTES) or b"")
        elif argument.kind in _DESCRIPTORS:
            yield os.fsdecode(thread.memory.link(f"fd/{value & 0xFFFF_FFFF}"))
