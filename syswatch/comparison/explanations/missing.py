"""A file that can no longer be opened, or can be opened again."""

from syswatch.comparison.evidence import Evidence
from syswatch.comparison.group import FILES, Group
from syswatch.comparison.run import Figure
from syswatch.model.catalog import model_of, openers

from .reason import UNKNOWN, Reason

_REASONS = {
    "ENOENT": "it is missing",
    "EACCES": "permission is denied",
    "EPERM": "it is not permitted",
    "EMFILE": "the process has too many open files",
    "ENFILE": "the system has too many open files",
    "ELOOP": "it has too many symbolic links",
    "ENOTDIR": "a part of its path is not a directory",
}


def explain(group: Group, evidence: Evidence) -> Reason:
    """
    Return why a file can no longer be opened.

    All openings succeeded on one side, and all fail on the other, for which there is one errno.
    """
    subject = group.lead.subject
    is_opening = subject.kind in FILES and model_of(subject.call) in openers()
    if not is_opening or not group.is_failing or len(group.events) > 1:
        return UNKNOWN
    made, failed = (evidence.sides(subject, each) for each in (Figure.COUNT, Figure.ERRORS))
    if not all(made):
        return UNKNOWN
    errno = evidence.errno(subject.call)
    reason = _REASONS.get(errno, f"it fails with {errno}" if errno else "it fails")
    if failed == (0, made[1]):
        return Reason(f"{reason} now; before, it could be opened")
    if failed == (made[0], 0):
        return Reason(f"it can be opened now; before, {_past(reason)}")
    return UNKNOWN


def _past(reason: str) -> str:
    return reason.replace(" is ", " was ").replace(" has ", " had ").replace(" fails", " failed")
