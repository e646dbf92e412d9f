"""Where calls were made: by which processes, on what, and with which arguments."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Final, NamedTuple

import attrs

from syswatch.base.classes import frozen
from syswatch.model.delta import Delta
from syswatch.model.merging import merge

_MOST_PROCESSES: Final = 3
_MOST_OBJECTS: Final = 5


class Origin(NamedTuple):
    """A call by its displayed name, and a program that made it, empty if it is not known."""

    call: str
    program: str


class Process(NamedTuple):
    """How many calls a process made, the objects of most of them, and how many more there are."""

    calls: int
    pid: int
    program: str
    objects: tuple[str, ...] = ()
    more: int = 0


@frozen
class Processes:
    """The processes with most calls, and how many more there are."""

    first: tuple[Process, ...] = ()
    more: int = 0

    def __add__(self, other: "Processes") -> "Processes":
        """Add those of two sources; the processes of two traces are never the same."""
        return _with_most_calls([*self.first, *other.first], self.more + other.more)


class Sample(NamedTuple):
    """The arguments of one call as strace shows them."""

    thread: int
    program: str
    arguments: str


@frozen
class Occurrences:
    """What is known of where calls were made."""

    processes: Mapping[Origin, Processes] = attrs.field(factory=dict)
    # By the displayed names of the calls.
    samples: Mapping[str, Sequence[Sample]] = attrs.field(factory=dict)

    @classmethod
    def of(cls, sums: Delta) -> "Occurrences":
        """Return what sums and samples tell."""
        counts: dict[tuple[str, int], dict[str, int]] = {}
        for key, row in sums.activity.items():
            of_process = counts.setdefault((key.call, key.pid), {})
            info = sums.objects.get(key.object)
            name = info.name if info else ""
            of_process[name] = of_process.get(name, 0) + row.count
        processes: dict[Origin, list[Process]] = {}
        for (call, pid), of_process in counts.items():
            program = _program(sums, pid)
            found = _process(pid, program, of_process)
            processes.setdefault(Origin(call, program), []).append(found)
        samples: dict[str, list[Sample]] = {}
        for call, sample in _samples(sums):
            samples.setdefault(call, []).append(sample)
        return cls({origin: _with_most_calls(some) for origin, some in processes.items()}, samples)

    def __add__(self, other: "Occurrences") -> "Occurrences":
        """Add what two sources tell."""
        return Occurrences(
            merge(self.processes, other.processes, Processes.__add__),
            merge(self.samples, other.samples, lambda left, right: (*left, *right)),
        )


def _process(pid: int, program: str, counts: Mapping[str, int]) -> Process:
    names = sorted(filter(None, counts), key=lambda name: (-counts[name], name))
    first = tuple(names[:_MOST_OBJECTS])
    return Process(sum(counts.values()), pid, program, first, len(names) - len(first))


def _with_most_calls(processes: Sequence[Process], more: int = 0) -> Processes:
    ordered = sorted(processes, key=lambda each: (-each.calls, each))
    return Processes(tuple(ordered[:_MOST_PROCESSES]), more + len(ordered[_MOST_PROCESSES:]))


def _samples(sums: Delta) -> Iterator[tuple[str, Sample]]:
    """Yield the calls whose arguments are known as text."""
    for call, tid, arguments in (
        *((entry.name, entry.pid, entry.args) for entry in sums.log),
        *((call, each.pid, each.args) for call, some in sums.failures.items() for each in some),
        *(
            (call, each.tid, each.args)
            for call, some in sums.slowest.by_call.items()
            for each in some
        ),
    ):
        if arguments:
            thread = sums.threads.get(tid)
            yield call, Sample(tid, _program(sums, thread.pid if thread else tid), arguments)


def _program(sums: Delta, pid: int) -> str:
    process = sums.processes.get(pid)
    return process.comm if process else ""
