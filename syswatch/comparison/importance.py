"""Puts changes into words, the most important first: failures before numbers and times."""

from collections.abc import Mapping, Sequence

from .alignment.peers import UNCONNECTED
from .attachment import attached
from .change import Change, Finding, Rank
from .events import WELL, Event, events
from .evidence import Evidence
from .executions import with_proportional
from .explained import explained
from .explanations import Reason
from .group import Group
from .grouping import grouped
from .parts import OF_COMMAND
from .phrases import Phrase, phrase
from .run import Figure, Kind, Subject

_BYTES = (Figure.BYTES_IN, Figure.BYTES_OUT)
_COUNTS = (Figure.COUNT, Figure.ERRORS)
# Calls by which a program only asks what a file is: failing is an answer.
_QUESTIONS = frozenset(
    {
        ("ioctl", "ENOTTY"),
        ("readlink", "EINVAL"),
        ("readlinkat", "EINVAL"),
        *(
            (call, "ENOENT")
            for call in ("access", "faccessat", "faccessat2", "stat", "lstat", "statx", "readlink")
        ),
        *((call, "ENOENT") for call in ("stat64", "lstat64", "newfstatat", "readlinkat")),
    }
)


def findings(
    changes: Sequence[Change], examples: Mapping[Subject, str], evidence: Evidence | None = None
) -> tuple[Finding, ...]:
    """Return what happened, the most important first; each change is part of one finding."""
    evidence = evidence or Evidence(changes=changes)
    groups = with_proportional(attached(grouped(events(changes))), evidence)
    found = (
        _finding(group, reason, phrase(group, examples), evidence)
        for group, reason in explained(groups, evidence)
    )
    return tuple(sorted(found, key=_place))


def _finding(group: Group, reason: Reason, said: Phrase, evidence: Evidence) -> Finding:
    return Finding(
        text=said.with_explanation(reason.text),
        rank=_rank(group, reason, evidence),
        changes=group.leads,
        consequences=group.rest,
        title=said.what,
        explanation=reason.text,
    )


def _rank(group: Group, reason: Reason, evidence: Evidence) -> Rank:
    if group.replaced and group.lead.subject.kind is not Kind.PROGRAM:
        return Rank.REST
    call = group.lead.subject.call
    is_harmless = reason.is_search or (call, evidence.errno(call)) in _QUESTIONS
    rank = min(map(rank_of, group.events))
    return Rank.COUNT if rank is Rank.FAILURE and is_harmless else rank


def rank_of(event: Event) -> Rank:
    """Return how important an event is."""
    lead = event.lead
    kind, comes_or_goes = lead.subject.kind, lead.is_new or lead.is_gone
    if kind is Kind.ENDING and any(_is_bad_end(change) for change in event.changes):
        return Rank.ENDING
    if lead.difference > 0 and (kind is Kind.ERROR or event.is_failing):
        return Rank.FAILURE
    if lead.figure not in _COUNTS:
        return Rank.BYTES if lead.figure in _BYTES else Rank.TIME
    if kind is Kind.PEER and comes_or_goes and not lead.subject.name.startswith(UNCONNECTED):
        return Rank.PEER
    if kind is Kind.PROGRAM:
        return Rank.PROGRAM
    return Rank.NEW_CALL if kind is Kind.CALL and lead.is_new else Rank.COUNT


def _is_bad_end(change: Change) -> bool:
    """Return whether more processes than before ended other than well, or the command did."""
    name = change.subject.name
    return name.startswith(OF_COMMAND) or (change.difference > 0 and not name.endswith(WELL))


def _place(finding: Finding) -> tuple[int, bool, int, str]:
    is_of_process = not finding.changes[0].subject.name.startswith(OF_COMMAND)
    return (
        finding.rank,
        is_of_process,
        -sum(abs(each.difference) for each in finding.changes),
        finding.text,
    )
