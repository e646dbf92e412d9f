"""Changes in plain words."""

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from syswatch.model.objects import names_peer
from syswatch.views.formatting import duration, plural, size

from .alignment.paths import SIGN
from .change import Change
from .events import Event
from .group import Group
from .parts import OF_COMMAND
from .replacements import prefixes
from .run import Figure, Kind, Subject

Examples = Mapping[Subject, str]
_BYTES = (Figure.BYTES_IN, Figure.BYTES_OUT)
_COUNTS = (Figure.COUNT, Figure.ERRORS)
_PERCENTILES = {
    Figure.P50: "typically",
    Figure.P95: "the slowest 5 % at least",
    Figure.P99: "the slowest 1 % at least",
}
_MOVED = {
    (Kind.FILE, Figure.BYTES_IN): "read from",
    (Kind.FILE, Figure.BYTES_OUT): "written to",
    (Kind.PEER, Figure.BYTES_IN): "received from",
    (Kind.PEER, Figure.BYTES_OUT): "sent to",
    (Kind.OBJECT, Figure.BYTES_IN): "read from",
    (Kind.OBJECT, Figure.BYTES_OUT): "written to",
    (Kind.CALL, Figure.BYTES_IN): "read by",
    (Kind.CALL, Figure.BYTES_OUT): "written by",
}
# From here on, a ratio is easier to read than a percentage.
_FIRST_TIMES = 2.0
_MOST_NAMES = 3


class Phrase(NamedTuple):
    """What is said of a group: what changed by how much, and the numbers of both sides."""

    head: str
    detail: str = ""
    # What changed, without the difference.
    what: str = ""

    def with_explanation(self, reason: str) -> str:
        """Return the sentence; a reason tells more than the numbers, which are in the table."""
        rest = reason or self.detail
        return f"{self.head}: {rest}" if rest else self.head


def phrase(group: Group, examples: Examples) -> Phrase:
    """Return what is said of a group, without a full stop."""
    lead = group.lead
    if group.replaced:
        return _of_replacement(group, examples)
    if len(group.events) > 1:
        return _of_programs(group) if lead.subject.kind is Kind.PROGRAM else _of_files(group)
    name = _name(lead.subject, examples)
    if lead.figure in _BYTES:
        moved = _MOVED.get((lead.subject.kind, lead.figure), "of")
        return Phrase(f"{_signed_size(lead.difference)} {moved} {name}", numbers(lead), name)
    if lead.figure not in _COUNTS:
        return _of_time(lead, name)
    said = _RULES[lead.subject.kind](group.events[0], name)
    return _with_proportional(said, group)


def _of_files(group: Group) -> Phrase:
    """Return a phrase on files, of a directory or of the same names."""
    leads = group.leads
    difference = group.difference
    before = sum(each.before.middle for each in leads)
    sides = before, before + difference
    figure = leads[0].figure
    place = _place(group)
    if figure in _BYTES:
        moved = _MOVED[Kind.FILE, figure].partition(" ")[0]
        return Phrase(
            f"{_signed_size(difference)} {moved} {place}", _numbers(figure, *sides), place
        )
    if figure not in _COUNTS:
        return Phrase(f"{_signed_time(difference)} {figure.value} {place}", "", place)
    what = f"{_failing(group.events[0])}{leads[0].subject.call or 'openings'} {place}"
    return Phrase(f"{difference:+,} {what}", _numbers(figure, *sides), what)


def _place(group: Group) -> str:
    """Return where the files of a group are."""
    number = len(group.events)
    if group.names:
        directories = {event.lead.subject.name.rpartition("/")[0] for event in group.events}
        names = _listed(group.names, "names")
        return f"of {names} in {len(directories):,} directories"
    what = plural(number, "path" if group.lead.subject.kind is Kind.PATH else "file")
    return f"below {group.directory or 'the working directory'} ({what})"


def _of_programs(group: Group) -> Phrase:
    lead = group.lead
    names = sorted({each.subject.name.rpartition("/")[2] for each in group.leads})
    what = _listed(names, "programs")
    executions = plural(abs(lead.difference), "execution").partition(" ")[2]
    head = f"{lead.difference:+,} {executions} each of {what}"
    return _with_proportional(Phrase(head, numbers(lead), what), group)


def _with_proportional(said: Phrase, group: Group) -> Phrase:
    number = group.in_proportion
    if not number:
        return said
    others = f", and {plural(number, 'other change')} in proportion"
    if said.detail:
        return said._replace(detail=said.detail + others)
    return said._replace(head=said.head + others)


def _of_replacement(group: Group, examples: Examples) -> Phrase:
    lead, gone = group.lead, group.replaced[0].lead
    if len(group.events) == 1:
        new, old = (_name(each.subject, examples) for each in (lead, gone))
        place = f"{new} instead of {old}"
    else:
        new, old = prefixes(lead.subject.name, gone.subject.name)
        place = f"below {new} instead of {old} ({plural(len(group.events), 'file')})"
    if lead.subject.kind is Kind.PROGRAM:
        return Phrase(f"{new} is executed instead of {old}", "", place)
    what = f"{_failing(group.events[0])}{lead.subject.call or 'opening'}"
    of = "of " if len(group.events) == 1 else ""
    return Phrase(f"{what} {of}{place}", "the same calls", f"{what} {of}{place}")


def _listed(names: Sequence[str], many: str) -> str:
    """Return a few names, or how many there are."""
    if len(names) > _MOST_NAMES:
        return f"{len(names):,} {many}"
    *others, last = names
    return f"{', '.join(others)} and {last}" if others else last


def numbers(change: Change) -> str:
    """Return the numbers of both sides, such as `3 → 415`."""
    return _numbers(change.figure, change.before.middle, change.after.middle)


def _numbers(figure: Figure, before: int, after: int) -> str:
    return f"{value(figure, before)} → {value(figure, after)}"


def value(figure: Figure, number: int) -> str:
    """Return a number with its unit."""
    if figure in _BYTES:
        return size(number)
    return f"{number:,}" if figure in _COUNTS else duration(number)


def _name(subject: Subject, examples: Examples) -> str:
    # The real names of pipes and locks tell nothing.
    is_telling = subject.kind is not Kind.OBJECT and SIGN in subject.name
    example = examples.get(subject._replace(call="")) if is_telling else None
    return f"{subject.name} (such as {example})" if example else subject.name


def _failing(event: Event) -> str:
    return "failing " if event.is_failing else ""


def _of_call(event: Event, name: str) -> Phrase:
    lead = event.lead
    calls = "call" if abs(lead.difference) == 1 else "calls"
    head = f"{lead.difference:+,} {calls} of {name}"
    if lead.is_new:
        return Phrase(f"{head}, which was not called before", what=name)
    if lead.is_gone:
        return Phrase(f"{head}, which is not called any more", what=name)
    return Phrase(head, numbers(lead), name)


def _of_error(event: Event, name: str) -> Phrase:
    lead = event.lead
    failures = "failure" if abs(lead.difference) == 1 else "failures"
    what = f"{lead.subject.call} with {name}"
    return Phrase(f"{lead.difference:+,} {failures} of {what}", numbers(lead), what)


def _of_file(event: Event, name: str) -> Phrase:
    lead = event.lead
    what = f"{_failing(event)}{lead.subject.call or 'opening'} of {name}"
    return Phrase(f"{lead.difference:+,} {what}", numbers(lead), what)


def _of_peer(event: Event, name: str) -> Phrase:
    lead = event.lead
    if not (lead.is_new or lead.is_gone):
        what = f"{_failing(event)}{lead.subject.call} with {name}"
        return Phrase(f"{lead.difference:+,} {what}", numbers(lead), what)
    figures = {
        figure: sum(abs(each.difference) for each in event.changes if each.figure is figure)
        for figure in (Figure.COUNT, *_BYTES)
    }
    parts = [plural(figures[Figure.COUNT], "call")]
    parts += [
        f"{size(figures[figure])} {_MOVED[Kind.PEER, figure].partition(' ')[0]}"
        for figure in _BYTES
        if figures[figure]
    ]
    if not names_peer(name):
        head = f"{'new socket' if lead.is_new else 'no more socket'} {name}"
    else:
        head = f"{'new peer' if lead.is_new else 'no more contact with'} {name}"
    return Phrase(head, ", ".join(parts), f"{lead.subject.call} {name}")


def _of_program(event: Event, name: str) -> Phrase:
    lead = event.lead
    if lead.is_new:
        return Phrase(f"new program {name}, executed {_times(lead.after.middle)}", what=name)
    if lead.is_gone:
        times = _times(lead.before.middle)
        return Phrase(f"{name} is not executed any more; before, {times}", what=name)
    executions = plural(abs(lead.difference), "execution").partition(" ")[2]
    return Phrase(f"{lead.difference:+,} {executions} of {name}", numbers(lead), name)


def _of_ending(event: Event, _name: str) -> Phrase:
    before = [each.subject.name for each in event.changes if each.difference < 0]
    after = [each.subject.name for each in event.changes if each.difference > 0]
    what = event.lead.subject.name
    if len(before) == len(after) == 1:
        status = "exit status: " if after[0].startswith(OF_COMMAND) else ""
        return Phrase(f"{status}{before[0]} → {after[0]}", what=what)
    ends = [f"{each.subject.name} ({numbers(each)})" for each in event.changes]
    return Phrase("processes ended differently", ", ".join(ends), what)


def _of_total(event: Event, _name: str) -> Phrase:
    return Phrase("the whole run", numbers(event.lead), "the run")


_RULES: Mapping[Kind, Callable[[Event, str], Phrase]] = {
    Kind.CALL: _of_call,
    Kind.ERROR: _of_error,
    Kind.FILE: _of_file,
    Kind.PATH: _of_file,
    Kind.PEER: _of_peer,
    Kind.OBJECT: _of_file,
    Kind.PROGRAM: _of_program,
    Kind.ENDING: _of_ending,
    Kind.TOTAL: _of_total,
}


def _of_time(change: Change, name: str) -> Phrase:
    figure = change.figure
    if figure in _PERCENTILES:
        detail = f"{_PERCENTILES[figure]} {numbers(change)}"
        return Phrase(f"{name} is {_slower(change)}", detail, name)
    if figure is Figure.WALL:
        head = f"{_signed_time(change.difference)} for the whole run"
        return Phrase(head, numbers(change), "the run")
    is_call = change.subject.kind is Kind.CALL
    doing = "working" if figure is Figure.WORKING else "waiting" if is_call else "waiting for"
    place = f"in {name}" if is_call or figure is Figure.WORKING else name
    head = f"{_signed_time(change.difference)} {doing} {place}"
    return Phrase(head, numbers(change), name)


def _slower(change: Change) -> str:
    before, after = max(change.before.middle, 1), max(change.after.middle, 1)
    word = "slower" if after > before else "faster"
    ratio = max(before, after) / min(before, after)
    if ratio >= _FIRST_TIMES:
        return f"{ratio:.1f} times {word}"
    return f"{100 * abs(after - before) / before:.0f} % {word}"


def _signed_size(number: int) -> str:
    return f"{'+' if number > 0 else '-'}{size(abs(number))}"


def _signed_time(number: int) -> str:
    return f"{'+' if number > 0 else '-'}{duration(abs(number))}"


def _times(number: int) -> str:
    return "once" if number == 1 else f"{number:,} times"
