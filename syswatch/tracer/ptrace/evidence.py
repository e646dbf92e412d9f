"""
What rules for calls are made of, from the registers at the entry of each call.

A seccomp filter that refuses a call sends SIGSYS, or kills the thread at once.  The signal is
pending at the exit of the call, whose result is then the number of the call, or its first argument
on arm64.  A filter may also let a call fail with an error; that can't be told from an error of the
kernel.
"""

import signal
from collections.abc import Callable
from typing import TYPE_CHECKING

import attrs

from syswatch.base.classes import define
from syswatch.model.evidence import Evidence, EvidenceKey, EvidenceTally, add_evidence
from syswatch.model.ruled_arguments import RuledArgument, ruled_arguments

from .abi import OP_ENTRY, OP_SECCOMP, pending_signals, read_arguments, read_entry
from .calls import CallKind
from .counting import Count
from .threads import Thread

if TYPE_CHECKING:
    from .recorder import Recorder

_ENTRIES = (OP_ENTRY, OP_SECCOMP)
# As for other kinds of calls: a program may try random numbers.
_MOST_KINDS = 4096
# The number and the code of the signal.
_SYS_SECCOMP = 1
_REFUSAL = (signal.SIGSYS, _SYS_SECCOMP)


@define
class EvidenceCounter:
    """Counts each call once: when it has returned, or else when its thread or the trace ends."""

    redact: Callable[[str], str]
    _tallies: dict[tuple[CallKind, tuple[int, ...], str, bool], list[int]] = attrs.field(
        factory=dict, init=False
    )
    _ruled: dict[CallKind, tuple[RuledArgument, ...]] = attrs.field(factory=dict, init=False)
    # The processes with a call that was refused by a signal.
    _refused: set[int] = attrs.field(factory=set, init=False)
    # The thread that a filter has killed within its call.
    _killed: Thread | None = attrs.field(default=None, init=False)

    def counting(self, base: Count) -> Count:
        """Return what counts a call that has returned here, too."""

        def count(  # noqa: PLR0913  as `base`
            recorder: "Recorder",
            thread: Thread,
            call: CallKind,
            result: int,
            failed: bool,  # noqa: FBT001
            now_ns: int,
        ) -> object:
            self.returned(thread, call, result)
            return base(recorder, thread, call, result, failed, now_ns)

        return count

    def returned(self, thread: Thread, call: CallKind, result: int) -> None:
        """Count a call at its exit."""
        may_be_refused = result == call.number or call.architecture == "aarch64"
        refused = may_be_refused and _REFUSAL in pending_signals(thread.tid)
        if refused:
            self._refused.add(thread.process.pid)
        self._add(thread, call, refused=refused)

    def unfinished(self, thread: Thread, call: CallKind) -> None:
        """Count a call that has not returned."""
        self._add(thread, call, refused=thread is self._killed)

    def killed(self, thread: Thread, number: int) -> None:
        """
        Note that a thread was killed by a signal.

        A filter that kills only one of several threads reports neither the signal nor the exit.
        One that kills the process has reported the exit of the call that it refuses.
        """
        if number == signal.SIGSYS and thread.process.pid not in self._refused:
            self._killed = thread

    def take(self, offset_ns: int) -> tuple[Evidence, int]:
        """Return what was counted since the last time, and how many rows exceeded the limit."""
        tallies, self._tallies = self._tallies, {}
        evidence: dict[EvidenceKey, EvidenceTally] = {}
        for (call, values, program, refused), (count, first_ns) in tallies.items():
            key = EvidenceKey(call.plain_name, values, call.abi, self.redact(program), refused)
            tally = EvidenceTally(count, first_ns + offset_ns)
            evidence[key] = evidence[key] + tally if key in evidence else tally
        return add_evidence({}, evidence)

    def _add(self, thread: Thread, call: CallKind, *, refused: bool) -> None:
        try:
            ruled = self._ruled[call]
        except KeyError:
            ruled = tuple(ruled_arguments(call.plain_name, call.abi))
            if len(self._ruled) < _MOST_KINDS:
                self._ruled[call] = ruled
        values: tuple[int, ...] = ()
        # Of a call that began before the trace, the kernel may have described the exit only.
        if ruled and read_entry(thread.entry)[0] in _ENTRIES:
            registers = read_arguments(thread.entry)
            values = tuple(each.value(registers[each.position]) for each in ruled)
        key = call, values, thread.process.comm, refused
        tally = self._tallies.get(key)
        if tally is None:
            self._tallies[key] = [1, thread.entered_ns]
        else:
            tally[0] += 1
            # Calls are counted in the order in which they return.
            tally[1] = min(tally[1], thread.entered_ns)
