"""Where calls were made: by which processes, on what, and with which arguments."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final, NamedTuple, TypeVar

import attrs

from syswatch.model.delta import Delta
from syswatch.model.evidence import NATIVE, EvidenceKey
from syswatch.model.ruled_arguments import ruled_arguments
from syswatch.tracer.naming import machine
from syswatch.tracer.stracelog.log_evidence import printed_values

_MOST_PROCESSES: Final = 3
_MOST_OBJECTS: Final = 5
_LONGEST_TEXT: Final = 120

T = TypeVar("T")


class Occurrence(NamedTuple):
    """Calls of a process on one object; the name is empty if they act on none."""

    pid: int
    program: str
    object: str
    calls: int


class Sample(NamedTuple):
    """The arguments of one call as strace shows them."""

    thread: int
    program: str
    arguments: str


@attrs.frozen
class Occurrences:
    """What is known of calls by their displayed names."""

    rows: Mapping[str, Sequence[Occurrence]] = attrs.field(factory=dict)
    samples: Mapping[str, Sequence[Sample]] = attrs.field(factory=dict)

    @classmethod
    def of(cls, sums: Delta) -> "Occurrences":
        """Return what sums and samples tell."""
        counts: dict[tuple[str, int, int], int] = {}
        for key, row in sums.activity.items():
            place = key.call, key.pid, key.object
            counts[place] = counts.get(place, 0) + row.count
        rows: dict[str, list[Occurrence]] = {}
        for (call, pid, number), count in counts.items():
            info = sums.objects.get(number)
            row_of = Occurrence(pid, _program(sums, pid), info.name if info else "", count)
            rows.setdefault(call, []).append(row_of)
        samples: dict[str, list[Sample]] = {}
        for call, sample in _samples(sums):
            samples.setdefault(call, []).append(sample)
        return cls(rows, samples)

    def __add__(self, other: "Occurrences") -> "Occurrences":
        """Add what two sources tell."""
        return Occurrences(_joined(self.rows, other.rows), _joined(self.samples, other.samples))

    def of_calls(self, key: EvidenceKey, *, is_alone: bool) -> Iterator[str]:
        """
        Yield a line for each process that made such calls, and one with the arguments of a call.

        Sums do not tell calls with different arguments apart, so the processes are known only if
        there is no other evidence of the call, and it is `is_alone`.
        """
        name = key.call
        if key.architecture not in {NATIVE, machine()}:
            name = f"{key.call}@{key.architecture}"
        # Sums of a log do not name processes.
        programs = {key.program, ""} if is_alone else {key.program}
        if is_alone:
            yield from _processes(
                each
                for each in self.rows.get(name, ())
                if not key.program or each.program in programs
            )
        for sample in self.samples.get(name, ()):
            if (not key.program or sample.program in programs) and _has_values(sample, key):
                shown = sample.arguments[:_LONGEST_TEXT]
                cut = "..." if len(sample.arguments) > _LONGEST_TEXT else ""
                yield f"such as {key.call}({shown}{cut}), by thread {sample.thread}"
                return


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
        thread = sums.threads.get(tid)
        yield call, Sample(tid, _program(sums, thread.pid if thread else tid), arguments)


def _program(sums: Delta, pid: int) -> str:
    process = sums.processes.get(pid)
    return process.comm if process else ""


def _has_values(sample: Sample, key: EvidenceKey) -> bool:
    if not sample.arguments:
        return False
    if not ruled_arguments(key.call, key.architecture):
        return True
    return printed_values(key.call, sample.arguments.encode(), key.architecture) == key.values


def _processes(rows: Iterable[Occurrence]) -> Iterator[str]:
    """Yield the processes with most calls, each with what most of them acted on."""
    of: dict[tuple[int, str], list[Occurrence]] = {}
    for row in rows:
        of.setdefault((row.pid, row.program), []).append(row)
    ordered = sorted(of.items(), key=lambda each: -sum(row.calls for row in each[1]))
    for (pid, program), own in ordered[:_MOST_PROCESSES]:
        count = sum(row.calls for row in own)
        ordered_rows = sorted(own, key=lambda row: -row.calls)
        names = list(dict.fromkeys(row.object for row in ordered_rows if row.object))
        shown = ", ".join(names[:_MOST_OBJECTS])
        more = f" and {len(names) - _MOST_OBJECTS} more" if len(names) > _MOST_OBJECTS else ""
        on = f" on {shown}{more}" if shown else ""
        times = "once" if count == 1 else f"{count} times"
        yield f"{times} by process {pid}{f' ({program})' if program else ''}{on}"
    if len(ordered) > _MOST_PROCESSES:
        yield f"and by {len(ordered) - _MOST_PROCESSES} more processes"


def _joined(
    left: Mapping[str, Sequence[T]], right: Mapping[str, Sequence[T]]
) -> Mapping[str, Sequence[T]]:
    return {name: (*left.get(name, ()), *right.get(name, ())) for name in (*left, *right)}
