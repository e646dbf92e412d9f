"""Actions as the numbers that a filter returns to the kernel."""

from typing import Final

from syswatch.profiles.actions import Action, ActionKind

# SECCOMP_RET_*, from linux/seccomp.h.
_BASES: Final = {
    ActionKind.KILL_PROCESS: 0x8000_0000,
    ActionKind.KILL_THREAD: 0x0000_0000,
    ActionKind.TRAP: 0x0003_0000,
    ActionKind.ERRNO: 0x0005_0000,
    ActionKind.NOTIFY: 0x7FC0_0000,
    ActionKind.TRACE: 0x7FF0_0000,
    ActionKind.LOG: 0x7FFC_0000,
    ActionKind.ALLOW: 0x7FFF_0000,
}
_KINDS: Final = {base: kind for kind, base in _BASES.items()}
_NUMBER: Final = 0xFFFF


def number_of(action: Action) -> int:
    """Return the number of an action."""
    return _BASES[action.kind] | action.number


def action_of(number: int) -> Action:
    """Return the action of a number; the kernel takes unknown ones for KILL_PROCESS."""
    kind = _KINDS.get(number & ~_NUMBER, ActionKind.KILL_PROCESS)
    takes_number = Action(kind).takes_number
    return Action(kind, number & _NUMBER if takes_number else 0)
