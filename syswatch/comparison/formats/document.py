"""The JSON document of a comparison; its fields are the JSON keys."""

from collections.abc import Sequence

from msgspec import UNSET, UnsetType

from syswatch.base.text import escape_text
from syswatch.comparison.bands import Band
from syswatch.comparison.change import Change, Comparison
from syswatch.comparison.run import Run
from syswatch.views.records import Record

from .words import first_line, rows


class Values(Record, frozen=True):
    """The least, the middle and the greatest value in the runs of a side."""

    least: int
    middle: int
    most: int


class ChangedFigure(Record, frozen=True, kw_only=True):
    """
    A number that changed; times are in nanoseconds.

    `Call` is empty if the number is that of all calls.  `Example` is a real name, where parts of
    `Name` stand for what differs with each run.
    """

    kind: str
    name: str
    call: str
    figure: str
    before: Values
    after: Values
    difference: int
    example: str | UnsetType = UNSET


class Finding(Record, frozen=True):
    """
    What changed, in words.

    `Changes` and `Consequences` are indexes into the list of all changes.  `Explanation` is the
    part of the text that tells why, if the numbers prove it.
    """

    text: str
    rank: str
    changes: list[int]
    consequences: list[int]
    explanation: str | UnsetType = UNSET


class ComparedRun(Record, frozen=True):
    """One of the runs; `Only` are the options that excluded something."""

    name: str
    only: str
    processes: int
    threads: int
    estimated: bool
    notes: list[str]


class Document(Record, frozen=True, kw_only=True):
    """A whole comparison; the changes and findings are in the order of importance."""

    verdict: str
    changed: bool
    before: list[ComparedRun]
    after: list[ComparedRun]
    findings: list[Finding]
    changes: list[ChangedFigure]
    not_compared: list[str]
    notes: list[str]


def document(comparison: Comparison) -> Document:
    """Return the document of a comparison."""
    changes = [row.change for row in rows(comparison)]
    places = {change: place for place, change in enumerate(changes)}
    return Document(
        verdict=first_line(comparison),
        changed=comparison.has_changed,
        before=_runs(comparison.before),
        after=_runs(comparison.after),
        findings=[
            Finding(
                each.text,
                each.rank.name.lower().replace("_", " "),
                [places[change] for change in each.changes],
                [places[change] for change in each.consequences],
                each.explanation or UNSET,
            )
            for each in comparison.findings
        ],
        changes=[_change(each, comparison) for each in changes],
        not_compared=list(comparison.not_compared),
        notes=list(comparison.notes),
    )


def _runs(runs: Sequence[Run]) -> list[ComparedRun]:
    return [
        ComparedRun(
            escape_text(run.name),
            run.only,
            run.processes,
            run.threads,
            run.is_estimated,
            list(run.notes),
        )
        for run in runs
    ]


def _change(change: Change, comparison: Comparison) -> ChangedFigure:
    subject = change.subject
    return ChangedFigure(
        kind=subject.kind.value,
        name=subject.name,
        call=subject.call,
        figure=change.figure.value,
        before=_values(change.before),
        after=_values(change.after),
        difference=change.difference,
        example=comparison.examples.get(subject, UNSET),
    )


def _values(band: Band) -> Values:
    return Values(band.least, band.middle, band.most)
