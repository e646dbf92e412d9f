"""The kinds of system calls, and what the loop does about each."""

import enum
from collections.abc import Callable, Mapping
from typing import NamedTuple

import attrs

from syswatch.base.classes import define
from syswatch.model.catalog import openers
from syswatch.tracer.naming import plain_name_of, shown_name
from syswatch.tracer.objects.ways import Target, Way

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


class Effect(enum.Enum):
    """What a call changes that the tracer must know about; most calls change nothing."""

    NONE = enum.auto()
    # It does not return, so it is logged at its entry.
    EXIT = enum.auto()
    # It replaces the memory of its arguments, so they are read at its entry.
    EXEC = enum.auto()
    # It creates a thread, which the kernel reports unless it cannot be followed.
    CLONE = enum.auto()
    # It opens a file, whose path is counted.
    OPEN = enum.auto()
    # It reads or sets CPU affinity, which the tracer may have changed.
    AFFINITY = enum.auto()
    # It may rename the process, or install a seccomp filter.
    PRCTL = enum.auto()
    # It may install a seccomp filter.
    SECCOMP = enum.auto()
    # It restarts a call that a stop has interrupted.
    RESTART = enum.auto()


_EFFECTS = {
    "exit": Effect.EXIT,
    "exit_group": Effect.EXIT,
    "execve": Effect.EXEC,
    "execveat": Effect.EXEC,
    "fork": Effect.CLONE,
    "vfork": Effect.CLONE,
    "clone": Effect.CLONE,
    "clone3": Effect.CLONE,
    **dict.fromkeys(openers(), Effect.OPEN),
    "sched_setaffinity": Effect.AFFINITY,
    "sched_getaffinity": Effect.AFFINITY,
    "prctl": Effect.PRCTL,
    "seccomp": Effect.SECCOMP,
    "restart_syscall": Effect.RESTART,
}
# Needed by the tracer itself, even if they are not selected: the last two can create a child that
# is not reported.
_ALWAYS_TRACED = frozenset({"prctl", "seccomp", "clone", "clone3"})
_TRACED_IF_BOUND = frozenset(name for name, effect in _EFFECTS.items() if effect is Effect.AFFINITY)

# The result of a call that restart_syscall will continue; the thread does not see it.
RESTART_LATER = -516
# A call without an object, and all calls if objects are not followed.
_NO_TARGET = Target(Way.NONE)
_NEVER = 1 << 63
# No kernel has half as many, but a program may try random numbers for hours.
_KEPT_NUMBERS = 2048


@define(eq=False)
class CallKind:
    """One kind of system call; there is one object for each number in use."""

    number: int
    architecture: str
    plain_name: str
    name: str
    traced: bool
    effect: Effect
    # Whether memory must be read at its entry.
    captured: bool
    # Whether the observer handles its entry and its exit.
    handled_at_entry: bool
    handled_at_exit: bool
    # Whether its entry needs more than the time.
    prepared: bool = False
    # Where the object of the call is, whether there is one, whether it is the descriptor in the
    # first argument and is found by the loop, and whether it is found at the entry.
    target: Target = _NO_TARGET
    acts: bool = False
    on_descriptor: bool = False
    found_at_entry: bool = False
    # Whether its result is a number of bytes, and the argument with flags by which it may leave
    # them in place, or -1.
    moves: bool = False
    flags_at: int = -1
    # Whether it changes a descriptor table when it returns, or closes descriptors before.
    changes_tables: bool = False
    closes_at_once: bool = False
    # The second arguments with which the observer handles the exit.
    commands: frozenset[int] = frozenset()
    # Whether it closes the descriptor in the first argument, and nothing else.
    closes_first: bool = False
    # Whether it opens a path, with flags after that, or names one; and whether it changes what a
    # path leads to.
    opens_path: bool = False
    names_path: bool = False
    moves_paths: bool = False
    # Whether its purpose is to wait.
    can_wait: bool = False
    # The argument with the path that the call opens or names, or -1; and whether it is handled
    # because it opens that path, and for nothing else.
    path_at: int = -1
    only_opens: bool = False
    # The argument with the descriptor that is looked up at the exit, or -1.
    descriptor_at: int = -1
    # From which duration on a call is looked at more closely.
    bound_ns: int = _NEVER

    @property
    def abi(self) -> str:
        """The architecture, and x32 for its calls."""
        return "x32" if self.name.endswith("@x32") else self.architecture


class Return(NamedTuple):
    """How a call has returned: its result, or errno if it failed, and when."""

    result: int
    failed: bool
    at_ns: int = 0


@define
class CallTable:
    """
    The kinds of calls by architecture and number.

    `needs_entry` returns by architecture and name whether arguments must be read at the entry.
    """

    traced_names: frozenset[str] | None
    needs_entry: Callable[[str, str], bool]
    # Sets what is needed to follow objects and waits, if they are followed.
    add_object: "Callable[[CallKind], None] | None" = None
    # Whether every call is checked by more than its name before it is counted.
    selects: bool = False
    # Whether memory of the target may be read.
    reads: bool = True
    # All calls so far, by architecture and number; read by the hot path.
    known: dict[int, dict[int, CallKind]] = attrs.field(init=False)

    def __attrs_post_init__(self) -> None:
        """Add a table for every architecture."""
        self.known = {architecture: {} for architecture in ARCHITECTURES}

    def kind(self, architecture: int, number: int) -> CallKind:
        """Return the description of a call."""
        return self.known[architecture].get(number) or self.describe(architecture, number)

    def describe(self, architecture: int, number: int) -> CallKind:
        """Return a new description of a call."""
        known = self.known.setdefault(architecture, {})
        call = self._describe(architecture, number)
        if len(known) < _KEPT_NUMBERS:
            known[number] = call
        return call

    def _describe(self, kernel_architecture: int, number: int) -> CallKind:
        architecture = ARCHITECTURES.get(kernel_architecture, f"arch{kernel_architecture:x}")
        plain_name = plain_name_of(architecture, number)
        effect = _EFFECTS.get(plain_name, Effect.NONE)
        traced = self.traced_names is None or plain_name in self.traced_names
        has_effect = effect is not Effect.NONE
        captured = traced and self.needs_entry(architecture, plain_name)
        call = CallKind(
            number=number,
            architecture=architecture,
            plain_name=plain_name,
            name=shown_name(plain_name, architecture, number),
            traced=traced,
            effect=effect,
            captured=captured,
            handled_at_entry=has_effect or self.selects,
            handled_at_exit=has_effect or self.selects or not traced,
        )
        if self.add_object is not None:
            self.add_object(call)
        if traced and self.reads:
            named_at = call.target.argument if call.names_path else -1
            call.path_at = openers().get(plain_name, named_at)
        is_followed = self.add_object is None or call.opens_path
        call.only_opens = effect is Effect.OPEN and is_followed and not self.selects
        call.prepared = call.handled_at_entry or call.captured or bool(call.commands)
        return call


def always_traced(*, colocate: bool) -> frozenset[str]:
    """Return the names of the calls that are traced whatever is selected."""
    return _ALWAYS_TRACED | (_TRACED_IF_BOUND if colocate else frozenset())
