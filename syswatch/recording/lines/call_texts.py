"""The name, arguments and result of a recorded call as texts."""

import attrs

from syswatch.base.classes import define, frozen
from syswatch.codec.events import ARCHITECTURES, Flag
from syswatch.tracer.naming import X32_BIT, plain_name_of, shown_name

from .raw_text import HIDDEN, RawTexts
from .strace_text import failure

# Arguments and result as they were read from the memory of the process, without the error.
Read = tuple[str, str]


@frozen
class CallName:
    """A call: its name in the table of its architecture, and the one by which it is counted."""

    plain: str
    shown: str
    # That of the table; x32 calls have a number in the table of x86_64.
    architecture: str
    is_x32: bool = False

    @classmethod
    def of(cls, place: int, number: int) -> "CallName":
        """Return the name of a number; the place is that of the architecture in an event."""
        architecture = ARCHITECTURES[place] if place < len(ARCHITECTURES) else "unknown"
        is_x32 = architecture == "x32"
        if is_x32:
            architecture, number = "x86_64", number | X32_BIT
        plain = plain_name_of(architecture, number)
        return cls(plain, shown_name(plain, architecture, number), architecture, is_x32)


@define
class CallTexts:
    """Finds the texts of calls: those that were read, or else what the registers tell."""

    _names: dict[tuple[int, int], CallName] = attrs.field(factory=dict, init=False)
    _raw: RawTexts = attrs.field(factory=RawTexts, init=False)

    def name(self, place: int, number: int) -> CallName:
        """Return the name of a call."""
        key = place, number
        name = self._names.get(key)
        if name is None:  # At most 65536 for each architecture.
            name = self._names[key] = CallName.of(place, number)
        return name

    def texts(
        self, name: CallName, arguments: tuple[int, ...], result: int, flags: int, read: Read | None
    ) -> tuple[str, str]:
        """Return the arguments and the result, with its error, as strace prints them."""
        failed = bool(flags & (Flag.FAILED | Flag.UNFINISHED))
        if read is None:
            shown, outcome = self._raw.of(
                name.plain, name.architecture, arguments, result, failed=failed
            )
        else:
            shown, outcome = read[0], failure(result) if failed else read[1]
        # What was read with --no-args are the registers.
        return (HIDDEN if flags & Flag.NO_ARGUMENTS else shown), outcome
