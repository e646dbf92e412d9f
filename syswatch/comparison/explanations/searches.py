"""Names that are searched in more directories than before, or in fewer."""

import re
from collections.abc import Iterable

from syswatch.comparison.evidence import Evidence
from syswatch.comparison.group import FILES, Group
from syswatch.comparison.run import Kind, Subject

from .reason import UNKNOWN, Reason

_LIBRARY = re.compile(r"\.so(?:\.\d+)*$")


def explain(group: Group, evidence: Evidence) -> Reason:
    """
    Return where names are searched, and where they are found.

    The calls on one side only fail with ENOENT, and there are files of all these names that are
    opened or executed in other directories.
    """
    lead = group.lead
    is_one_sided = lead.is_new or lead.is_gone
    if lead.subject.kind not in FILES or not group.is_failing or not is_one_sided:
        return UNKNOWN
    if evidence.errno(lead.subject.call) != "ENOENT":
        return UNKNOWN
    paths = {event.lead.subject.name for event in group.events}
    names = {_name(path) for path in paths}
    found = [evidence.found(name, after=lead.is_new) for name in names]
    if not all(found) or any(paths.intersection(each) for each in found):
        return UNKNOWN
    files = {path for each in found for path in each}
    directories = sorted({_directory(path) for path in files})
    searched = len({_directory(path) for path in paths})
    more = "more" if lead.is_new else "fewer"
    noun = "directory" if searched == 1 else "directories"
    where = directories[0] if len(directories) == 1 else f"{len(directories):,} others"
    text = f"searched in {searched:,} {more} {noun}{_of_path(files, evidence)}, found in {where}"
    return Reason(text, is_search=True)


def _of_path(files: Iterable[str], evidence: Evidence) -> str:
    """Return which variable or list has the directories, if that is known."""
    if all(_LIBRARY.search(path) for path in files):
        return " of the library path"
    if all(any(evidence.sides(Subject(Kind.PROGRAM, path))) for path in files):
        return " of PATH"
    return ""


def _name(path: str) -> str:
    return path.rpartition("/")[2]


def _directory(path: str) -> str:
    return path.rpartition("/")[0] or "/"
