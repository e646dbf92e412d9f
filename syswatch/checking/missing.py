"""What is missing from the numbers of a run: a limit that holds without it may not hold with it."""

from collections.abc import Iterator

import attrs

from syswatch.base.classes import frozen
from syswatch.comparison.run import Figure, Kind, Run
from syswatch.model.ledger import ENTRIES, Ledger

from .budget import Banned, Measure

_KINDS = {
    Banned.PATHS: Kind.FILE,
    Banned.PEERS: Kind.PEER,
    Banned.PROGRAMS: Kind.PROGRAM,
}


@frozen
class Missing:
    """What could not be counted, and for how many calls it may stand."""

    run: Run

    @property
    def calls(self) -> int:
        """How many calls are missing, besides those of which there may be any number."""
        return self.run.ledger.lost_events + self.run.ledger.unparsed_lines

    def reason(self) -> str:
        """Return what is missing for any number, as a sentence; empty if nothing is."""
        return "; ".join(filter(None, (*self._without_number(), *self._counted(self._lost()))))

    def reason_for_measure(self, measure: Measure) -> str:
        """Return why a figure may be higher, without a bound; empty if it cannot be."""
        if (Kind.CALL, measure.figure) in self.run.unknown:
            return f"this source does not tell {_UNKNOWN[measure]}"
        if measure in (Measure.CALLS, Measure.ERRORS):
            return "; ".join(self._without_number())
        return self.reason()

    def reason_for_names(self, banned: Banned) -> str:
        """Return why something may have been used that is not known; empty if it is all known."""
        kind = _KINDS.get(banned)
        if kind is not None and (kind, Figure.COUNT) in self.run.unknown:
            return f"this source does not tell which {banned.key} were used"
        names = () if kind is None else self._counted(self._unnamed(banned))
        return "; ".join(filter(None, (self.reason(), *names)))

    def _without_number(self) -> tuple[str, ...]:
        """Return what stands for any number of calls."""
        unfollowed = Ledger(unfollowed_processes=self.run.ledger.unfollowed_processes)
        return (
            *(["the trace is incomplete"] if self.run.is_cut_short else ()),
            *([f"the trace is limited to {self.run.only}"] if self.run.only else ()),
            *self._counted(unfollowed),
        )

    def _lost(self) -> Ledger:
        ledger = self.run.ledger
        return Ledger(lost_events=ledger.lost_events, unparsed_lines=ledger.unparsed_lines)

    def _unnamed(self, banned: Banned) -> Ledger:
        """Return what was counted without its name."""
        ledger = self.run.ledger
        paths = ledger.untracked_paths if banned is Banned.PATHS else 0
        return Ledger(untracked_paths=paths, untracked_objects=ledger.untracked_objects)

    @staticmethod
    def _counted(ledger: Ledger) -> Iterator[str]:
        for name, number in attrs.asdict(ledger).items():
            if number:
                entry = ENTRIES[name]
                yield f"{number:,} {entry.one if number == 1 else entry.several}"


_UNKNOWN = {
    Measure.CALLS: "how many calls there were",
    Measure.ERRORS: "which calls failed",
    Measure.BYTES_IN: "how many bytes were read",
    Measure.BYTES_OUT: "how many bytes were written",
    Measure.WAITING: "how long calls waited",
}
