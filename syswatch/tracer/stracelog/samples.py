"""Calls that are kept for the log view, most of them as lines that are parsed when needed."""

from collections.abc import Callable, Mapping, Sequence
from itertools import islice

import attrs

from syswatch.base.classes import frozen
from syswatch.base.text import shortened
from syswatch.model.entries import ARGUMENT_BYTES
from syswatch.model.objects import NO_OBJECT
from syswatch.model.times import SECOND_NS

from .grammar import LoggedCall, parse_line
from .log_clock import time_since_epoch

# Hundreds of lines are kept; longer ones are parsed at once, which shortens them.
_LONG_LINE_BYTES = 2 * ARGUMENT_BYTES


@frozen
class CallSample:
    """A call, its time, the number of the line on which it ends, and its object."""

    call: LoggedCall
    time_ns: int | None
    line_number: int = 0
    object: int = NO_OBJECT

    @classmethod
    def of(
        cls, call: LoggedCall, time_ns: int | None, line_number: int, found: int = NO_OBJECT
    ) -> "CallSample":
        """Return a sample of a call, with long texts cut."""
        if len(call.args) > ARGUMENT_BYTES or len(call.ret) > ARGUMENT_BYTES:
            args, ret = shortened(call.args, ARGUMENT_BYTES), shortened(call.ret, ARGUMENT_BYTES)
            call = attrs.evolve(call, args=args, ret=ret)
        return cls(call, time_ns, line_number, found)

    def shifted(self, seconds: int) -> "CallSample":
        """Return the sample moved in time."""
        if self.time_ns is None:
            return self
        return attrs.evolve(self, time_ns=self.time_ns + seconds * SECOND_NS)


@frozen
class LineSample:
    """
    A line that is a call, of which the halves may have been joined, and the origin of its time.

    The line has been counted, but not parsed.
    """

    line: bytes
    origin_s: int
    line_number: int = 0
    object: int = NO_OBJECT

    def shifted(self, seconds: int) -> "LineSample":
        """Return the sample moved in time."""
        return attrs.evolve(self, origin_s=self.origin_s + seconds)

    @property
    def is_long(self) -> bool:
        """Return whether the parsed call would take less memory."""
        return len(self.line) > _LONG_LINE_BYTES

    def parse(self, shown: Callable[[LoggedCall], LoggedCall]) -> CallSample:
        """Parse the line; `shown` masks secrets in the call."""
        call = parse_line(self.line)
        if not isinstance(call, LoggedCall):
            raise TypeError(f"a line was counted as a call and parsed as {type(call).__name__}")
        return CallSample.of(
            shown(call),
            time_since_epoch(call.time, self.origin_s),
            self.line_number,
            self.object,
        )


def with_object(
    sample: CallSample | LineSample, objects: Mapping[int, int]
) -> CallSample | LineSample:
    """Return a sample with its object, if that is known by the number of its line."""
    found = objects.get(sample.line_number)
    return sample if found is None else attrs.evolve(sample, object=found)


@frozen
class LineBatch:
    """
    Lines that were counted together; the first has the number `line_number`.

    `others` has the samples of lines that are not plain calls, by their index.
    """

    lines: Sequence[bytes]
    others: Mapping[int, CallSample | LineSample | None]
    origin_s: int
    line_number: int

    def sample(self, index: int) -> CallSample | LineSample | None:
        """Return the sample of a line, if it has one."""
        if index in self.others:
            return self.others[index]
        return LineSample(self.lines[index], self.origin_s, self.line_number + index)

    def newest(self, most: int) -> list[CallSample | LineSample]:
        """Return the newest calls in the order of their lines."""
        newest_first = map(self.sample, range(len(self.lines) - 1, -1, -1))
        calls = (sample for sample in newest_first if sample is not None)
        return list(islice(calls, most))[::-1]

    def has_at_least(self, least: int) -> bool:
        """Return whether there are at least so many calls."""
        without = sum(each is None for each in self.others.values())
        return len(self.lines) - without >= least


@frozen
class Samples:
    """The newest calls, and the newest failures of each name, in the order of their lines."""

    log: tuple[CallSample | LineSample, ...] = ()
    failures: Mapping[str, tuple[CallSample | LineSample, ...]] = attrs.field(factory=dict)

    def shifted(self, seconds: int) -> "Samples":
        """Return the samples moved in time."""
        return Samples(
            tuple(sample.shifted(seconds) for sample in self.log),
            {
                name: tuple(sample.shifted(seconds) for sample in samples)
                for name, samples in self.failures.items()
            },
        )

    def renamed(self, objects: Mapping[int, int]) -> "Samples":
        """Return the samples with some objects replaced by others."""
        if not objects:
            return self
        # Failures are shown without their objects.
        log = (
            attrs.evolve(each, object=objects.get(each.object, each.object)) for each in self.log
        )
        return attrs.evolve(self, log=tuple(log))

    def with_calls(self, calls: Sequence[CallSample]) -> "Samples":
        """Return the samples with further calls, in the order of their lines."""
        failures: dict[str, Sequence[CallSample | LineSample]] = dict(self.failures)
        for sample in calls:
            if sample.call.errno:
                earlier = failures.get(sample.call.name, ())
                failures[sample.call.name] = (*earlier, sample)
        return Samples(
            _in_order((*self.log, *calls)),
            {name: _in_order(samples) for name, samples in failures.items()},
        )


def _in_order(samples: Sequence[CallSample | LineSample]) -> tuple[CallSample | LineSample, ...]:
    return tuple(sorted(samples, key=lambda each: each.line_number))
