"""Checking the most calls, errors, bytes and time."""

from collections import Counter
from collections.abc import Iterator, Mapping

from syswatch.comparison.run import Figure, Kind

from .amounts import Unit
from .budget import Maximum
from .missing import Missing
from .observed import Observed
from .offenders import shares
from .phrases import sentence_about
from .result import Finding, Offenders, Verdict
from .uses import is_path, is_peer


def check_maximum(entry: Maximum, observed: Observed, missing: Missing) -> Finding:
    """Return whether a figure is within its limit."""
    by_call = values_by_call(entry, observed)
    value, limit = sum(by_call.values()), entry.limit
    verdict, why = _verdict(entry, value, missing)
    sentence = sentence_about(entry, value)
    is_over = verdict is Verdict.EXCEEDED
    return Finding(
        entry,
        verdict,
        f"{sentence}, but it may be more: {why}" if why else sentence,
        entry.measure.unit.texts(value, limit)[0],
        _allowed(entry),
        value,
        limit,
        tuple(_offenders(entry, observed, by_call)) if is_over else (),
    )


def values_by_call(entry: Maximum, observed: Observed) -> Mapping[str, int]:
    """Return the figure of each call that is meant."""
    kind = Kind.ERROR if entry.errno else Kind.CALL
    figure = Figure.COUNT if entry.errno else entry.measure.figure
    found: Counter[str] = Counter()
    for subject, figures in observed.run.figures.items():
        if subject.kind is kind and (not entry.errno or subject.name == entry.errno):
            call = subject.call if entry.errno else subject.name
            if entry.includes(call):
                found[call] += figures.get(figure, 0)
    return found


def _verdict(entry: Maximum, value: int, missing: Missing) -> tuple[Verdict, str]:
    """Return whether the limit holds, and what is missing where that matters."""
    if value > entry.limit:
        return Verdict.EXCEEDED, ""
    if reason := missing.reason_for_measure(entry.measure):
        return Verdict.UNDECIDED, reason
    if entry.measure.unit is Unit.CALLS and value + missing.calls > entry.limit:
        return Verdict.UNDECIDED, missing.reason()
    return Verdict.WITHIN, ""


def _allowed(entry: Maximum) -> str:
    """Return the limit, with the tolerance apart."""
    unit = entry.measure.unit
    text = unit.text(entry.most)
    return f"{text} + {entry.tolerance.text(unit)}" if entry.tolerance else text


def _offenders(
    entry: Maximum, observed: Observed, by_call: Mapping[str, int]
) -> Iterator[Offenders]:
    """Yield the calls, objects and processes that have the largest shares."""
    unit = entry.measure.unit
    if len(by_call) > 1:
        yield from shares("calls", by_call, unit.text)
    # Rows do not divide errors by errno, so that such shares would be too large.
    if entry.errno:
        return
    names: dict[str, Counter[str]] = {"paths": Counter(), "peers": Counter(), "others": Counter()}
    processes: Counter[str] = Counter()
    for row in observed.rows:
        if entry.includes(row.call):
            value = row.figure(entry.measure.figure)
            kind = "paths" if is_path(row) else "peers" if is_peer(row) else "others"
            names[kind][row.name] += value
            processes[row.process] += value
    for title, amounts in names.items():
        yield from shares("other objects" if title == "others" else title, amounts, unit.text)
    yield from shares("processes", processes, unit.text)
