"""A profile as text for people: what it permits, and why."""

from collections.abc import Iterator, Mapping

from syswatch.profiles.dangers import dangers
from syswatch.profiles.phrases import of_conditions
from syswatch.profiles.profile import Profile, Reasons, Rule
from syswatch.views.formatting import plural
from syswatch.views.recording import moment
from syswatch.views.text_table import GAP, Cell, TextColumn, align

from .outcome import Written

_COLUMNS = (
    TextColumn("CALL", is_number=False),
    TextColumn("WITH", is_number=False),
    TextColumn("SEEN"),
    TextColumn("WHY", is_number=False),
)


def write(profile: Profile) -> Written:
    """Return the answer, what weakens the sandbox, and a table of all rules."""
    found = dangers(profile)
    lines = [sentence(profile)]
    if found:
        lines += ["", "These weaken the sandbox:"]
        lines += [f"{GAP}{each.call}: {each.why}" for each in found]
    lines += ["", *_table(profile.rules)]
    lines += ["", f"Everything else: {profile.default.consequence}."]
    return Written(("\n".join(lines) + "\n").encode())


def sentence(profile: Profile) -> str:
    """Return the answer in words."""
    seen = {rule.call for rule, reasons in profile.rules.items() if reasons.seen}
    calls = profile.calls
    total = sum(reasons.count for reasons in profile.rules.values())
    weak = len({each.call for each in dangers(profile)})
    parts = [f"The profile permits {plural(len(calls), 'system call')}"]
    if seen:
        parts.append(f"{len(seen & calls)} were seen ({plural(total, 'call')})")
        parts.append(f"{len(calls - seen)} were added")
    answer = f"{parts[0]}: {' and '.join(parts[1:])}." if len(parts) > 1 else f"{parts[0]}."
    danger = f"{weak} of them weaken{'s' if weak == 1 else ''} the sandbox."
    names = ", ".join(each.name for each in profile.architectures)
    return " ".join([answer, *([danger] if weak else []), f"Architectures: {names}."])


def _table(rules: Mapping[Rule, Reasons]) -> Iterator[str]:
    rows = [
        [
            Cell(rule.call),
            Cell(of_conditions(rule.call, rule.conditions)),
            Cell(str(reasons.count or "")),
            Cell(_why(rule, reasons)),
        ]
        for rule, reasons in rules.items()
    ]
    for row in align(_COLUMNS, rows):
        yield GAP.join(cell.text for cell in row).rstrip()


def _why(rule: Rule, reasons: Reasons) -> str:
    action = [] if rule.action.permits else [rule.action.consequence]
    programs = sorted(reasons.seen.items(), key=lambda item: (-item[1].count, item[0]))
    made = [f"made by {', '.join(program for program, _ in programs)}"] if programs else []
    times = [sighting.first_ns for _, sighting in programs if sighting.first_ns]
    first = [f"first at {moment(min(times))}"] if times else []
    return "; ".join([*action, *made, *first, *sorted(reasons.sentences)])
