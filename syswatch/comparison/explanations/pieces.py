"""The same bytes in more calls, or in fewer."""

from syswatch.comparison.evidence import Evidence
from syswatch.comparison.group import Group
from syswatch.comparison.run import Figure, Kind, Subject
from syswatch.views.formatting import size

from .reason import UNKNOWN, Reason

_OBJECTS = (Kind.FILE, Kind.PEER, Kind.OBJECT)
# Numbers in texts differ in length.
_SAME = 0.01
_LEAST_RATIO = 1.5


def explain(group: Group, evidence: Evidence) -> Reason:
    """
    Return that the same bytes are moved in smaller or larger pieces.

    One object has as many bytes as before, but half as many calls again or more.
    """
    subject = group.lead.subject
    if (
        len(group.events) > 1
        or subject.kind not in _OBJECTS
        or group.lead.figure is not Figure.COUNT
    ):
        return UNKNOWN
    made = _successful(subject, evidence)
    if min(made) < 1 or max(made) < _LEAST_RATIO * min(made):
        return UNKNOWN
    moved = _moved(subject, evidence)
    if not min(moved) or max(moved) - min(moved) > _SAME * max(moved):
        return UNKNOWN
    pieces = "smaller" if made[1] > made[0] else "larger"
    each = [size(bytes_ // calls) for bytes_, calls in zip(moved, made, strict=True)]
    return Reason(
        f"the same {size(moved[1])} in {pieces} pieces, of {each[1]} rather than {each[0]}"
    )


def _successful(subject: Subject, evidence: Evidence) -> tuple[int, int]:
    made, failed = (evidence.sides(subject, each) for each in (Figure.COUNT, Figure.ERRORS))
    return made[0] - failed[0], made[1] - failed[1]


def _moved(subject: Subject, evidence: Evidence) -> tuple[int, int]:
    """Return the bytes that a call moved in its direction, before and after."""
    sides = (evidence.sides(subject, figure) for figure in (Figure.BYTES_IN, Figure.BYTES_OUT))
    return max(sides, key=sum)
