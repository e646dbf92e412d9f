"""Checking that nothing forbidden was used."""

from collections import Counter
from collections.abc import Iterator, Sequence

from syswatch.base.text import escape_text

from .amounts import Unit
from .budget import Ban, Banned
from .missing import Missing
from .observed import Observed
from .offenders import shares
from .result import Finding, Offenders, Share, Verdict
from .untold import untold_hosts, untold_paths, untold_sockets
from .uses import Use, uses

_NOTED = {Banned.PATHS: "second path of", Banned.PEERS: "messages sent by"}


def check_ban(entry: Ban, observed: Observed, missing: Missing) -> Finding:
    """Return whether something forbidden was used; an attempt that failed is a use."""
    used = list(uses(observed, entry.banned))
    found = [each for each in used if entry.forbids(each.names)]
    pattern = escape_text(entry.pattern.text)
    if found:
        offenders = tuple(_offenders(entry, found))
        return _finding(entry, Verdict.EXCEEDED, _sentence(entry, found), len(found), offenders)
    sentence = f"no {entry.banned.one} that matches {pattern}"
    reasons = [missing.reason_for_names(entry.banned)]
    if entry.banned is Banned.PATHS:
        reasons += [untold_paths(observed.facts), _uncertain(entry, used)]
    if entry.banned is Banned.PEERS:
        is_path = entry.pattern.text.startswith("/")
        reasons.append((untold_sockets if is_path else untold_hosts)(observed.facts))
    if reason := "; ".join(filter(None, reasons)):
        why = f"{sentence} was found, but there may be one: {reason}"
        return _finding(entry, Verdict.UNDECIDED, why, 0, ())
    return _finding(entry, Verdict.WITHIN, f"{sentence} was used", 0, ())


def _uncertain(entry: Ban, used: Sequence[Use]) -> str:
    """Return why a path that was used may be forbidden; empty if none may."""
    paths = sorted(each.name for each in used if each.is_object and entry.may_forbid(each.name))
    if not paths:
        return ""
    first, others = paths[0], len(paths) - 1
    more = f" (and {others} other{'s' if others > 1 else ''})" if others else ""
    if first.startswith("/"):
        return f"where {first}{more} leads depends on links before '..'"
    return f"the directory of {first}{more} is not known"


def _finding(
    entry: Ban, verdict: Verdict, sentence: str, found: int, offenders: tuple[Offenders, ...]
) -> Finding:
    return Finding(
        entry, verdict, sentence, str(found) if found else "none", "none", found, 0, offenders
    )


def _sentence(entry: Ban, found: Sequence[Use]) -> str:
    """Return what was used most, and what forbids it."""
    first = max(found, key=lambda each: (each.count, each.name))
    others = len(found) - 1
    more = f" and {others} other{'s' if others > 1 else ''}" if others else ""
    pattern = escape_text(entry.pattern.text)
    by_rule = "" if pattern == first.name and not others else f" ({pattern})"
    verb = "were" if others else "was"
    return f"{_title(entry, first)}{more} {verb} used, which is forbidden{by_rule}"


def _title(entry: Ban, use: Use) -> str:
    return f"{entry.banned.one} {use.name}"


def _offenders(entry: Ban, found: Sequence[Use]) -> Iterator[Offenders]:
    """Yield what was used how often, by which calls and processes."""
    calls: Counter[str] = Counter()
    processes: Counter[str] = Counter()
    for each in found:
        calls.update(each.calls)
        processes.update(each.processes)
    text = Unit.CALLS.text
    yield from shares(entry.banned.key, {each.name: each.count for each in found}, text)
    if entry.banned is not Banned.CALLS:
        yield from shares("calls", calls, text)
        # How often is not known: the calls are counted for another object.
        noted = sorted({name for each in found for name, count in each.calls.items() if not count})
        if noted:
            yield Offenders(_NOTED[entry.banned], tuple(Share(name, "") for name in noted))
    yield from shares("processes", processes, text)
