"""
Every counted call as an event, for the recorder.

An event is written when its call is counted, from the same values, so that the sums of the events
are those of the deltas.  What is not read for the deltas is not read for the events either: their
arguments are the registers at the entry.
"""

import struct
import time
from array import array
from functools import lru_cache
from itertools import starmap
from typing import TYPE_CHECKING, Any

import attrs

from syswatch.base.classes import define
from syswatch.base.redaction import Redactor
from syswatch.codec.event_frames import Text
from syswatch.codec.events import ARCHITECTURES, EVENT, UNKNOWN_CPU, Flag
from syswatch.model.objects import NO_OBJECT
from syswatch.tracer.event_pipe import EventPipe
from syswatch.tracer.naming import X32_BIT

from .abi import ARGUMENTS_AT
from .calls import CallKind, Return
from .counting import count_on_object, moved_by
from .lives import Lives
from .texts import Texts
from .threads import Thread
from .waits import LONG_NS, NO_WAIT

if TYPE_CHECKING:
    from .recorder import Recorder

# An event as it is put together here: the six arguments as bytes, and the fields from the process
# to the CPU, which are the same for many calls.  Numbers are signed, because a call may return
# anything, and the clock may be set back.
_pack = struct.Struct("<qqqqQqq48s16sQ").pack
_pack_identity = struct.Struct("<IIHBBI").pack
_ARGUMENTS_BYTES = 48
_WORDS = EVENT.size // 8
_SEQUENCE_AT = _WORDS - 1
# A quarter of what the pipe holds.
_MOST_EVENTS = 512
_MOST_TEXT = 1 << 20
# No kernel has calls with such numbers.
_LARGEST_NUMBER = 0xFFFF
_OTHER_ARCHITECTURE = 0xFF
_NOT_RETURNED = -1
# Operations on flags take long.
_WAITED, _ESTIMATED, _UNTIMED = int(Flag.WAITED), int(Flag.ESTIMATED), int(Flag.UNTIMED)
_UNFINISHED, _FAILED, _MOVED = int(Flag.UNFINISHED), int(Flag.FAILED), int(Flag.MOVED)
_NO_ARGUMENTS, _NAMED = int(Flag.NO_ARGUMENTS), int(Flag.NAMED)


@define
class SharedTexts(Texts):
    """Keeps the texts of the present call until its event is written."""

    shown: str | None = attrs.field(default=None, init=False)

    def arguments(self, thread: Thread, call: CallKind, result: int, *, failed: bool) -> str:
        """Return the arguments of a call, and keep them."""
        self.shown = self.formatted(thread, call, result, failed=failed)
        return self.shown


@define
class Events:
    """Writes events to a buffer, and sends them."""

    pipe: EventPipe
    texts: SharedTexts
    # What to add to the monotonic clock; set by the recorder of deltas.
    offset_ns: int = attrs.field(default=0, init=False)
    lives: Lives = attrs.field(init=False)
    # When the trace began.
    _began_ns: int = attrs.field(factory=time.time_ns, init=False)
    _has_arguments: bool = attrs.field(init=False)
    _decodes_all: bool = attrs.field(init=False)
    # Shorter calls have neither waited nor a text.
    _least_unusual_ns: int = attrs.field(init=False)
    _events: list[tuple[Any, ...]] = attrs.field(factory=list, init=False)
    _sequence: int = attrs.field(default=0, init=False)
    _text_size: int = attrs.field(default=0, init=False)

    def __attrs_post_init__(self) -> None:
        """Read the options."""
        self._has_arguments = self.texts.options.read_arguments
        self._decodes_all = self.texts.options.decode_all
        self._least_unusual_ns = 0 if self._decodes_all else LONG_NS
        redact = Redactor(self.texts.options.redact)
        self.lives = Lives(self.pipe, redact, self._now_ns, self._has_arguments)

    def add_thread(self, thread: Thread) -> None:
        """Let the arguments of the calls of a thread be recorded."""
        if self._has_arguments:
            whole = memoryview(thread.entry).cast("B")
            thread.registers = whole[ARGUMENTS_AT : ARGUMENTS_AT + _ARGUMENTS_BYTES]

    def identities(self, thread: Thread, call: CallKind) -> tuple[bytes, bytes]:
        """Return what is the same in the events of a call that succeeds, and if it fails."""
        return self._identity(thread, call, 0), self._identity(thread, call, _FAILED)

    def _identity(self, thread: Thread, call: CallKind, flags: int) -> bytes:
        """Return the fields of an event from the process to the CPU."""
        number, architecture = _code_of(call)
        if not self._has_arguments:
            flags |= _NO_ARGUMENTS
        return _pack_identity(
            thread.process.pid, thread.tid, number, architecture, flags, UNKNOWN_CPU
        )

    def renamed(self, thread: Thread) -> None:
        """Use the new ID of a thread that has called execve."""
        for key, row in thread.rows.items():
            row.identities = self.identities(thread, key[0] if isinstance(key, tuple) else key)

    def count(  # noqa: PLR0913  the same as for calls that are only counted
        self,
        recorder: "Recorder",
        thread: Thread,
        call: CallKind,
        result: int,
        failed: bool,  # noqa: FBT001
        now_ns: int,
    ) -> None:
        """Count and record a call that has returned."""
        row = count_on_object(recorder, thread, call, result, failed, now_ns)
        entered_ns = thread.entered_ns
        moved = moved_by(thread, call, result) if call.moves and not failed else 0
        if now_ns - entered_ns >= self._least_unusual_ns or self.texts.shown is not None:
            self.returned(thread, call, Return(result, failed, now_ns), row.object, moved)
            return
        # They are packed many at once.
        events = self._events
        events.append(
            (
                entered_ns + self.offset_ns,
                now_ns - entered_ns,
                0,
                0,
                row.object,
                result,
                moved,
                thread.registers.tobytes(),
                row.identities[failed],
                0,
            )
        )
        if len(events) >= _MOST_EVENTS:
            self.send()

    def returned(
        self, thread: Thread, call: CallKind, returned: Return, number: int, moved: int
    ) -> None:
        """Record a call that has been counted, with its text if that is known."""
        result, failed, at_ns = returned
        start_ns = self._start_of(thread)
        split, flags = NO_WAIT, _FAILED if failed else 0
        if thread.untimed:
            flags |= _UNTIMED
        elif at_ns - thread.entered_ns >= LONG_NS:
            split = thread.divided
            flags |= _WAITED if split.waited else 0
            flags |= _ESTIMATED if split.is_estimate else 0
        self._add_text(thread, call, returned, start_ns)
        duration_ns = max(at_ns + self.offset_ns - start_ns, 0)
        fields = start_ns, duration_ns, split.waiting_ns, split.ready_ns, number, result, moved
        self._add(thread, call, fields, flags)

    def moved(self, thread: Thread, call: CallKind, number: int, size: int) -> None:
        """Record the bytes that a call moves to a second object, before the call itself."""
        fields = self._start_of(thread), 0, 0, 0, number, size, size
        self._append(thread, call, fields, _MOVED)

    def named(self, thread: Thread, call: CallKind, number: int) -> None:
        """Record a path or a peer that a call names besides its object, before the call itself."""
        fields = self._start_of(thread), 0, 0, 0, number, 0, 0
        self._append(thread, call, fields, _MOVED | _NAMED)

    def unfinished(self, thread: Thread, call: CallKind, number: int = NO_OBJECT) -> None:
        """Record a call that has not returned."""
        start_ns = self._start_of(thread)
        text = self.texts.in_progress(thread, call)
        self._send_text(Text(thread.tid, start_ns, text, "?"))
        flags = _UNFINISHED | (_UNTIMED if thread.untimed else 0)
        self._add(thread, call, (start_ns, _NOT_RETURNED, 0, 0, number, 0, 0), flags)

    def send(self) -> bool:
        """Send what was recorded since the last time; return False if the recorder has ended."""
        data = bytearray(b"".join(starmap(_pack, self._events)))
        first, self._sequence = self._sequence, self._sequence + len(self._events)
        self._events.clear()
        numbers = array("Q", range(first, self._sequence))
        memoryview(data).cast("Q")[_SEQUENCE_AT::_WORDS] = memoryview(numbers)
        self._text_size = 0
        self.pipe.send(data)
        return self.pipe.is_open

    def _now_ns(self) -> int:
        """Return the time of day, as calls are dated."""
        return time.monotonic_ns() + self.offset_ns

    def _start_of(self, thread: Thread) -> int:
        """Return when the present call began; if that is not known, when the trace began."""
        return self._began_ns if thread.untimed else thread.entered_ns + self.offset_ns

    def _append(self, thread: Thread, call: CallKind, fields: tuple[int, ...], flags: int) -> None:
        registers, identity = thread.registers.tobytes(), self._identity(thread, call, flags)
        self._events.append((*fields, registers, identity, 0))

    def _add(self, thread: Thread, call: CallKind, fields: tuple[int, ...], flags: int) -> None:
        self._append(thread, call, fields, flags)
        if len(self._events) >= _MOST_EVENTS or self._text_size >= _MOST_TEXT:
            self.send()

    def _add_text(self, thread: Thread, call: CallKind, returned: Return, start_ns: int) -> None:
        """Send the text of a call that has returned, if it was formatted, or all are."""
        shown, self.texts.shown = self.texts.shown, None
        if shown is None:
            if not self._decodes_all:
                return
            result, failed, _ = returned
            shown = self.texts.formatted(thread, call, result, failed=failed)
        self._send_text(
            Text(thread.tid, start_ns, shown, self.texts.result(thread, call, returned))
        )

    def _send_text(self, text: Text) -> None:
        self._text_size += len(text.arguments) + len(text.result)
        self.pipe.add_text(text)


@lru_cache
def _code_of(call: CallKind) -> tuple[int, int]:
    """Return the number and the architecture of a call as they are recorded."""
    number, architecture = call.number, _OTHER_ARCHITECTURE
    if call.abi == "x32":
        number -= X32_BIT
    if call.abi in ARCHITECTURES:
        architecture = ARCHITECTURES.index(call.abi)
    return min(max(number, 0), _LARGEST_NUMBER), architecture
