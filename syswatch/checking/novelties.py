"""Checking that a run has nothing that its baselines do not have."""

from collections.abc import Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet

from syswatch.comparison.alignment.together import aligned_together
from syswatch.comparison.changes import Options, changes
from syswatch.comparison.parts import Part
from syswatch.comparison.run import Figure, Figures, Kind, Run, Subject

from .amounts import Unit
from .budget import Banned, NothingNew
from .missing import Missing
from .observed import Observed
from .offenders import shares
from .result import Finding, Verdict

# A path is known if it was opened or if it was used otherwise.
_SAME = {Kind.PATH: Kind.FILE}
# How often these are used may vary, but not that they are.
_PRESENT = frozenset({Kind.PEER, Kind.PROGRAM})
_NAMES = {Kind.FILE: Banned.PATHS, Kind.PEER: Banned.PEERS, Kind.PROGRAM: Banned.PROGRAMS}
Unknown = AbstractSet[tuple[Kind, Figure]]
_TITLES = {
    Kind.CALL: ("call", "calls"),
    Kind.ERROR: ("error", "errors"),
    Kind.FILE: ("path", "paths"),
    Kind.PEER: ("peer", "peers"),
    Kind.PROGRAM: ("program", "programs"),
}


def check_nothing_new(
    entry: NothingNew, observed: Observed, missing: Missing, baselines: Sequence[Run]
) -> Finding:
    """Return what the run has that no baseline has, by the rules of comparing runs."""
    unknown = frozenset(each for run in baselines for each in run.unknown)
    found = _new(entry, observed.run, baselines, unknown)
    parts = [f"{len(names)} new {_title(kind, names)}" for kind, names in found.items()]
    what = " and ".join(filter(None, (", ".join(parts[:-1]), *parts[-1:])))
    if found:
        first = next(iter(found))
        name = max(found[first], key=lambda each: (found[first][each], each))
        sentence = f"{what}, such as {name}"
        verdict = Verdict.EXCEEDED
    elif reason := _reason(entry, missing, unknown):
        sentence = f"nothing new was found, but there may be something: {reason}"
        verdict = Verdict.UNDECIDED
    else:
        sentence, verdict = "nothing is new", Verdict.WITHIN
    offenders = [
        each
        for kind, names in found.items()
        for each in shares(f"new {_TITLES[kind][1]}", names, Unit.CALLS.text)
    ]
    count = sum(map(len, found.values()))
    used = str(count) if count else "none"
    return Finding(entry, verdict, sentence, used, "none", count, 0, tuple(offenders))


def _title(kind: Kind, names: dict[str, int]) -> str:
    one, several = _TITLES[kind]
    return one if len(names) == 1 else several


def _new(
    entry: NothingNew, run: Run, baselines: Sequence[Run], unknown: Unknown
) -> dict[Kind, dict[str, int]]:
    """Return the names that are new and how often they were used, by kind."""
    before, (after,), _ = aligned_together([each.figures for each in baselines], [run.figures])
    known = {_key(subject) for table in before for subject in table}
    compared = changes(baselines, [run], Options(only=(Part(entry.kinds),)))
    changed = (
        (change.subject, change.after.most)
        for change in compared.changes
        if change.is_new and change.figure is Figure.COUNT
    )
    # A baseline that does not tell them may have had all of them.
    present = {kind for kind in entry.kinds & _PRESENT if (kind, Figure.COUNT) not in unknown}
    found: dict[Kind, dict[str, int]] = {}
    for subject, count in (*changed, *_present(after, present)):
        kind, name = key = _key(subject)
        if key not in known:
            names = found.setdefault(kind, {})
            names[name] = max(names.get(name, 0), count)
    return {kind: found[kind] for kind in _TITLES if kind in found}


def _present(
    table: Mapping[Subject, Figures], kinds: AbstractSet[Kind]
) -> Iterator[tuple[Subject, int]]:
    """Yield what was used at all."""
    for subject, figures in table.items():
        if subject.kind in kinds and figures.get(Figure.COUNT):
            yield subject, figures[Figure.COUNT]


def _key(subject: Subject) -> tuple[Kind, str]:
    """Return what makes a subject new: of an error its call as well, of a path only its name."""
    if subject.kind is Kind.ERROR:
        return Kind.ERROR, f"{subject.name} of {subject.call}"
    return _SAME.get(subject.kind, subject.kind), subject.name


def _reason(entry: NothingNew, missing: Missing, unknown: Unknown) -> str:
    """Return why something new may not be known; `unknown` is what some baseline does not tell."""
    named = [kind for kind in entry.kinds if kind in _NAMES]
    reasons = {missing.reason_for_names(_NAMES[kind]) for kind in named}
    reasons |= {
        f"a baseline does not tell which {_NAMES[kind].key} were used"
        for kind in named
        if (kind, Figure.COUNT) in unknown
    }
    return "; ".join(sorted(filter(None, reasons))) or missing.reason()
