"""The first line of a result, and the words that all formats share."""

from syswatch.base.text import escape_text

from .budget import Ban, Maximum
from .result import Finding, Offenders, Result


def first_line(result: Result) -> str:
    """Return the answer in one sentence."""
    failures, command = result.failures, result.command_failure
    also = f"; and the command failed: {command}" if command else ""
    if failures:
        word = "Budget exceeded" if result.exceeded else "Cannot tell whether the budget is kept"
        return f"{word}: {failures[0].sentence}{_others(len(failures) - 1)}{also}"
    if command:
        return f"Within the budget, but the command failed: {command}"
    if result.undecided:
        first = result.undecided[0].sentence
        return f"Within the budget, as far as is known: {first}{_others(len(result.undecided) - 1)}"
    return f"Within the budget: {_kept(result)}{_nearest(result)}"


def where(result: Result, finding: Finding) -> str:
    """Return the file, the line and the keys of the entry of a finding."""
    line = result.budget.line(finding.entry)
    file = escape_text(str(result.budget.file))
    return f"{file}{f':{line}' if line else ''}: {finding.entry.place.text}"


def in_line(offenders: Offenders) -> str:
    """Return the largest shares in one line."""
    more = [f"and {offenders.more} more"] if offenders.more else []
    names = (
        f"{each.name}: {each.amount}" if each.amount else each.name for each in offenders.shares
    )
    return f"{offenders.title}: {', '.join((*names, *more))}"


def _others(count: int) -> str:
    if not count:
        return ""
    return f" (and {count} more {'entry' if count == 1 else 'entries'})"


def _kept(result: Result) -> str:
    """Return how many entries there are."""
    limits = sum(isinstance(each.entry, Maximum) for each in result.findings)
    bans = sum(isinstance(each.entry, Ban) for each in result.findings)
    parts = [_counted(limits, "limit", "limits"), _counted(bans, "ban", "bans")]
    if len(result.findings) > limits + bans:
        parts.append("nothing is new")
    return ", ".join(filter(None, parts))


def _counted(count: int, one: str, several: str) -> str:
    return f"{count} {one if count == 1 else several}" if count else ""


def _nearest(result: Result) -> str:
    """Return which limit is used most."""
    limits = [each for each in result.findings if isinstance(each.entry, Maximum) and each.value]
    if not limits:
        return ""
    nearest = max(limits, key=lambda each: each.load)
    return f"; nearest to its limit: {nearest.sentence}"
