"""Keeps the newest calls and failures of a log, as lines, until somebody wants to read them."""

from collections import defaultdict, deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice

import attrs

from syswatch.model.delta import ODD_LINES, Delta, Span
from syswatch.model.entries import ARGUMENT_BYTES, FAILURE_SAMPLES, LOG_ENTRIES, Failure, LogEntry
from syswatch.model.reading import Reading
from syswatch.tracer.text import printable, shortened

from .clock import moment
from .dialect import Row
from .grammar import Call, parse_line

_ODD_LINE_BYTES = 400
# Hundreds of lines wait to be parsed; a longer one waits in a shorter form.
_LONG_LINE_BYTES = 2 * ARGUMENT_BYTES


@attrs.frozen
class Kept:
    """A whole call and its moment."""

    call: Call
    moment_ns: int | None


@attrs.frozen
class KeptLine:
    """A line that is known to be a whole call, and what its time of day counts from."""

    line: bytes
    origin_s: int

    def parse(self) -> Kept:
        """Parse the line, which was only counted until now."""
        call = parse_line(self.line)
        if not isinstance(call, Call):
            raise TypeError(f"counted as a call, parsed as {type(call).__name__}: {self.line!r}")
        return Kept(call, moment(call.time, self.origin_s))


@attrs.define
class Keeper:
    """What a delta shows of single lines."""

    _log: deque[Kept | KeptLine] = attrs.field(factory=lambda: deque(maxlen=LOG_ENTRIES))
    _failures: dict[str, deque[Kept | KeptLine]] = attrs.field(
        factory=lambda: defaultdict(lambda: deque(maxlen=FAILURE_SAMPLES))
    )
    _odd_lines: list[str] = attrs.field(factory=list)
    _reading: Reading = attrs.field(factory=Reading)
    _span: Span | None = None

    def pass_moment(self, moment_ns: int | None) -> None:
        """Note a moment that a line is dated with."""
        if moment_ns is None:
            return
        here = Span(moment_ns, moment_ns)
        self._span = here if self._span is None else self._span + here

    def read(self, reading: Reading) -> None:
        """Note how much was read."""
        self._reading += reading

    def odd(self, line: bytes) -> None:
        """Keep the first few lines that nobody understands."""
        if len(self._odd_lines) < ODD_LINES:
            self._odd_lines.append(printable(line[:_ODD_LINE_BYTES]))

    def keep(self, kept: Kept) -> None:
        """Keep a call that has been parsed."""
        kept = _short(kept)
        self._log.append(kept)
        if kept.call.errno:
            self._failures[kept.call.name].append(kept)

    def keep_newest(
        self,
        rows: Sequence[Row],
        lines: Sequence[bytes],
        unusual: Mapping[int, Kept | None],
        origin_s: int,
    ) -> None:
        """Keep the newest of many lines; `unusual` holds the parsed ones by their index."""

        def kept(index: int) -> Kept | KeptLine | None:
            if index in unusual:
                call = unusual[index]
                return _short(call) if call else None
            line = KeptLine(lines[index], origin_s)
            return line if len(line.line) <= _LONG_LINE_BYTES else _short(line.parse())

        newest_first = _calls(map(kept, range(len(rows) - 1, -1, -1)))
        self._log.extend(reversed(list(islice(newest_first, LOG_ENTRIES))))
        for name, indexes in _newest_failures(rows, unusual).items():
            self._failures[name].extend(_calls(map(kept, reversed(indexes))))

    def complete(self, sums: Delta, fallback_pid: int) -> Delta:
        """Add to the sums what was kept."""
        return attrs.evolve(
            sums,
            log=tuple(_log_entry(_parsed(kept), fallback_pid) for kept in self._log),
            failures={
                name: tuple(_failure(_parsed(kept), fallback_pid) for kept in samples)
                for name, samples in self._failures.items()
            },
            span=self._span,
            reading=self._reading,
            odd_lines=tuple(self._odd_lines),
        )


def _newest_failures(
    rows: Sequence[Row], unusual: Mapping[int, Kept | None]
) -> Mapping[str, list[int]]:
    """Return where the newest failures of each name are, the newest first."""
    failed = [index for index, row in enumerate(rows) if row[4]]
    failed += [index for index, kept in unusual.items() if kept and kept.call.errno]
    failed.sort(reverse=True)
    newest: dict[str, list[int]] = defaultdict(list)
    for index in failed:
        kept = unusual.get(index)
        indexes = newest[kept.call.name if kept else rows[index][2].decode()]
        if len(indexes) < FAILURE_SAMPLES:
            indexes.append(index)
    return newest


def _calls(kept: Iterable[Kept | KeptLine | None]) -> Iterator[Kept | KeptLine]:
    return (each for each in kept if each is not None)


def _parsed(kept: Kept | KeptLine) -> Kept:
    return _short(kept.parse()) if isinstance(kept, KeptLine) else kept


def _short(kept: Kept) -> Kept:
    call = kept.call
    if len(call.args) <= ARGUMENT_BYTES and len(call.ret) <= ARGUMENT_BYTES:
        return kept
    args, ret = shortened(call.args, ARGUMENT_BYTES), shortened(call.ret, ARGUMENT_BYTES)
    return attrs.evolve(kept, call=attrs.evolve(call, args=args, ret=ret))


def _log_entry(kept: Kept, fallback_pid: int) -> LogEntry:
    call = kept.call
    return LogEntry(
        time_ns=kept.moment_ns,
        pid=call.pid or fallback_pid,
        name=call.name,
        args=printable(call.args),
        ret=printable(call.ret),
        error=call.errno,
    )


def _failure(kept: Kept, fallback_pid: int) -> Failure:
    call = kept.call
    return Failure(
        time_ns=kept.moment_ns,
        pid=call.pid or fallback_pid,
        errno=call.errno,
        args=printable(call.args),
    )
