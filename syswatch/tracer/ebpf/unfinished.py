"""The calls that are in progress when tracing ends."""

import time

import attrs

from syswatch.base.classes import define
from syswatch.codec.event_frames import Text
from syswatch.codec.events import EVENT, FIELDS, UNFINISHED_NS, UNKNOWN_CPU, Flag

from .details import Details
from .program import Program
from .progress import InProgress
from .thread_records import ThreadRecord

_PLACES = {name: place for place, (name, _) in enumerate(FIELDS)}
_START, _TID = _PLACES["start_ns"], _PLACES["tid"]


@define
class Unfinished:
    """Finds the calls in progress, and makes events of those that do not end meanwhile."""

    program: Program
    details: Details
    # By thread and start.
    _found: dict[tuple[int, int], tuple[ThreadRecord, InProgress]] = attrs.field(
        factory=dict, init=False
    )

    def look(self) -> None:
        """Find them; of selected calls only, as far as they are selected when they begin."""
        settings = self.program.settings
        # Which paths a call refers to, and its result, is not known here.
        if settings.selects or settings.status:
            return
        traced = self.program.catalog.traced
        looked_ns = time.monotonic_ns()
        self.program.look()
        for record, call in self.details.in_progress(looked_ns):
            if traced[min(call.call, len(traced) - 1)]:
                began_ns = call.began_ns or record.born_ns
                start_ns = began_ns + self.program.totals.clock_ns
                self._found[record.tid, start_ns] = record, call

    def note(self, events: bytearray) -> None:
        """Note which of them have ended, among these events."""
        if self._found:
            for event in EVENT.iter_unpack(events):
                self._found.pop((event[_TID], event[_START]), None)

    def take(self) -> tuple[bytes, list[Text]]:
        """Return the others as events, and their texts."""
        events, texts = [], []
        for sequence, ((tid, start_ns), (record, call)) in enumerate(self._found.items()):
            events.append(self._event(start_ns, sequence, record, call))
            args = self.details.printer.in_progress(call.call, call.arguments, tid)
            texts.append(Text(tid, start_ns, args, "?"))
        self._found.clear()
        return b"".join(events), texts

    def _event(self, start_ns: int, sequence: int, record: ThreadRecord, call: InProgress) -> bytes:
        number, architecture = self.details.names.recorded(call.call)
        flags = Flag.UNFINISHED
        if not call.began_ns:
            flags |= Flag.UNTIMED
        arguments = call.arguments
        if not self.program.settings.arguments:
            flags, arguments = flags | Flag.NO_ARGUMENTS, (0,) * len(arguments)
        pid = self.details.records.pid_of(record.process) or record.tid
        times = start_ns, UNFINISHED_NS, 0, 0
        place = number, architecture, flags, UNKNOWN_CPU, sequence
        return EVENT.pack(*times, call.wait.object, 0, 0, *arguments, pid, record.tid, *place)
