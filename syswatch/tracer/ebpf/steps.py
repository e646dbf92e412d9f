"""Translating the memory that the formatters read into steps for the program in the kernel."""

from collections.abc import Iterable, Mapping

import attrs

from syswatch.base.classes import define
from syswatch.model.messages import TraceOptions
from syswatch.tracer.decode import Access, Form, Read
from syswatch.tracer.decode.strings import LOOK_AHEAD

from . import layout

_WHEN: Mapping[Access, int] = {
    Access.INPUT: layout.AT_EXIT | layout.GIVEN,
    Access.INPUT_AT_RISK: layout.AT_ENTRY | layout.IF_MISSED | layout.GIVEN,
    Access.IN_OUT: layout.AT_ENTRY | layout.GIVEN,
    Access.INPUT_UNMAPPED: layout.AT_ENTRY | layout.IF_FAILED | layout.GIVEN,
    Access.OUTPUT: layout.AT_EXIT,
}

# Of what is received, so much is sampled that it contains most answers of name servers.
_RECEIVED_BYTES = 512
_RESULT_AT = layout.ROOT - 8
# Of a string, one byte more than is shown tells whether it is cut, and the kernel adds a NUL.
_MOST_SHOWN = layout.MOST - LOOK_AHEAD - 2

# The fields of a step, as layout.Step has them.
_Step = tuple[int, ...]


def with_sampled_strings(options: TraceOptions) -> TraceOptions:
    """Return options with which a sample contains as much of a string as is shown."""
    return attrs.evolve(options, string_limit=min(options.string_limit, _MOST_SHOWN))


@define
class Steps:
    """The steps of all calls; calls that are read alike share them."""

    catalog: layout.Catalog
    _known: dict[tuple[_Step, ...], int] = attrs.field(factory=dict, init=False)
    _count: int = attrs.field(default=0, init=False)

    def plan(self, row: int, reads: Iterable[tuple[Access, Read]]) -> None:
        """Store the steps for the calls of a row."""
        reads = tuple(reads)
        steps = tuple(self._step(read, _WHEN[moment]) for moment, read in reads)
        self.catalog.plans[row] = layout.Plan(self._place(steps), len(steps))
        if any(_WHEN[moment] & layout.AT_ENTRY for moment, _ in reads):
            self.catalog.early[row] |= layout.EARLY_MEMORY

    def _step(self, read: Read, when: int = 0) -> _Step:
        within = tuple(self._step(each) for each in read.within)
        limit = read.limit
        # The kernel ends a truncated text with a NUL.
        size = read.size + (read.form is Form.TEXT)
        return (
            read.pointer,
            limit.at if limit else layout.UNLIMITED,
            limit.scale if limit else 0,
            min(size, layout.MOST),
            read.stride,
            min(read.count, layout.UNLIMITED),
            self._place(within),
            len(within),
            read.width,
            limit.width if limit else 0,
            read.form,
            when,
            read.unit,
        )

    def _place(self, steps: tuple[_Step, ...]) -> int:
        """Return the index of the first of some consecutive steps, stored once."""
        if steps not in self._known:
            self._known[steps] = self._count
            for step in steps:
                self.catalog.steps[self._count] = layout.Step(*step)
                self._count += 1
        return self._known[steps]


def with_received(reads: Iterable[tuple[Access, Read]]) -> Iterable[tuple[Access, Read]]:
    """Return what is read of a call that receives data, with more of the data."""
    return ((moment, _with_buffer(read)) for moment, read in reads)


def _with_buffer(read: Read) -> Read:
    """Return a read with a larger size if it is that of a buffer, or with such reads within."""
    if read.within:
        is_vector = read.limit is not None and read.limit.scale > 1
        within = tuple(
            _larger(each) if is_vector and not each.within else _with_buffer(each)
            for each in read.within
        )
        return attrs.evolve(read, within=within)
    is_buffer = read.limit is not None and read.limit.at == _RESULT_AT
    return _larger(read) if is_buffer else read


def _larger(read: Read) -> Read:
    return attrs.evolve(read, size=max(read.size, _RECEIVED_BYTES))
