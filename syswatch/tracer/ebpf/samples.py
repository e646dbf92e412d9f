"""Single calls, out of the ring."""

import ctypes
from collections import defaultdict
from collections.abc import Mapping

import attrs

from syswatch.model.entries import FAILURE_SAMPLES, Failure, LogEntry
from syswatch.model.messages import TraceOptions
from syswatch.tracer.decode import Formatter
from syswatch.tracer.errnos import errno_name

from . import layout
from .calls import Call, describe
from .library import ON_SAMPLE
from .memory import SampledMemory
from .program import Program

_LAST_ERROR = 4095
_SIZE = ctypes.sizeof(layout.Sample)


@attrs.define
class Samples:
    """Turns samples into log entries and samples of failures."""

    program: Program
    options: TraceOptions
    _log: list[LogEntry] = attrs.field(factory=list, init=False)
    _failures: dict[str, list[Failure]] = attrs.field(factory=lambda: defaultdict(list), init=False)
    _shown: int = attrs.field(default=0, init=False)
    _ring: int = attrs.field(init=False)
    _callback: object = attrs.field(init=False)
    _formatters: dict[str, Formatter] = attrs.field(factory=dict, init=False)
    _calls: dict[int, Call] = attrs.field(factory=dict, init=False)
    _offset_ns: int = attrs.field(default=0, init=False)

    def __attrs_post_init__(self) -> None:
        """Open the ring."""
        self._callback = ON_SAMPLE(self._receive)
        library = self.program.library
        self._ring = library.made(
            library.ring_buffer__new(self.program.fd("samples"), self._callback, None, None),
            "open the ring of samples",
        )

    def read(self, offset_ns: int) -> None:
        """Take all there are; `offset_ns` makes a time of day of the monotonic clock's."""
        self._offset_ns = offset_ns
        self.program.library.ring_buffer__consume(self._ring)

    def take(self) -> tuple[tuple[LogEntry, ...], Mapping[str, tuple[Failure, ...]], int]:
        """Return the log, the failures by name, and how many counted calls the log shows."""
        log, self._log = self._log, []
        failures, self._failures = self._failures, defaultdict(list)
        shown, self._shown = self._shown, 0
        return tuple(log), {name: tuple(samples) for name, samples in failures.items()}, shown

    def close(self) -> None:
        """Close the ring."""
        self.program.library.ring_buffer__free(self._ring)

    def _receive(self, _context: int, data: int, size: int) -> int:
        if size >= _SIZE:
            self._keep(layout.Sample.from_address(data))
        return 0

    def _keep(self, sample: layout.Sample) -> None:
        call = self._calls.get(sample.call)
        if call is None:
            call = self._calls[sample.call] = describe(sample.call)
        formatter = self._formatter(call.architecture)
        args, result = tuple(sample.arguments), sample.result
        unfinished = sample.shown == layout.UNFINISHED
        failed = -_LAST_ERROR <= result < 0
        memory = SampledMemory.before(sample.given)
        captured = (
            formatter.capture(call.plain_name, args, memory)
            if formatter.needs_entry(call.plain_name)
            else None
        )
        text = formatter.format(
            call.plain_name, args, result, failed or unfinished, memory, captured
        )
        at = sample.began_ns + self._offset_ns
        errno = errno_name(result) if failed else ""
        if failed:
            known = self._failures[call.name]
            known.append(Failure(at, sample.tid, errno, text))
            del known[:-FAILURE_SAMPLES]
        if unfinished:
            self._log.append(LogEntry(at, sample.tid, call.name, text, "?", ""))
        elif sample.shown:
            self._shown += 1
            memory = memory.after(sample.given)
            ret = formatter.result(call.plain_name, args, result, failed, memory)
            self._log.append(LogEntry(at, sample.tid, call.name, text, ret, errno))

    def _formatter(self, architecture: str) -> Formatter:
        known = self._formatters.get(architecture)
        if known is None:
            known = self._formatters[architecture] = Formatter(self.options, architecture)
        return known
