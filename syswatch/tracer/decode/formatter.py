"""Prints calls as strace does: the interface of this package."""

from collections.abc import Iterator, Mapping
from typing import Any

from syswatch.base.classes import frozen
from syswatch.base.redaction import Redactor
from syswatch.base.text import escape_text
from syswatch.model.messages import TraceOptions

from .call_plan import CallPlan, plan_for, raw_plan
from .memory_reads import Read
from .read_schedule import Access, reads_of
from .register_pairs import join_pairs
from .results import result_text
from .traced_call import Memory, Settings, TracedCall, UnreadableError

_MOST_PLANS = 2048


@frozen
class Captured:
    """What was read at the entry: finished texts, and numbers that the call may overwrite."""

    texts: Mapping[int, str]
    numbers: Mapping[int, Any]


_NOTHING = Captured({}, {})


class Formatter:
    """Prints calls as strace does, under the options of one trace."""

    def __init__(self, options: TraceOptions, architecture: str) -> None:
        """Take the options of a trace and the architecture of its calls."""
        self._redact = Redactor(options.redact)
        self._settings = Settings(
            architecture, options.string_limit, options.descriptor_paths, self._redact
        )
        self._reads = options.read_arguments
        self._plans: dict[str, CallPlan] = {}

    def reads(self, name: str) -> Iterator[tuple[Access, Read]]:
        """Return what printing a call reads from memory, and how the call uses that memory."""
        return reads_of(name, self._settings) if self._reads else iter(())

    def needs_entry(self, name: str) -> bool:
        """Return whether `capture` is needed before a call of this name runs."""
        plan = self._plan(name)
        return bool(plan.at_entry or plan.saved)

    def capture(self, name: str, args: tuple[int, ...], memory: Memory) -> Captured:
        """Read at the entry what will be overwritten or unmapped at the exit."""
        plan = self._plan(name)
        call = self._call(name, args, memory)
        texts = {index: printer(call, index) for index, printer in plan.at_entry}
        numbers = {}
        for index, saved in plan.saved:
            try:
                numbers[index] = saved(call, index)
            except UnreadableError:
                continue
        return Captured(texts, numbers)

    def format(  # noqa: PLR0913  what the kernel says of a call
        self,
        name: str,
        args: tuple[int, ...],
        ret: int,
        is_error: bool,  # noqa: FBT001  as the kernel names it
        memory: Memory,
        captured: Captured | None = None,
    ) -> str:
        """Return the arguments as strace prints them between the parentheses."""
        plan = self._plan(name)
        before = captured or _NOTHING
        call = self._call(name, args, memory, ret, is_error, before.numbers)
        texts = [
            before.texts[index] if index in before.texts else printer(call, index)
            for index, printer in enumerate(plan.printers)
        ]
        if plan.special:
            texts = plan.special(call, texts)
        return self._redact(", ".join(texts))

    def result(
        self,
        name: str,
        args: tuple[int, ...],
        ret: int,
        is_error: bool,  # noqa: FBT001  as above
        memory: Memory,
    ) -> str:
        """Return the result as strace prints it after the equals sign, without the errno."""
        if not self._reads:
            return str(ret)
        return self._redact(result_text(self._call(name, args, memory, ret, is_error)))

    def shown_path(self, path: bytes) -> str:
        """Return a path as it may be shown."""
        return self._redact(escape_text(path))

    def _call(self, name: str, args: tuple[int, ...], memory: Memory, *outcome: Any) -> TracedCall:
        return TracedCall(
            name, join_pairs(name, args, self._settings), memory, self._settings, *outcome
        )

    def _plan(self, name: str) -> CallPlan:
        plan = self._plans.get(name)
        if plan is None:
            plan = self._new_plan(name)
            # Unknown numbers have a name each (syscall_0x...), of which there may be very many.
            if len(self._plans) < _MOST_PLANS:
                self._plans[name] = plan
        return plan

    def _new_plan(self, name: str) -> CallPlan:
        if not self._reads:
            return raw_plan(name)
        return plan_for(name, descriptor_paths=self._settings.descriptor_paths)
