"""Calls as the text of strace."""

import attrs

from syswatch.base.classes import define
from syswatch.codec.event_frames import Life, Loss
from syswatch.codec.events import UNFINISHED_NS, Flag
from syswatch.model.times import SECOND_NS
from syswatch.tracer.naming import machine

from .call_texts import CallName, CallTexts, Read
from .form import AFTER, ARGUMENTS, BEFORE, Event
from .strace_text import call_line, ending_line, loss_line, mode_line, unfinished_line, untimed_line


@define
class StraceForm:
    """The text of strace."""

    _texts: CallTexts = attrs.field(factory=CallTexts, init=False)
    # The mode of each thread that is not in that of the machine.
    _modes: dict[int, str] = attrs.field(factory=dict, init=False)

    def call(self, event: Event, read: Read | None) -> str:
        """Return the line of a call, after one about the mode if that has changed."""
        start_ns, duration_ns, _, _, _, result, _ = event[BEFORE]
        _, tid, number, place, flags = event[AFTER]
        name = self._texts.name(place, number)
        shown, outcome = self._texts.texts(name, event[ARGUMENTS], result, flags, read)
        if duration_ns == UNFINISHED_NS:
            line = unfinished_line(tid, start_ns, name.plain, shown)
        elif flags & Flag.UNTIMED:
            line = untimed_line(tid, start_ns, name.plain, shown, outcome)
        else:
            line = call_line(tid, start_ns, name.plain, shown, outcome, duration_ns)
        if self._modes or name.shown != name.plain:
            return self._with_mode(tid, start_ns, name, line)
        return line

    def ending(self, life: Life, time_ns: int) -> str:
        """Return the line about the end of a process."""
        self._modes.pop(life.pid, None)
        return ending_line(life.pid, time_ns, life.exit_code, life.exit_signal)

    def loss(self, loss: Loss) -> str:
        """Return the line that marks where calls are missing."""
        return loss_line(loss.tid, loss.second * SECOND_NS, loss.calls)

    def _with_mode(self, tid: int, start_ns: int, name: CallName, line: str) -> str:
        mode = "x32" if name.is_x32 else name.architecture
        if mode == self._modes.get(tid, machine()):
            return line
        self._modes[tid] = mode
        if mode == machine():
            del self._modes[tid]
        return f"{mode_line(tid, start_ns, mode)}\n{line}"
