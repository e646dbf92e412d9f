"""Prints calls of the program in the kernel as strace does."""

from collections.abc import Callable
from functools import cache, partial
from typing import NamedTuple

import attrs

from syswatch.base.classes import define
from syswatch.model.errnos import errno_name
from syswatch.model.messages import TraceOptions
from syswatch.tracer.decode import Formatter
from syswatch.tracer.decode.traced_call import Memory
from syswatch.tracer.ptrace.memory import ThreadMemory

from .calls import CallName, CallNames
from .memory import sampled
from .sample import Header, Raw
from .steps import with_sampled_strings


class Printed(NamedTuple):
    """The parts of a line of the log."""

    args: str
    ret: str
    error: str


@define
class Printer:
    """Prints calls with their arguments and results."""

    options: TraceOptions
    names: CallNames
    # By architecture.
    _formatter: Callable[[str], Formatter] = attrs.field(init=False)

    def __attrs_post_init__(self) -> None:
        """Make a formatter for each architecture that is met."""
        self._formatter = cache(partial(Formatter, with_sampled_strings(self.options)))

    def sample(self, raw: Raw, header: Header) -> Printed:
        """Print a sample; a call that has not returned has `?` for a result."""
        call, memory = self.names.name(header.row), sampled(raw)
        unfinished, failed = header.is_unfinished, header.has_failed
        args = self._arguments(
            call,
            header.arguments,
            memory.before,
            memory.after,
            header.result,
            failed=unfinished or failed,
        )
        if unfinished:
            return Printed(args, "?", "")
        ret = self._formatter(call.architecture).result(
            call.plain_name, header.arguments, header.result, failed, memory.after
        )
        return Printed(args, ret, errno_name(header.result) if failed else "")

    def in_progress(self, row: int, arguments: tuple[int, ...], tid: int) -> str:
        """Return the arguments of a call in progress; its memory is read if that is allowed."""
        memory = ThreadMemory(tid)
        return self._arguments(self.names.name(row), arguments, memory, memory, failed=True)

    def _arguments(  # noqa: PLR0913  what is known of a call
        self,
        call: CallName,
        arguments: tuple[int, ...],
        before: Memory,
        after: Memory,
        result: int = 0,
        *,
        failed: bool,
    ) -> str:
        formatter, name = self._formatter(call.architecture), call.plain_name
        captured = None
        if formatter.needs_entry(name):
            captured = formatter.capture(name, arguments, before)
        return formatter.format(name, arguments, result, failed, after, captured)
