"""Selection of calls by their result and by their paths."""

import os
from collections.abc import Iterator

import attrs

from syswatch.base.classes import define
from syswatch.model.catalog import ArgumentKind, arguments_of
from syswatch.model.messages import TraceOptions

from .abi import read_arguments
from .calls import CallKind
from .threads import Thread

_PATH_BYTES = 4096
_DESCRIPTORS = frozenset({ArgumentKind.FD, ArgumentKind.DIRFD})


@define
class Selection:
    """Decides as `strace --status` and `strace -P` do."""

    options: TraceOptions
    _paths: frozenset[str] = attrs.field(init=False)

    def __attrs_post_init__(self) -> None:
        """Resolve the paths."""
        named = self.options.paths
        self._paths = frozenset(named) | frozenset(map(os.path.realpath, named))

    @property
    def selects(self) -> bool:
        """Return whether any call is left out."""
        return bool(self.options.status or self._paths)

    @property
    def admits_unfinished(self) -> bool:
        """Return whether calls without a result are selected."""
        return not self.options.status

    def admits_result(self, *, failed: bool) -> bool:
        """Return whether calls with this result are selected."""
        return not self.options.status or failed == (self.options.status == "failed")

    def admits_arguments(self, thread: Thread, call: CallKind) -> bool:
        """Return whether the arguments of a call refer to a selected path."""
        return not self._paths or any(path in self._paths for path in _paths(thread, call))


def _paths(thread: Thread, call: CallKind) -> Iterator[str]:
    """Yield every path in the arguments, given as text or as a descriptor."""
    arguments, values = arguments_of(call.plain_name) or (), read_arguments(thread.entry)
    for argument, value in zip(arguments, values, strict=False):
        if argument.kind is ArgumentKind.PATH:
            yield os.fsdecode(thread.memory.string(value, _PATH_BYTES) or b"")
        elif argument.kind in _DESCRIPTORS:
            yield os.fsdecode(thread.memory.link(f"fd/{value & 0xFFFF_FFFF}"))
