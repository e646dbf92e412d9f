"""The state of a trace as text, and how exact its numbers are: the same in every view."""

from collections.abc import Mapping

import attrs

from syswatch.model.ledger import ENTRIES, Ledger, Weight
from syswatch.model.process import describe_ending
from syswatch.model.snapshot import Snapshot

from .formatting import count, elapsed, size

_FULL, _EMPTY = "█", "░"
_WIDEST_BAR = 40


def state(snapshot: Snapshot) -> str:
    """Return the state of the trace in a word or two, or how the program ended."""
    if snapshot.trouble:
        return "stopped early"
    if snapshot.done:
        return _ending(snapshot)
    if not snapshot.source.backend:
        return "starting"
    return _reading(snapshot.part_read) if snapshot.is_of_log else "tracing"


def traced_by(backend: str, only: str) -> str:
    """Return the name of the backend, and the filters: the numbers leave out what they exclude."""
    return f"{backend}, only {only}" if only else backend


def verdict(snapshot: Snapshot) -> str:
    """Return one sentence on how exact all numbers are."""
    ledger = snapshot.sums.ledger
    if snapshot.is_exact:
        if ledger.only(Weight.NOTED).clean:
            if snapshot.is_of_log and snapshot.total_ns:
                return "✓ Every count is exact; where the time went is estimated."
            return "✓ Every number is exact."
        return "✓ No data was lost; what some numbers do not cover is noted below."
    if not snapshot.trouble:
        return "▲ Data was lost: not every number is exact."
    if ledger.is_lossless:
        return "▲ The trace was cut short: the numbers end there."
    return "▲ Data was lost, and the trace was cut short: the numbers end there."


def exactness(*, exact: bool, trouble: str) -> str:
    """Return a word or two on how exact all numbers are."""
    if exact:
        return "exact"
    return "cut short" if trouble else "not exact"


def notes(ledger: Ledger) -> Mapping[str, str]:
    """Return a sentence for each entry that is not zero, by the name of the entry."""
    return {
        name: _sentence(number, name) for name, number in attrs.asdict(ledger).items() if number
    }


def notes_of(ledger: Ledger, *weights: Weight) -> list[str]:
    """Return the sentences for the entries of some weights."""
    return [each for weight in weights for each in notes(ledger.only(weight)).values()]


def progress_line(snapshot: Snapshot, rate: float, left_s: float | None, width: int) -> str:
    """Return how far a log is read, at a rate in bytes per second, in one line of this width."""
    reading = snapshot.sums.reading
    lines = "1 line" if reading.lines == 1 else f"{count(reading.lines)} lines"
    text = f"{lines}  {size(rate)}/s"
    part = snapshot.part_read
    if part is None:
        return text[: max(width, 0)]
    left = "" if left_s is None else f"  {elapsed(int(left_s * 10**9))} left"
    text = f" {100 * part:3.0f} %  {text}{left}"
    bar_width = max(0, min(_WIDEST_BAR, width - len(text) - 1))
    full = round(part * bar_width)
    return (_FULL * full + _EMPTY * (bar_width - full) + text)[: max(width, 0)]


def _reading(part: float | None) -> str:
    # Rounded down: 100 % only when the log is fully read.
    return "reading" if part is None else f"reading {int(100 * part)} %"


def _ending(snapshot: Snapshot) -> str:
    end = snapshot.end
    if end.exit_signal:
        return describe_ending(-end.exit_signal)
    if end.exit_code is not None:
        return describe_ending(end.exit_code)
    # A log need not record that the program ended, or how.
    return "log fully read" if snapshot.is_of_log else "ended"


def _sentence(number: int, name: str) -> str:
    entry = ENTRIES[name]
    return f"{number:,} {entry.one if number == 1 else entry.several}"
