"""The texts of calls: arguments, results and paths."""

from collections.abc import Callable
from functools import cache, partial

import attrs

from syswatch.base.classes import define
from syswatch.model.messages import TraceOptions
from syswatch.tracer.decode import MASK_IN_FRAME, Formatter

from .abi import read_arguments, read_stack_pointer
from .calls import CallKind, Return
from .threads import Thread

_MOST_PATHS = 10_000
_SIGRETURN = "rt_sigreturn"


@define
class Texts:
    """Formats the calls of stopped threads."""

    options: TraceOptions
    # By architecture.
    formatter: Callable[[str], Formatter] = attrs.field(init=False)
    # Paths as they are shown: the same ones are opened again and again.
    _paths: dict[bytes, str] = attrs.field(factory=dict, init=False)

    def __attrs_post_init__(self) -> None:
        """Keep a formatter for each architecture."""
        self.formatter = cache(partial(Formatter, self.options))

    def capture(self, thread: Thread, call: CallKind) -> None:
        """Read memory that a call may overwrite."""
        formatter = self.formatter(call.architecture)
        args = _arguments(thread, call)
        thread.captured = formatter.capture(call.plain_name, args, thread.memory)

    def shown_path(self, path: bytes, call: CallKind) -> str:
        """Return a path as it may be shown."""
        shown = self._paths.get(path)
        if shown is None:
            if len(self._paths) >= _MOST_PATHS:
                self._paths.clear()
            shown = self._paths[path] = self.formatter(call.architecture).shown_path(path)
        return shown

    def arguments(self, thread: Thread, call: CallKind, result: int, *, failed: bool) -> str:
        """Return the arguments of a call that has returned, as strace prints them."""
        return self.formatted(thread, call, result, failed=failed)

    def formatted(self, thread: Thread, call: CallKind, result: int, *, failed: bool) -> str:
        """Return the arguments of a call as strace prints them."""
        formatter = self.formatter(call.architecture)
        args, memory = _arguments(thread, call), thread.memory
        captured = thread.captured if call.captured else None
        if captured is None and call.captured:
            # The quota was used up at the entry; the memory is mostly still the same.
            captured = formatter.capture(call.plain_name, args, memory)
        return formatter.format(call.plain_name, args, result, failed, memory, captured)

    def result(self, thread: Thread, call: CallKind, returned: Return) -> str:
        """Return the result of a call."""
        formatter, args = self.formatter(call.architecture), _arguments(thread, call)
        result, failed, _ = returned
        return formatter.result(call.plain_name, args, result, failed, thread.memory)

    def in_progress(self, thread: Thread, call: CallKind) -> str:
        """Return the arguments of a call that has not returned."""
        return self.formatted(thread, call, 0, failed=True)


def _arguments(thread: Thread, call: CallKind) -> tuple[int, ...]:
    """Return the arguments of a call, from registers or from the stack."""
    if call.plain_name != _SIGRETURN:
        return read_arguments(thread.entry)
    offset = MASK_IN_FRAME.get(call.architecture)
    return (read_stack_pointer(thread.entry)[0] + offset if offset else 0,)
