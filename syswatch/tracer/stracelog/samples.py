"""Calls that are kept whole, some of them as lines until somebody wants to read them."""

from collections.abc import Callable, Mapping, Sequence
from itertools import islice

import attrs

from syswatch.base.text import shortened
from syswatch.model.entries import ARGUMENT_BYTES
from syswatch.model.times import SECOND_NS

from .clock import time_since_epoch
from .grammar import LoggedCall, ResumedCall, UnfinishedCall, join, parse_line

# Hundreds of lines wait to be parsed; a longer one waits in a shorter form.
_LONG_LINE_BYTES = 2 * ARGUMENT_BYTES


@attrs.frozen
class CallSample:
    """A whole call, its moment, and the number of the line that ended it."""

    call: LoggedCall
    time_ns: int | None
    place: int = 0

    @classmethod
    def of(cls, call: LoggedCall, time_ns: int | None, place: int) -> "CallSample":
        """Keep as much of a call as is shown."""
        if len(call.args) > ARGUMENT_BYTES or len(call.ret) > ARGUMENT_BYTES:
            args, ret = shortened(call.args, ARGUMENT_BYTES), shortened(call.ret, ARGUMENT_BYTES)
            call = attrs.evolve(call, args=args, ret=ret)
        return cls(call, time_ns, place)

    def shifted(self, seconds: int) -> "CallSample":
        """Move it in time."""
        if self.time_ns is None:
            return self
        return attrs.evolve(self, time_ns=self.time_ns + seconds * SECOND_NS)


@attrs.frozen
class LineSample:
    """
    A line that is known to be a whole call, or to complete one, and what its time counts from.

    It was only counted until now.
    """

    line: bytes
    origin_s: int
    place: int = 0
    first: UnfinishedCall | None = None

    def shifted(self, seconds: int) -> "LineSample":
        """Move it in time."""
        return attrs.evolve(self, origin_s=self.origin_s + seconds)

    @property
    def is_long(self) -> bool:
        """Say whether this takes more memory than the call that it is."""
        size = len(self.line) + (len(self.first.text) if self.first else 0)
        return size > _LONG_LINE_BYTES

    def parse(self, shown: Callable[[LoggedCall], LoggedCall]) -> CallSample:
        """Parse the line; `shown` hides what must not be shown of the call."""
        call = parse_line(self.line)
        if isinstance(call, ResumedCall) and self.first is not None:
            call = join(self.first, call) or call
        if not isinstance(call, LoggedCall):
            raise TypeError(f"a line was counted as a call and parsed as {type(call).__name__}")
        return CallSample.of(shown(call), time_since_epoch(call.time, self.origin_s), self.place)


@attrs.frozen
class LineBatch:
    """
    Lines that were counted together; the first is at `place`.

    `unusual` holds by their index what became of those that are no plain calls.
    """

    lines: Sequence[bytes]
    unusual: Mapping[int, CallSample | LineSample | None]
    origin_s: int
    place: int

    def kept(self, index: int) -> CallSample | LineSample | None:
        """Return what is kept of a line."""
        if index in self.unusual:
            return self.unusual[index]
        return LineSample(self.lines[index], self.origin_s, self.place + index)

    def newest(self, most: int) -> list[CallSample | LineSample]:
        """Return the newest calls in the order of their lines."""
        newest_first = map(self.kept, range(len(self.lines) - 1, -1, -1))
        calls = (kept for kept in newest_first if kept is not None)
        return list(islice(calls, most))[::-1]

    def holds(self, least: int) -> bool:
        """Return whether there are so many calls."""
        others = sum(each is None for each in self.unusual.values())
        return len(self.lines) - others >= least


@attrs.frozen
class Samples:
    """The newest calls, and the newest failures of each name, in the order of their lines."""

    log: tuple[CallSample | LineSample, ...] = ()
    failures: Mapping[str, tuple[CallSample | LineSample, ...]] = attrs.field(factory=dict)

    def shifted(self, seconds: int) -> "Samples":
        """Move everything in time."""
        return Samples(
            tuple(kept.shifted(seconds) for kept in self.log),
            {
                name: tuple(kept.shifted(seconds) for kept in samples)
                for name, samples in self.failures.items()
            },
        )

    def with_calls(self, calls: Sequence[CallSample]) -> "Samples":
        """Put calls where their lines are."""
        failures: dict[str, Sequence[CallSample | LineSample]] = dict(self.failures)
        for kept in calls:
            if kept.call.errno:
                failures[kept.call.name] = (*failures.get(kept.call.name, ()), kept)
        return Samples(
            _by_place((*self.log, *calls)),
            {name: _by_place(samples) for name, samples in failures.items()},
        )


def _by_place(kept: Sequence[CallSample | LineSample]) -> tuple[CallSample | LineSample, ...]:
    return tuple(sorted(kept, key=lambda each: each.place))
