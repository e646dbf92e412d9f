"""Tests the tables of names with every bit and every small number."""

from collections import defaultdict

from twisted.trial.unittest import TestCase

from syswatch.model.catalog import ArgumentKind, number_of
from syswatch.model.catalog.entries import documented
from syswatch.model.messages import TraceOptions
from syswatch.tracer.decode import Formatter

from .injected_calls import Case, skip_if_impossible, strace_lines
from .test_formatter import formatted_line, normalized_line

_KINDS = tuple(ArgumentKind)
_WORDS = {
    *_KINDS[_KINDS.index(ArgumentKind.OPEN_FLAGS) :],
    ArgumentKind.SIGNAL,
    ArgumentKind.MODE,
    ArgumentKind.FILE_MODE,
}
_VALUES = (*range(1, 40), *(1 << bit for bit in range(6, 32)), 0xFFFFFFFF, 0x5A5A5A5A)
# Known differences: other arguments that strace decodes, and rare names.
_DIFFERENT = {
    "keyctl": "some of its operations are not taken apart",
    "msgget": "strace shows flags without names wrongly",
    "semget": "strace shows flags without names wrongly",
    "prctl": "its arguments depend on the option",
    "ptrace": "its arguments depend on the request",
    "setsockopt": "options of rare protocols",
    "getsockopt": "options of rare protocols",
    "shmget": "huge pages",
    "socket": "rare types and protocols",
    "socketpair": "rare types",
    "unshare": "flags that cannot be unshared",
    # Not in strace 6.1, not on x86_64, or not possible in this program.
    "cachestat": "newer",
    "execve": "the start of the program",
    "execveat": "the start of the program",
    "fchmodat2": "newer",
    "arch_prctl": "addresses of options that do not exist",
    "fcntl": "its argument depends on the command",
}


def _cases() -> list[Case]:
    cases = []
    for call in documented():
        if call.name in _DIFFERENT or number_of(call.name, "x86_64") is None:
            continue
        for index, argument in enumerate(call.arguments):
            if argument.kind in _WORDS:
                cases += [Case(call.name, (*[0] * index, value)) for value in _VALUES]
    return cases


class NameTests(TestCase):
    """The tables of names, compared with those of strace."""

    def test_same_names(self) -> None:
        """Every flag has the same name and position as in strace."""
        skip_if_impossible()
        cases = _cases()
        formatter = Formatter(TraceOptions(), "x86_64")
        different = defaultdict(list)
        for case, line in zip(cases, strace_lines(cases, "retval=1"), strict=True):
            theirs = normalized_line(line)
            ours = formatted_line(formatter, case, 1)
            if ours != theirs:
                different[case.name].append((theirs, ours))
        self.assertEqual({}, {name: lines[:2] for name, lines in different.items()})
