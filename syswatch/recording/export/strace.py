"""The text of strace: `-f -ttt -T`."""

from collections.abc import Callable, Iterator
from functools import cache
from typing import BinaryIO

from syswatch.codec.event_frames import Life
from syswatch.codec.events import ARCHITECTURES, UNFINISHED_NS, UNKNOWN_CPU, Flag
from syswatch.model.catalog import number_of
from syswatch.model.process import describe_ending
from syswatch.model.times import SECOND_NS
from syswatch.recording.lines.form import Event
from syswatch.recording.lines.strace_form import StraceForm
from syswatch.tracer.naming import X32_BIT, machine, plain_name_of

from .selection import Row, Selection

_X32_NUMBERS = 1024
_UNNAMED = "syscall_0x"
# A time, and what returns the line: lines about modes depend on the lines before them.
_Line = tuple[int, Callable[[], str]]


def write(selection: Selection, out: BinaryIO) -> None:
    """Write a line for each call, for each end of a process, and where calls are missing."""
    form = StraceForm()
    others = sorted(_others(selection, form), key=lambda line: line[0])
    for rows in selection.parts():
        lines = []
        for row in rows:
            while others and others[0][0] <= row.start_ns:
                lines.append(others.pop(0)[1]())
            read = None if row.args is None else (row.args, row.ret or "")
            lines.append(form.call(_event(row), read))
        out.write("".join(f"{line}\n" for line in lines).encode())
    out.write("".join(f"{line()}\n" for _, line in others).encode())


def _others(selection: Selection, form: StraceForm) -> Iterator[_Line]:
    for loss in selection.losses():
        yield loss.second * SECOND_NS, lambda loss=loss: form.loss(loss)  # type: ignore[misc]
    for life in _ends(selection):
        end_ns = life.end_ns or 0
        if selection.since_ns <= end_ns < selection.until_ns:
            yield end_ns, lambda life=life, at=end_ns: form.ending(life, at)  # type: ignore[misc]


def _ends(selection: Selection) -> Iterator[Life]:
    """Yield the processes of which the ending is known."""
    codes = {describe_ending(code): code for code in range(-64, 256)}
    for process in selection.processes:
        code = codes.get(process.ending)
        if process.end_ns is not None and code is not None:
            exit_code, exit_signal = (code, None) if code >= 0 else (None, -code)
            yield Life(process.pid, None, 0, "", "", process.end_ns, exit_code, exit_signal)


def _event(row: Row) -> Event:
    """Return a call as the event that it was."""
    number, place = _number_of(row.name)
    arguments = (row.a0, row.a1, row.a2, row.a3, row.a4, row.a5)
    flags = (
        Flag.FAILED * (row.errno is not None)
        | Flag.UNTIMED * row.untimed
        | Flag.UNFINISHED * (row.duration_ns is None)
        # A log has texts, but no registers.
        | Flag.NO_ARGUMENTS * (row.a0 is None and not row.args)
    )
    return (
        row.start_ns,
        UNFINISHED_NS if row.duration_ns is None else row.duration_ns,
        row.waiting_ns,
        row.ready_ns,
        row.object or 0,
        row.result or 0,
        row.bytes,
        *(argument or 0 for argument in arguments),
        row.pid,
        row.tid,
        number,
        place,
        flags,
        UNKNOWN_CPU,
        0,
    )


@cache
def _number_of(name: str) -> tuple[int, int]:
    """Return the number of a call, and the place of its architecture."""
    plain, _, architecture = name.partition("@")
    architecture = architecture if architecture in ARCHITECTURES else machine()
    place = ARCHITECTURES.index(architecture)
    if plain.startswith(_UNNAMED):
        return int(plain.removeprefix(_UNNAMED), 16) & 0xFFFF, place
    if architecture == "x32":
        return _x32_numbers().get(plain, 0), place
    return number_of(plain, architecture) or 0, place


@cache
def _x32_numbers() -> dict[str, int]:
    return {plain_name_of("x86_64", at | X32_BIT): at for at in range(_X32_NUMBERS)}
