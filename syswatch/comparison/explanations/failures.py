"""With which errno calls fail, and which objects fail."""

from syswatch.comparison.evidence import Evidence
from syswatch.comparison.group import Group
from syswatch.comparison.run import Figure, Kind

from .reason import UNKNOWN, Reason

# What a program is expected to try again.
_RETRIED = frozenset({"EAGAIN", "EINTR", "ECONNREFUSED", "ETIMEDOUT", "EBUSY"})
_OBJECTS = (Kind.FILE, Kind.PEER, Kind.OBJECT)
_MOST_NAMES = 3


def explain(group: Group, evidence: Evidence) -> Reason:
    """
    Return with what calls on an object fail, or which objects the failures of a call are of.

    All additional calls fail, and failures of the call changed with one errno only; or the failures
    of some objects are as many as those that came or went with the errno.
    """
    lead = group.lead
    if lead.subject.kind is Kind.ERROR:
        return Reason(_objects(group, evidence))
    if len(group.events) > 1 or not group.is_failing:
        return UNKNOWN
    errno = evidence.errno(lead.subject.call)
    if errno not in _RETRIED:
        return UNKNOWN
    is_once = abs(lead.difference) == 1 and (lead.is_new or lead.is_gone)
    if is_once:
        return Reason(f"it {'fails' if lead.difference > 0 else 'failed'} with {errno}")
    return Reason(f"{'retried' if lead.difference > 0 else 'no longer retried'} after {errno}")


def _objects(group: Group, evidence: Evidence) -> str:
    """Return what fails, if all the failures of a call with an errno are known."""
    lead = group.lead
    call = lead.subject.call
    if evidence.errno(call) != lead.subject.name:
        return ""
    subjects = {
        subject
        for table in (*evidence.before, *evidence.after)
        for subject, row in table.items()
        if subject.call == call and subject.kind in _OBJECTS and row.get(Figure.ERRORS)
    }
    differences: dict[str, int] = {}
    for subject in subjects:
        before, after = evidence.sides(subject, Figure.ERRORS)
        if before != after:
            differences[subject.name] = after - before
    if not differences or sum(differences.values()) != lead.difference:
        return ""
    ranked = sorted(differences, key=lambda name: (-abs(differences[name]), name))
    parts = [f"{differences[name]:+,} with {name}" for name in ranked[:_MOST_NAMES]]
    if len(ranked) > _MOST_NAMES:
        parts.append(f"{len(ranked) - _MOST_NAMES:,} others")
    return ", ".join(parts)
