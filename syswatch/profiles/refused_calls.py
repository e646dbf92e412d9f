"""Where the calls were made that a profile would refuse, in lines for people."""

from collections.abc import Iterator
from typing import Final

from syswatch.model.evidence import NATIVE, EvidenceKey
from syswatch.model.ruled_arguments import ruled_arguments
from syswatch.tracer.naming import machine
from syswatch.tracer.stracelog.log_evidence import printed_values

from .occurrences import Occurrences, Processes, Sample

_LONGEST_TEXT: Final = 120


def lines_of(occurrences: Occurrences, key: EvidenceKey, *, is_alone: bool) -> Iterator[str]:
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
        yield from _of_processes(occurrences, name, programs if key.program else None)
    for sample in occurrences.samples.get(name, ()):
        if (not key.program or sample.program in programs) and _has_values(sample, key):
            shown = sample.arguments[:_LONGEST_TEXT]
            cut = "..." if len(sample.arguments) > _LONGEST_TEXT else ""
            yield f"such as {key.call}({shown}{cut}), by thread {sample.thread}"
            return


def _has_values(sample: Sample, key: EvidenceKey) -> bool:
    if not ruled_arguments(key.call, key.architecture):
        return True
    return printed_values(key.call, sample.arguments.encode(), key.architecture) == key.values


def _of_processes(occurrences: Occurrences, call: str, programs: set[str] | None) -> Iterator[str]:
    """Yield the processes with most calls, each with what most of them acted on."""
    of_call = (
        each
        for origin, each in occurrences.processes.items()
        if origin.call == call and (programs is None or origin.program in programs)
    )
    found = sum(of_call, Processes())
    for each in found.first:
        more = f" and {each.more} more" if each.more else ""
        on = f" on {', '.join(each.objects)}{more}" if each.objects else ""
        times = "once" if each.calls == 1 else f"{each.calls} times"
        program = f" ({each.program})" if each.program else ""
        yield f"{times} by process {each.pid}{program}{on}"
    if found.more:
        yield f"and by {found.more} more processes"
