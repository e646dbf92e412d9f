"""What rules for calls are made of, as the program has counted it."""

import ctypes
import time
from collections.abc import Callable, Iterator

import attrs

from syswatch.base.classes import define
from syswatch.base.text import escape_text
from syswatch.model.evidence import Evidence, EvidenceKey, EvidenceTally, add_evidence
from syswatch.model.times import SECOND_NS

from . import evidence_layout as layout
from .calls import CallNames
from .program import Program

_TABLE = "evidence"
_KEY_BYTES = ctypes.sizeof(layout.EvidenceKey)
_TALLY_BYTES = ctypes.sizeof(layout.Evidence)
_NAME = slice(0, layout.EvidenceKey.program.size)
_SIDES = frozenset({0, 1})
# After so long, no call is being counted any more on the side that was in use before.
_REST_NS = SECOND_NS // 2


@define
class EvidenceTable:
    """
    Takes the rows that the program has counted.

    The program counts on one side of the table, and the other side is taken and cleared.  So the
    limit of the table is one for a second, and not for the whole trace.
    """

    program: Program
    names: CallNames
    redact: Callable[[str], str]
    _turned_ns: int = attrs.field(factory=time.monotonic_ns, init=False)

    def take(self, offset_ns: int, *, is_last: bool) -> tuple[Evidence, int]:
        """
        Return what can be taken, and how many rows exceeded the limit.

        The last time, when nothing is counted any more, that is everything.
        """
        now_ns = time.monotonic_ns()
        if is_last:
            return self._rows(_SIDES, offset_ns)
        if now_ns - self._turned_ns < _REST_NS:
            return {}, 0
        totals = self.program.totals
        taken = self._rows(_SIDES - {totals.side}, offset_ns)
        # In this order: rows that are added in between count on the new side.
        totals.of_programs = totals.of_values = 0
        totals.side = 1 - totals.side
        self._turned_ns = now_ns
        return taken

    def _rows(self, sides: frozenset[int], offset_ns: int) -> tuple[Evidence, int]:
        evidence: dict[EvidenceKey, EvidenceTally] = {}
        for key, raw, tally in self._contents():
            if raw.side not in sides:
                continue
            named = self._named(key, raw)
            found = EvidenceTally(tally.count, tally.first_ns + offset_ns)
            evidence[named] = evidence[named] + found if named in evidence else found
            self.program.delete(_TABLE, key)
        return add_evidence({}, evidence)

    def _contents(self) -> Iterator[tuple[bytes, layout.EvidenceKey, layout.Evidence]]:
        keys, values = self.program.contents(_TABLE, _KEY_BYTES, _TALLY_BYTES)
        for at in range(len(keys) // _KEY_BYTES):
            key = keys[at * _KEY_BYTES : (at + 1) * _KEY_BYTES]
            tally = layout.Evidence.from_buffer_copy(values, at * _TALLY_BYTES)
            yield key, layout.EvidenceKey.from_buffer_copy(key), tally

    def _named(self, key: bytes, raw: layout.EvidenceKey) -> EvidenceKey:
        call = self.names.name(raw.row)
        program = key[_NAME].partition(b"\0")[0]
        return EvidenceKey(
            call.plain_name,
            tuple(raw.values[: raw.valued]),
            call.abi,
            self.redact(escape_text(program)),
            bool(raw.refused),
        )
