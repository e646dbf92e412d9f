"""A profile as text for people: what it permits, and why."""

import re
from collections.abc import Iterator, Mapping
from itertools import takewhile

from syswatch.base.classes import frozen
from syswatch.profiles.actions import ALLOW, Action
from syswatch.profiles.architectures import ARCHITECTURES
from syswatch.profiles.dangers import dangers
from syswatch.profiles.phrases import conditions_of, of_conditions
from syswatch.profiles.profile import NO_REASONS, Profile, Reasons, Rule
from syswatch.views.formatting import plural
from syswatch.views.recording import moment
from syswatch.views.text_table import GAP, Cell, TextColumn, align

from .outcome import FormatError, Loaded, Written

_COLUMNS = (
    TextColumn("CALL", is_number=False),
    TextColumn("WITH", is_number=False),
    TextColumn("SEEN"),
    TextColumn("WHY", is_number=False),
)


_BEGIN = "The profile permits "
_ARCHITECTURES = re.compile(r" Architectures: (.+)\.$")
_TITLES = re.compile(r"CALL +WITH +SEEN +WHY")
_EVERYTHING_ELSE = re.compile(r"Everything else: (.+)\.")
# At the right of its column; no condition has two spaces.
_COUNT = re.compile(r"  +\d+$")


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


def is_text(content: bytes) -> bool:
    """Return whether this is a profile as text."""
    return content.startswith(_BEGIN.encode())


def read(content: bytes) -> Loaded:
    """Return a profile as it was written, without the reasons; raise FormatError."""
    lines = content.decode("utf-8", "replace").splitlines()
    titles = next((at for at, line in enumerate(lines) if _TITLES.fullmatch(line)), None)
    architectures = _ARCHITECTURES.search(lines[0]) if lines else None
    default = next(filter(None, map(_EVERYTHING_ELSE.fullmatch, lines)), None)
    if titles is None or architectures is None or default is None:
        raise FormatError("the first line, the table or the last line of the text is missing")
    rows = takewhile(bool, lines[titles + 1 :])
    try:
        rules = [_rule(line, _Places.of(lines[titles])) for line in rows]
        names = architectures[1].split(", ")
        return Loaded(
            Profile(
                dict.fromkeys(rules, NO_REASONS),
                tuple(ARCHITECTURES[name] for name in names),
                _action(default[1]),
            )
        )
    except KeyError as error:
        raise FormatError(f"unknown architecture: {error.args[0]}") from error


@frozen
class _Places:
    """Where columns of the table begin and end, as their titles show."""

    conditions: int
    seen_end: int

    @classmethod
    def of(cls, titles: str) -> "_Places":
        """Return the places of a table."""
        return cls(titles.index("WITH"), titles.index("SEEN") + len("SEEN"))


def _rule(line: str, places: _Places) -> Rule:
    call = line[: places.conditions].strip()
    words = _COUNT.sub("", line[places.conditions : places.seen_end]).strip()
    reason = line[places.seen_end :].strip().partition(";")[0]
    try:
        conditions = conditions_of(call, words)
    except ValueError as error:
        raise FormatError(f"{call}: {error}") from error
    return Rule(call, conditions, Action.of_consequence(reason) or ALLOW)


def _action(words: str) -> Action:
    action = Action.of_consequence(words)
    if action is None:
        raise FormatError(f"the last line says nothing that a filter can do: {words}")
    return action


def sentence(profile: Profile) -> str:
    """Return the answer in words."""
    seen = {rule.call for rule, reasons in profile.rules.items() if reasons.seen}
    calls = profile.calls
    total = sum(reasons.count for reasons in profile.rules.values())
    weak = len({each.call for each in dangers(profile)})
    parts = [f"{_BEGIN}{plural(len(calls), 'system call')}"]
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
    action = [] if rule.action == ALLOW else [rule.action.consequence]
    programs = sorted(reasons.seen.items(), key=lambda item: (-item[1].count, item[0]))
    made = [f"made by {', '.join(program for program, _ in programs)}"] if programs else []
    times = [sighting.first_ns for _, sighting in programs if sighting.first_ns]
    first = [f"first at {moment(min(times))}"] if times else []
    return "; ".join([*action, *made, *first, *sorted(reasons.sentences)])
