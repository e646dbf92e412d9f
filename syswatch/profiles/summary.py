"""The profile that a traced program needs so far, for people: the answer, and all reasons."""

from collections.abc import Iterator
from typing import Final

import attrs

from syswatch.model.snapshot import Snapshot
from syswatch.views.formatting import long_duration, plural, rfc3339
from syswatch.views.profile_records import ProfileFormat, ProfileRule, ProfileSummary
from syswatch.views.recording import moment

from .basis import Basis
from .dangers import dangers
from .formats import FILE_NAMES, TITLES
from .formats.outcome import FormatError
from .formats.registry import WRITERS, write_made_of
from .formats.text import sentence
from .gaps import gaps
from .making import make
from .needs import Wanted
from .newest import Newest, first_seen, newest
from .phrases import of_conditions
from .profile import Profile, Reasons, Rule

_UNDATED: Final = "when each was first seen is not known, because the trace has no timestamps"


def summary(snapshot: Snapshot, wanted: Wanted) -> ProfileSummary:
    """Return what a program needs, as far as a trace has shown."""
    basis = Basis.of(snapshot.sums)
    made = make(basis, wanted)
    profile = made.profile
    last = newest(profile)
    calls = len(_seen(profile))
    after, quiet = _ages(snapshot, last)
    return ProfileSummary(
        verdict=_verdict(snapshot, calls, after, quiet),
        newest=_of_newest(last),
        about=sentence(profile),
        notes=[*gaps(snapshot), *(f"{each[:1].upper()}{each[1:]}." for each in made.notes)],
        level=wanted.level.value,
        calls=calls,
        permitted=len(profile.calls),
        after=after,
        quiet=quiet,
        rules=list(_rules(profile)),
        formats=[
            ProfileFormat(name, TITLES[name], FILE_NAMES[name], list(_losses(basis, profile, name)))
            for name in WRITERS
        ],
    )


def _seen(profile: Profile) -> frozenset[str]:
    return frozenset(rule.call for rule, reasons in profile.rules.items() if reasons.seen)


def _ages(snapshot: Snapshot, last: Newest | None) -> tuple[int | None, int | None]:
    """Return when the last new call was seen, since the start, and how long ago that was."""
    span, now_ns = snapshot.sums.span, snapshot.now_ns
    if last is None or span is None or now_ns is None:
        return None, None
    # The clock of the machine may be set back, and a call may have begun before the trace.
    return max(last.first_ns - span.first_ns, 0), max(now_ns - last.first_ns, 0)


def _verdict(snapshot: Snapshot, calls: int, after: int | None, quiet: int | None) -> str:
    if not calls:
        return "No call was seen." if snapshot.done else "No call has been seen yet."
    number = plural(calls, "system call")
    if after is None or quiet is None:
        return f"{number} needed; {_UNDATED}."
    if snapshot.done:
        return (
            f"{number} needed; the last new one appeared after {long_duration(after)},"
            f" {long_duration(quiet)} before the end."
        )
    return f"{number} needed so far; nothing new for {long_duration(quiet)}."


def _of_newest(last: Newest | None) -> str:
    return f"Last new: {last.sentence} at {moment(last.first_ns)}." if last else ""


def _rules(profile: Profile) -> Iterator[ProfileRule]:
    weak = {each.call for each in dangers(profile)}
    for rule, reasons in profile.rules.items():
        # Few rules are asked whether it is them, because that takes long.
        found = dangers(attrs.evolve(profile, rules={rule: reasons})) if rule.call in weak else ()
        yield _rule(rule, reasons, [each.why for each in found])


def _rule(rule: Rule, reasons: Reasons, why: list[str]) -> ProfileRule:
    first = first_seen(reasons)
    programs = sorted(reasons.seen, key=lambda each: (-reasons.seen[each].count, each))
    return ProfileRule(
        call=rule.call,
        arguments=of_conditions(rule.call, rule.conditions),
        count=reasons.count,
        programs=programs,
        first=rfc3339(first[0]) if first else "",
        reasons=sorted(reasons.sentences),
        effect="" if rule.action.permits else rule.action.consequence,
        dangers=why,
    )


def _losses(basis: Basis, profile: Profile, form: str) -> tuple[str, ...]:
    try:
        return write_made_of(basis, profile, form).losses
    except FormatError as error:
        return (str(error),)
