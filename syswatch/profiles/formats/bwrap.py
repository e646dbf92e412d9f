"""The filter that `bwrap --seccomp FD` and other programs load: instructions without a header."""

from collections.abc import Iterator, Mapping, Sequence

from syswatch.base.classes import frozen
from syswatch.profiles.actions import Action
from syswatch.profiles.architectures import Architecture, is_unnamed
from syswatch.profiles.bpf.compiling import compile_profile
from syswatch.profiles.bpf.instructions import Instruction, ProgramError, decode, encode
from syswatch.profiles.bpf.interpreting import Call, interpret, verify
from syswatch.profiles.conditions import Known
from syswatch.profiles.profile import Profile

from .outcome import FormatError, Written


@frozen
class Filter:
    """A filter from a file: it answers as a profile does, but its rules are not known."""

    program: Sequence[Instruction]

    def answer(
        self, call: str, arguments: Mapping[int, Known], architecture: Architecture
    ) -> Action | None:
        """Return what happens to a call, None if that depends on what is not known."""
        number = architecture.number_of(call)
        if number is None:
            return None
        return interpret(self.program, Call(number, architecture.audit, arguments))


def write(profile: Profile) -> Written:
    """Return the filter of a profile; raise FormatError if it is too long."""
    try:
        return Written(encode(compile_profile(profile)), tuple(_losses(profile)))
    except ProgramError as error:
        raise FormatError(str(error)) from error


def _losses(profile: Profile) -> Iterator[str]:
    unknown = [
        call
        for call in sorted(profile.calls)
        if is_unnamed(call) and all(each.number_of(call) is None for each in profile.architectures)
    ]
    if unknown:
        yield f"{', '.join(unknown)}: the numbers of these calls are not known"


def read(content: bytes) -> Filter:
    """Return a filter that can be asked; raise FormatError."""
    try:
        program = decode(content)
        verify(program)
    except ProgramError as error:
        raise FormatError(str(error)) from error
    return Filter(program)
