"""Compare the lines of two runs of a program."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher

import attrs

from syswatch.model.symbols import table

from .running import Lines

_NUMBER = re.compile(r"\b\d+\b")
# Calls whose results depend on timing.
_WAITS = frozenset(
    table(
        """
        clock_nanosleep epoll_wait nanosleep pause poll ppoll pselect6 read recvfrom recvmsg
        restart_syscall rt_sigreturn select wait4 waitid write
        """
    )
)
# Calls that are only made depending on timing, so that their order is ignored.
_RACES = "futex"


def _shape(line: str) -> str:
    return _NUMBER.sub("N", line)


def _result(line: str) -> str:
    return line.rpartition(") = ")[2].partition(" ")[0]


@attrs.frozen
class Difference:
    """A call that is printed in two ways; one side is empty if only one run made the call."""

    theirs: str
    ours: str
    # Whether strace prints such a line in the same thread, apart from its numbers.
    is_familiar: bool = attrs.field(default=False, eq=False)

    @property
    def line(self) -> str:
        """Return the line that identifies the difference: strace's, if it has one."""
        return self.theirs or self.ours

    @property
    def call(self) -> str:
        """Return the name of the call."""
        return self.line.partition("(")[0]

    @property
    def is_of_text(self) -> bool:
        """Return whether both runs made the call, and only the text differs."""
        if not self.theirs or not self.ours or self.call == _RACES:
            return False
        if self.call not in _WAITS:
            return True
        return not self.is_familiar and _result(self.theirs) == _result(self.ours)


def differences(theirs: Lines, ours: Lines) -> Counter[Difference]:
    """Return the differences and how often they occur."""
    found: Counter[Difference] = Counter()
    for place in theirs.keys() | ours.keys():
        found.update(_differing(theirs.get(place, ()), ours.get(place, ())))
    return found


def recurring(first: Counter[Difference], second: Counter[Difference]) -> Counter[Difference]:
    """Return the differences of the first that are also in the second; the rest is chance."""
    again = Counter[str]()
    for difference, count in second.items():
        again[difference.line] += count
    return Counter(
        {each: min(n, again[each.line]) for each, n in first.items() if again[each.line]}
    )


def _differing(theirs: Sequence[str], ours: Sequence[str]) -> Iterator[Difference]:
    familiar = set(map(_shape, theirs))
    for tag, low, high, start, end in _opcodes(theirs, ours):
        if tag != "equal":
            for difference in _paired(theirs[low:high], ours[start:end]):
                yield attrs.evolve(difference, is_familiar=_shape(difference.ours) in familiar)


def _paired(theirs: Sequence[str], ours: Sequence[str]) -> Iterator[Difference]:
    """Pair lines of the same call; lines without a partner stay alone."""
    names = [[line.partition("(")[0] for line in lines] for lines in (theirs, ours)]
    for tag, low, high, start, end in _opcodes(*names):
        if tag == "equal":
            yield from map(Difference, theirs[low:high], ours[start:end])
        else:
            yield from (Difference(line, "") for line in theirs[low:high])
            yield from (Difference("", line) for line in ours[start:end])


def _opcodes(
    theirs: Sequence[str], ours: Sequence[str]
) -> Sequence[tuple[str, int, int, int, int]]:
    return SequenceMatcher(None, theirs, ours, autojunk=False).get_opcodes()
