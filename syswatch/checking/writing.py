"""Writing a first budget from one run or several."""

import json
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Final

from syswatch.comparison.noise import tolerance_of
from syswatch.comparison.run import Figure, Kind, Subject
from syswatch.comparison.setting import Setting
from syswatch.model.catalog import in_class, plain_name

from .budget import TOTAL, Banned, Measure
from .errnos import is_known_errno
from .headroom import limit_for, written
from .observed import Observed
from .patterns import PatternError, literal, named_calls
from .uses import uses

# The classes that get a limit of their own, with what they are for.
_CLASSES: Final = {
    "file": "calls that name a path",
    "net": "network",
    "process": "starting and ending processes",
    "memory": "memory",
}
# So many calls get a limit of their own, if they are a share of all calls worth watching.
_MOST_CALLS: Final = 8
_LEAST_SHARE: Final = 0.02
_MOST_ERRNOS: Final = 4
_MOST_NAMES: Final = 20
# The network, whose absence is worth keeping.
_NETWORK: Final = "%net"
_BARE: Final = re.compile(r"[A-Za-z0-9_-]+")
# Ports from here on are given to clients, and differ by run.
_FIRST_EPHEMERAL: Final = 32_768
_PORT: Final = re.compile(r"(.*):(\d+)")

Values = Mapping[str, list[int]]


def written_budget(runs: Sequence[Observed], words: str) -> str:
    """Return the text of a budget that these runs are within, and that these words check."""
    count = "1 run" if len(runs) == 1 else f"{len(runs)} runs"
    lines = [
        f"# Checked by: syswatch check {words}",
        f"# Written from {count}; each limit is above the most that was seen.  Lower what you want",
        "# to keep low, and remove what does not matter.  The keys are explained in the manual",
        "# (docs/checking.rst).",
    ]
    for section in (
        _calls(runs),
        _errors(runs),
        _bytes(runs),
        _waiting(runs),
        _bans(runs),
    ):
        found = list(section)
        if found:
            lines += ["", *found]
    return "\n".join(lines) + "\n"


def _calls(runs: Sequence[Observed]) -> Iterator[str]:
    by_call = _by_call(runs, Figure.COUNT)
    totals = _total(by_call, len(runs))
    yield "# The most calls: in total, by class as in --trace, and of single calls."
    yield "[calls]"
    yield _entry(TOTAL, totals, Measure.CALLS)
    for name, purpose in _CLASSES.items():
        seen = _sum(by_call, in_class(name).__contains__, len(runs))
        if any(seen):
            yield f"{_entry(f'%{name}', seen, Measure.CALLS)}, {purpose}"
    for name in _worth_a_limit(by_call, max(totals)):
        yield _entry(name, by_call[name], Measure.CALLS)


def _worth_a_limit(by_call: Values, total: int) -> list[str]:
    """Return the commonest calls whose number does not depend on timing."""
    setting = Setting(is_threaded=True, has_children=True)
    names = [
        name
        for name, seen in by_call.items()
        if max(seen) >= total * _LEAST_SHARE
        and not _varies(name, max(seen), setting)
        and _is_known(name)
    ]
    return sorted(names, key=lambda name: (-max(by_call[name]), name))[:_MOST_CALLS]


def _varies(name: str, most: int, setting: Setting) -> bool:
    """Return whether the number of calls depends on timing."""
    subject = Subject(Kind.CALL, name)
    return tolerance_of(subject, Figure.COUNT, setting, most).allows(most) > 0


def _is_known(name: str) -> bool:
    try:
        return named_calls(name) is not None
    except PatternError:
        return False


def _errors(runs: Sequence[Observed]) -> Iterator[str]:
    seen = _total(_by_call(runs, Figure.ERRORS), len(runs))
    yield "# The most failed calls: in total, and by error."
    yield "[errors]"
    yield _entry(TOTAL, seen, Measure.ERRORS)
    errnos: dict[str, list[int]] = {}
    for place, run in enumerate(runs):
        for subject, figures in run.run.figures.items():
            if subject.kind is Kind.ERROR and is_known_errno(subject.name):
                counts = errnos.setdefault(subject.name, [0] * len(runs))
                counts[place] += figures.get(Figure.COUNT, 0)
    for name in sorted(errnos, key=lambda name: (-max(errnos[name]), name))[:_MOST_ERRNOS]:
        yield _entry(name, errnos[name], Measure.ERRORS)


def _bytes(runs: Sequence[Observed]) -> Iterator[str]:
    comments = {
        Measure.BYTES_IN: "# The most bytes read and received.",
        Measure.BYTES_OUT: "# The most bytes written and sent.",
    }
    for measure, comment in comments.items():
        seen = _total(_by_call(runs, measure.figure), len(runs))
        if any((Kind.CALL, measure.figure) in run.run.unknown for run in runs) or not any(seen):
            continue
        yield comment
        yield f"[{measure.key}]"
        yield _entry(TOTAL, seen, measure)


def _waiting(runs: Sequence[Observed]) -> Iterator[str]:
    seen = _total(_by_call(runs, Figure.WAITING), len(runs))
    if any(seen):
        yield "# The most time waiting.  It depends on the machine and its load, so this is off."
        yield "# [waiting]"
        yield f"# {_entry(TOTAL, seen, Measure.WAITING)}"


def _bans(runs: Sequence[Observed]) -> Iterator[str]:
    """Yield what was not used and is now forbidden, and what was used and is the exception."""
    by_call = _by_call(runs, Figure.COUNT)
    has_network = any(call in in_class(_NETWORK[1:]) for call in by_call)
    peers = _names(runs, Banned.PEERS, _peer)
    programs = _names(runs, Banned.PROGRAMS, _program)
    forbidden, allowed = [], []
    if not has_network:
        forbidden.append(f'calls = ["{_NETWORK}"]')
    elif peers is not None:
        forbidden.append('peers = ["*"]')
        if peers:
            allowed.append(f"peers = {_list(peers)}")
    if programs:
        forbidden.append('programs = ["*"]')
        allowed.append(f"programs = {_list(programs)}")
    if forbidden:
        yield "# What must not be used: calls, paths, peers and programs."
        yield from ("[forbidden]", *forbidden)
    if allowed:
        yield from ("", "# The exceptions, which are all that was used.", "[allowed]", *allowed)


def _names(
    runs: Sequence[Observed], banned: Banned, shortened: Callable[[str], str]
) -> list[str] | None:
    """Return all names that were used; None if they are not known, or too many to be meant."""
    kind = Kind.PEER if banned is Banned.PEERS else Kind.PROGRAM
    if any((kind, Figure.COUNT) in run.run.unknown for run in runs):
        return None
    found = {shortened(use.name) for run in runs for use in uses(run, banned)}
    # Paths of sockets are no peers on the network.
    names = sorted(name for name in found if name and not name.startswith("/"))
    return names if len(names) <= _MOST_NAMES else None


def _peer(name: str) -> str:
    """Return the address of a peer, with its port if that is the same in each run."""
    address = name.partition(" -> ")[0]
    match = _PORT.fullmatch(address)
    return match[1].strip("[]") if match and int(match[2]) >= _FIRST_EPHEMERAL else address


def _program(name: str) -> str:
    """Return the pattern of a program, wherever it is."""
    return literal(name.rpartition("/")[2])


def _by_call(runs: Sequence[Observed], figure: Figure) -> Values:
    """Return a figure of each call in each run; one of the 32-bit interface is its namesake."""
    found: dict[str, list[int]] = {}
    for place, run in enumerate(runs):
        sums: Counter[str] = Counter()
        for subject, figures in run.run.figures.items():
            if subject.kind is Kind.CALL:
                sums[plain_name(subject.name)] += figures.get(figure, 0)
        for call, value in sums.items():
            found.setdefault(call, [0] * len(runs))[place] = value
    return found


def _sum(by_call: Values, is_meant: Callable[[str], bool], count: int) -> list[int]:
    rows = [seen for call, seen in by_call.items() if is_meant(call)]
    return [sum(row[place] for row in rows) for place in range(count)]


def _total(by_call: Values, count: int) -> list[int]:
    return _sum(by_call, lambda _: True, count)


def _entry(key: str, seen: Sequence[int], measure: Measure) -> str:
    """Return a line with a limit and what was seen."""
    unit = measure.unit
    name = key if _BARE.fullmatch(key) else _quoted(key)
    least, most = unit.texts(min(seen), max(seen))
    was = most if min(seen) == max(seen) else f"{least} to {most}"
    return f"{name} = {written(limit_for(seen, unit), unit)}  # was {was}"


def _quoted(text: str) -> str:
    # The strings of JSON that have no control characters are strings of TOML.
    return json.dumps(text, ensure_ascii=False)


def _list(names: Iterable[str]) -> str:
    return f"[{', '.join(map(_quoted, names))}]"
