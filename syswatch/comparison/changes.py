"""Finds what changed between two sides of one or several runs."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain

import attrs

from syswatch.base.classes import frozen
from syswatch.model.histogram import Histogram

from .alignment.together import Tables, aligned_together
from .bands import Band, extended_by, gap
from .change import Change, Comparison, Options
from .cut_off import CutOff
from .evidence import Evidence
from .importance import findings
from .noise import is_loose, tolerance_of
from .notes import notes_on
from .parts import is_of_command
from .run import Figure, Figures, Kind, Run, Subject
from .setting import Setting, setting_of
from .times import (
    LEAST_SUM_NS,
    common_shift,
    is_common,
    is_sum,
    is_sum_change,
    is_tail_change,
    is_typical_change,
)

__all__ = ["Change", "Comparison", "Options", "changes"]

_NOTHING: Figures = {}
_NO_DURATIONS = Histogram()
_COUNTS = (Figure.COUNT, Figure.ERRORS, Figure.BYTES_IN, Figure.BYTES_OUT)
# What runs must differ by so that a figure can have changed.
_LEAST_DIFFERENCES = {figure: LEAST_SUM_NS if is_sum(figure) else 1 for figure in Figure}


def changes(
    before: Sequence[Run], after: Sequence[Run], options: Options | None = None
) -> Comparison:
    """Compare two sides of at least one run each."""
    options = options or Options()
    runs = (*before, *after)
    unknown = frozenset[tuple[Kind, Figure]]().union(*(run.unknown for run in runs))
    tables_before, tables_after, found_names = aligned_together(
        [run.figures for run in before], [run.figures for run in after]
    )
    setting = setting_of(before, after)
    ended = [any(map(is_of_command, run.figures)) for run in runs]
    compared = _Compared(
        before,
        after,
        tables_before,
        tables_after,
        unknown,
        options,
        setting,
        CutOff.of(runs, (*tables_before, *tables_after)),
        all(ended),
        [_loose_sums(table, setting) for table in (*tables_before, *tables_after)],
        common_shift(*([run.histograms for run in side] for side in (before, after))),
    )
    # The order of the runs, and so of their subjects, does not matter.
    found = tuple(sorted(compared.changes(), key=_place))
    examples = {**_examples(runs), **found_names}
    evidence = Evidence(tables_before, tables_after, found)
    return Comparison(
        before=tuple(before),
        after=tuple(after),
        changes=found,
        findings=findings(found, examples, evidence),
        not_compared=(*_not_compared(unknown), *_without_exit_status(ended)),
        notes=tuple(notes_on(before, after, compared.common_shift)),
        options=options,
        examples={
            each.subject: examples[each.subject] for each in found if each.subject in examples
        },
        evidence=evidence,
    )


@frozen
class _Compared:
    runs_before: Sequence[Run]
    runs_after: Sequence[Run]
    before: Tables
    after: Tables
    unknown: frozenset[tuple[Kind, Figure]]
    options: Options
    setting: Setting
    cut_off: CutOff
    # Whether all runs know how the command ended; one that still runs has not ended otherwise.
    has_exit_status: bool
    # For each run, the part of the figures of each call that varies by itself.
    loose: Sequence[Mapping[tuple[str, Figure], int]]
    # The logarithm of how much slower most calls are after.
    common_shift: float

    def changes(self) -> Iterator[Change]:
        """Yield every change."""
        tables = (*self.before, *self.after)
        for subject in _different(tables):
            if self.has_exit_status or not is_of_command(subject):
                yield from self._of(subject)

    def _of(self, subject: Subject) -> Iterator[Change]:
        rows = [table.get(subject, _NOTHING) for table in (*self.before, *self.after)]
        for figure in dict.fromkeys(chain.from_iterable(rows)):
            values = [row.get(figure, 0) for row in rows]
            # First what most figures of 100 000 subjects fail.
            if max(values) - min(values) < _LEAST_DIFFERENCES[figure]:
                continue
            if (subject.kind, figure) in self.unknown or not _is_compared(subject, figure):
                continue
            if not self.options.includes(subject, figure):
                continue
            change = self._change(subject, figure, values)
            if 100 * change.share >= self.options.threshold and self._is_change(change, values):
                yield change

    def _change(self, subject: Subject, figure: Figure, values: Sequence[int]) -> Change:
        number = len(self.before)
        return Change(subject, figure, Band.of(values[:number]), Band.of(values[number:]))

    def _is_change(self, change: Change, values: Sequence[int]) -> bool:
        subject, figure = change.subject, change.figure
        if figure in _COUNTS:
            if subject.kind is Kind.CALL:
                return self._is_call_change(change, values)
            return self._is_count_change(change)
        if is_sum(figure):
            return is_sum_change(change)
        if figure is Figure.P50:
            return self._is_typical_change(change)
        rows = (table[subject] for table in (*self.before, *self.after) if subject in table)
        return is_tail_change(change, min(row.get(Figure.COUNT, 0) for row in rows))

    def _is_typical_change(self, change: Change) -> bool:
        sides = self._sides()
        # Only a tracer that stops calls has to estimate which of them wait.
        has_stops = any(run.is_estimated for side in sides for run in side)
        one, other = (self._histograms(side, change.subject.name) for side in sides)
        is_change = is_typical_change(change, one, other, has_stops=has_stops)
        return is_change and not is_common(one, other, self.common_shift)

    def _sides(self) -> tuple[Sequence[Run], Sequence[Run]]:
        return self.runs_before, self.runs_after

    def _histograms(self, side: Sequence[Run], call: str) -> list[Histogram]:
        return [run.histograms.get(call, _NO_DURATIONS) for run in side]

    def _is_call_change(self, change: Change, values: Sequence[int]) -> bool:
        """Return whether the calls changed on objects that vary by themselves, or on all others."""
        if not change.difference:
            # As many on other objects, such as a file instead of a pipe: those tell what changed.
            return False
        call, figure = change.subject.name, change.figure
        loose = [sums.get((call, figure), 0) for sums in self.loose]
        steady = [value - part for value, part in zip(values, loose, strict=True)]
        as_stream = self._change(Subject(Kind.OBJECT, "", call), figure, loose)
        as_call = self._change(change.subject, figure, steady)
        return self._is_count_change(as_call) or self._is_count_change(as_stream)

    def _is_count_change(self, change: Change) -> bool:
        subject, setting = change.subject, self.setting
        if setting.killed and not self.cut_off.concerns(subject):
            setting = attrs.evolve(setting, is_cut_off=False)
        if subject.name in setting.programs:
            setting = attrs.evolve(setting, is_program=True)
        return is_count_change(change, setting, is_known=self._is_known(change))

    def _is_known(self, change: Change) -> bool:
        """Return whether both sides have a subject; a peer may be used by calls of another name."""
        if min(change.before.most, change.after.most):
            return True
        whole = change.subject._replace(call="")
        return change.subject.kind is Kind.PEER and all(
            any(whole in table for table in side) for side in (self.before, self.after)
        )


def _different(tables: Tables) -> Iterator[Subject]:
    """Yield the subjects of which not all runs have the same figures."""
    # There may be 100 000 of them, nearly all the same: this is most of what a comparison does.
    first, others = tables[0], tables[1:]
    for subject, row in first.items():
        for other in others:
            if other.get(subject) != row:
                yield subject
                break
    yield from dict.fromkeys(subject for other in others for subject in other.keys() - first)


def _examples(runs: Iterable[Run]) -> dict[Subject, str]:
    """Return the first real name of each aligned one in the order of the alphabet."""
    examples: dict[Subject, str] = {}
    for run in runs:
        for subject, name in run.examples.items():
            examples[subject] = min(examples.get(subject, name), name)
    return examples


def _place(change: Change) -> tuple[str, str, str, str]:
    subject = change.subject
    return subject.kind.value, subject.name, subject.call, change.figure.value


def is_count_change(change: Change, setting: Setting, *, is_known: bool) -> bool:
    """Return whether a count differs by more than it varies by itself."""
    before, after = change.before, change.after
    most = max(before.most, after.most)
    if setting.shows_no_effect_of_kills(before, after):
        setting = attrs.evolve(setting, is_cut_off=False)
    tolerance = tolerance_of(change.subject, change.figure, setting, most, is_known=is_known)
    return gap(before, after) > tolerance.allows(most) + extended_by(before, after)


def _loose_sums(
    table: Mapping[Subject, Figures], setting: Setting
) -> Mapping[tuple[str, Figure], int]:
    """Return the part of the figures of each call that is of objects such as pipes."""
    sums: dict[tuple[str, Figure], int] = {}
    for subject, row in table.items():
        if subject.call and is_loose(subject, setting):
            for figure, value in row.items():
                sums[subject.call, figure] = sums.get((subject.call, figure), 0) + value
    return sums


def _is_compared(subject: Subject, figure: Figure) -> bool:
    """Return whether a figure is compared itself, and is not only the sum of others that are."""
    if subject.kind is Kind.TOTAL:
        return figure is Figure.WALL
    if subject.kind is Kind.CALL:
        return figure is not Figure.ERRORS
    if subject.kind in (Kind.FILE, Kind.PEER, Kind.OBJECT):
        return bool(subject.call) or figure not in _COUNTS
    return True


def _not_compared(unknown: Iterable[tuple[Kind, Figure]]) -> tuple[str, ...]:
    kinds: dict[Figure, set[Kind]] = {}
    for kind, figure in unknown:
        kinds.setdefault(figure, set()).add(kind)
    return tuple(
        f"{figure.value} of " + ", ".join(sorted(kind.value for kind in kinds[figure]))
        for figure in Figure
        if figure in kinds
    )


def _without_exit_status(ended: Sequence[bool]) -> Iterator[str]:
    if any(ended) and not all(ended):
        yield "exit status of the command"
