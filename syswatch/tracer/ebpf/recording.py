"""Sends every call to the recorder, with texts, losses and processes."""

import time

import attrs

from syswatch.base.classes import define
from syswatch.codec.event_frames import Text
from syswatch.model.times import SECOND_NS
from syswatch.tracer.event_pipe import EventPipe

from .activity_layout import FIRST_THREAD
from .details import Details
from .event_ring import EventRing
from .following import Following
from .libbpf import ON_SAMPLE
from .lives import Lives
from .printer import Printed
from .program import Program
from .records import Records
from .sample import Header
from .samples import Samples
from .unfinished import Unfinished

# Earlier if a ring is half full.
_READ_NS = SECOND_NS // 10
# The pipe takes no more than a few of these at once.
_PART_BYTES = 8 << 20


def _no_object(_: int) -> int:
    return 0


@define
class Recording:
    """Takes what the program records, and sends it."""

    following: Following
    pipe: EventPipe
    samples: Samples
    records: Records
    # None if objects and threads are not followed.
    details: Details | None
    program: Program = attrs.field(init=False)
    _ring: EventRing = attrs.field(init=False)
    _lives: Lives = attrs.field(init=False)
    _unfinished: Unfinished | None = attrs.field(default=None, init=False)
    _read_ns: int = attrs.field(factory=time.monotonic_ns, init=False)
    _wakes: int = attrs.field(init=False)
    _callback: object = attrs.field(init=False)

    def __attrs_post_init__(self) -> None:
        """Map the rings into memory."""
        self.program = program = self.following.program
        libbpf = program.libbpf
        self._ring = EventRing(program)
        self._lives = Lives(
            program,
            self.records.redact,
            self.pipe.add_life,
            began_ns=self.following.began_ns,
            reads=bool(program.settings.arguments),
        )
        if self.details is not None:
            self._unfinished = Unfinished(program, self.details)
        self._callback = ON_SAMPLE(lambda _context, _data, _size: 0)
        self._wakes = libbpf.checked_pointer(
            libbpf.ring_buffer__new(program.fd("wakes"), self._callback, None, None),
            "open the ring buffer of wakes",
        )
        self.samples.printed = self._add_text
        self.records.changed = self._lives.note

    @property
    def wake_fd(self) -> int:
        """Readable when a ring is half full."""
        return self.program.fd("wakes")

    def rest_ns(self) -> int:
        """Return when to read again, from now."""
        return max(self._read_ns + _READ_NS - time.monotonic_ns(), 0)

    def read(self) -> None:
        """Send the calls since the last time, after their texts."""
        self._read_ns = time.monotonic_ns()
        self.program.libbpf.ring_buffer__consume(self._wakes)
        ends = self._ring.ends()
        if not self.pipe.is_open:
            # The recorder has ended.  In a full ring, the program would count losses.
            self._ring.skip(ends)
            self.samples.printed = None
            return
        id_of = self.details.objects.id_of if self.details else _no_object
        data = self._ring.take(ends, id_of)
        # The program writes the sample of a call before its event, so they are all there.  They are
        # printed when the rings have room again.
        self.samples.drain()
        self.pipe.add_losses(self._ring.losses(time.time_ns() // SECOND_NS))
        if self._unfinished is not None:
            self._unfinished.note(data)
        whole = memoryview(data)
        for at in range(0, len(data), _PART_BYTES):
            self.pipe.send(bytes(whole[at : at + _PART_BYTES]))
        if not data:
            self.pipe.send(b"")
        self._set_clock()

    def look(self) -> None:
        """Find the calls in progress, before the program is detached."""
        if self._unfinished is not None:
            self._unfinished.look()

    def finish(self) -> None:
        """Send the calls that were in progress and have not ended meanwhile."""
        self.read()
        if self._unfinished is not None:
            events, texts = self._unfinished.take()
            for text in texts:
                self.pipe.add_text(text)
            self.pipe.send(events)

    def forget_processes(self) -> None:
        """Forget the processes that have ended, before their records are reused."""
        self._lives.forget(self.records.ended)

    def close(self) -> None:
        """Close the ring of wakes."""
        self.program.libbpf.ring_buffer__free(self._wakes)

    def _set_clock(self) -> None:
        """Let the program convert times as the log is converted, even if the clock was set."""
        self.program.totals.clock_ns = self.following.clock.offset_ns()

    def _add_text(self, header: Header, printed: Printed) -> None:
        began_ns = header.began_ns
        if not header.duration_ns and header.thread >= FIRST_THREAD and self.details:
            # In progress when its thread was found: since then, as the program records it.
            thread = self.details.thread(header.thread)
            began_ns = thread.born_ns if thread.first_exit_ns >= began_ns else began_ns
        start_ns = began_ns + self.program.totals.clock_ns
        self.pipe.add_text(Text(header.tid, start_ns, printed.args, printed.ret))
