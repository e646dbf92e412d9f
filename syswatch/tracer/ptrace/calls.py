"""Which system call a number is, and what the loop has to do about it."""

import enum
from collections.abc import Callable, Mapping

import attrs

from syswatch.tracer.naming import plain_name_of, shown_name

from .abi import (
    AUDIT_ARCH_AARCH64,
    AUDIT_ARCH_ARM,
    AUDIT_ARCH_I386,
    AUDIT_ARCH_X86_64,
)

# What the kernel calls an architecture, and what the tables of system calls call it.
ARCHITECTURES: Mapping[int, str] = {
    AUDIT_ARCH_X86_64: "x86_64",
    AUDIT_ARCH_I386: "i386",
    AUDIT_ARCH_AARCH64: "aarch64",
    AUDIT_ARCH_ARM: "arm",
}
# What a machine can run, its own kind first.
RUNS: Mapping[str, tuple[int, ...]] = {
    "x86_64": (AUDIT_ARCH_X86_64, AUDIT_ARCH_I386),
    "aarch64": (AUDIT_ARCH_AARCH64,),
}


class Duty(enum.Enum):
    """What the loop does about a call besides counting it; most calls need nothing."""

    NOTHING = enum.auto()
    # It does not return, so it is shown when it begins.
    ENDS = enum.auto()
    # It replaces the memory that its arguments are in, so they are read before.
    EXECS = enum.auto()
    # It makes a thread, which the kernel announces unless it is not to be followed.
    CLONES = enum.auto()
    # It opens a path, which is counted.
    OPENS = enum.auto()
    # It asks for or changes which CPUs a thread may use, so it must see the truth.
    PLACES = enum.auto()
    # It may give the process another name, or put a filter on its calls.
    CONFIGURES = enum.auto()
    # It may put a filter on the calls of the process.
    FILTERS = enum.auto()
    # It goes on with a call that a stop has interrupted.
    RESUMES = enum.auto()


_DUTIES = {
    "exit": Duty.ENDS,
    "exit_group": Duty.ENDS,
    "execve": Duty.EXECS,
    "execveat": Duty.EXECS,
    "fork": Duty.CLONES,
    "vfork": Duty.CLONES,
    "clone": Duty.CLONES,
    "clone3": Duty.CLONES,
    "open": Duty.OPENS,
    "openat": Duty.OPENS,
    "openat2": Duty.OPENS,
    "creat": Duty.OPENS,
    "sched_setaffinity": Duty.PLACES,
    "sched_getaffinity": Duty.PLACES,
    "prctl": Duty.CONFIGURES,
    "seccomp": Duty.FILTERS,
    "restart_syscall": Duty.RESUMES,
}
# These must be seen for the tracer's own sake, even where nobody asked for them: the last two can
# make a child that is not announced.
_ALWAYS_SEEN = frozenset({"prctl", "seccomp", "clone", "clone3"})
_SEEN_WHERE_BOUND = frozenset(name for name, duty in _DUTIES.items() if duty is Duty.PLACES)

# No kernel has half as many; but a program may try numbers at random, for hours.
_MOST_KNOWN = 2048


@attrs.define(eq=False)
class CallKind:
    """One kind of system call; there is one of these for each number that was seen."""

    number: int
    architecture: str
    plain_name: str
    name: str
    traced: bool
    duty: Duty
    # Whether its arguments must be read when it begins.
    captured: bool
    # Whether there is more to do than to read the clock when it begins, to count when it ends.
    has_prelude: bool
    has_finale: bool


@attrs.define
class CallTable:
    """
    Finds the call that a number stands for; numbers are met again and again.

    `needs_entry` says by architecture and name whose arguments must be read at the entry.
    """

    traced_names: frozenset[str] | None
    needs_entry: Callable[[str, str], bool]
    # Whether every call is looked at before it is counted.
    choosy: bool = False
    # Every call that was met, by architecture and number: the loop looks here first.
    known: dict[int, dict[int, CallKind]] = attrs.field(init=False)

    def __attrs_post_init__(self) -> None:
        """Make room for every architecture."""
        self.known = {architecture: {} for architecture in ARCHITECTURES}

    def meet(self, architecture: int, number: int) -> CallKind:
        """Describe a call that is met for the first time."""
        known = self.known.setdefault(architecture, {})
        call = self._describe(architecture, number)
        if len(known) < _MOST_KNOWN:
            known[number] = call
        return call

    def _describe(self, kernel_architecture: int, number: int) -> CallKind:
        architecture = ARCHITECTURES.get(kernel_architecture, f"arch{kernel_architecture:x}")
        plain_name = plain_name_of(architecture, number)
        duty = _DUTIES.get(plain_name, Duty.NOTHING)
        traced = self.traced_names is None or plain_name in self.traced_names
        dutiful = duty is not Duty.NOTHING
        captured = traced and self.needs_entry(architecture, plain_name)
        return CallKind(
            number=number,
            architecture=architecture,
            plain_name=plain_name,
            name=shown_name(plain_name, architecture, number),
            traced=traced,
            duty=duty,
            captured=captured,
            has_prelude=dutiful or self.choosy,
            has_finale=dutiful or self.choosy or not traced,
        )


def seen_anyway(*, colocate: bool) -> frozenset[str]:
    """Return the names of the calls that must be seen whatever is traced."""
    return _ALWAYS_SEEN | (_SEEN_WHERE_BOUND if colocate else frozenset())
