"""prctl: its arguments, whose types depend on the option."""

from collections.abc import Callable

from syswatch.model.argument_names import PRCTL_OPTION
from syswatch.model.symbols import enumeration

from .capabilities import CAPABILITY
from .names_signals import signal_name
from .numbers import hexadecimal, unsigned_64
from .quoting import shortened
from .sandboxing import SECCOMP_MODE, SECCOMP_MODE_FILTER, filter_program
from .traced_call import TracedCall, UnreadableError, address_text

_TASK_COMM_LEN = 16
_PR_GET_NAME = PRCTL_OPTION["PR_GET_NAME"]
_NO_ARGUMENT = PRCTL_OPTION.numbers(
    """
    PR_GET_DUMPABLE PR_GET_KEEPCAPS PR_GET_TIMING PR_GET_SECCOMP PR_GET_SECUREBITS
    PR_GET_TIMERSLACK
    """
)
_PR_SET_PTRACER_ANY = (1 << 64) - 1
_ANON_VMA_NAME_MAX_LEN = 80
_AMBIENT = enumeration(
    "PR_CAP_AMBIENT_???",
    """
    PR_CAP_AMBIENT_IS_SET=1 PR_CAP_AMBIENT_RAISE PR_CAP_AMBIENT_LOWER PR_CAP_AMBIENT_CLEAR_ALL
    """,
)
_DUMPABLE = ("SUID_DUMP_DISABLE", "SUID_DUMP_USER", "SUID_DUMP_ROOT")


def prctl_arguments(call: TracedCall, texts: list[str]) -> list[str]:
    """Print the arguments that the option takes."""
    option = call.unsigned_int(0)
    if option in _NO_ARGUMENT:
        return texts[:1]
    show = _OPTIONS.get(option)
    return [texts[0], *show(call)] if show else texts


def _thread_name(call: TracedCall) -> list[str]:
    address = call.argument(1)
    gets = call.argument(0) == _PR_GET_NAME
    if not address or (gets and call.failed):
        return [address_text(address)]
    try:
        name = call.string(address, _TASK_COMM_LEN)
    except UnreadableError:
        return [address_text(address)]
    return [shortened(name, _TASK_COMM_LEN - 1)]


def _death_signal(call: TracedCall) -> list[str]:
    return [signal_name(call.argument(1))]


def dumpable(value: int) -> str | None:
    """Return the name of a value of PR_SET_DUMPABLE."""
    return _DUMPABLE[value] if value < len(_DUMPABLE) else None


def _dumpable(call: TracedCall) -> list[str]:
    value = call.argument(1)
    return [dumpable(value) or f"{value:#x} /* SUID_DUMP_??? */"]


def _capability(call: TracedCall) -> list[str]:
    return [CAPABILITY(call.argument(1))]


def _ambient(call: TracedCall) -> list[str]:
    rest = [hexadecimal(unsigned_64(call.argument(index))) for index in (3, 4)]
    return [_AMBIENT(call.argument(1)), CAPABILITY(call.argument(2)), *rest]


def _tracer(call: TracedCall) -> list[str]:
    value = unsigned_64(call.argument(1))
    return ["PR_SET_PTRACER_ANY" if value == _PR_SET_PTRACER_ANY else str(value)]


def _memory_name(call: TracedCall) -> list[str]:
    what, start, length, name = (call.argument(index) for index in (1, 2, 3, 4))
    shown = f"{what:#x} /* PR_SET_VMA_??? */" if what else "PR_SET_VMA_ANON_NAME"
    return [shown, hexadecimal(start), str(length), _name_text(call, name)]


def _name_text(call: TracedCall, address: int) -> str:
    if not address:
        return "NULL"
    try:
        return shortened(call.string(address, _ANON_VMA_NAME_MAX_LEN), _ANON_VMA_NAME_MAX_LEN)
    except UnreadableError:
        return f"{address:#x}"


def _seccomp_mode(call: TracedCall) -> list[str]:
    mode = call.argument(1)
    shown = [filter_program(call, call.argument(2))] if mode == SECCOMP_MODE_FILTER else []
    return [SECCOMP_MODE(mode), *shown]


def _one_number(call: TracedCall) -> list[str]:
    return [str(unsigned_64(call.argument(1)))]


def _number_and_zeroes(call: TracedCall) -> list[str]:
    rest = [hexadecimal(unsigned_64(call.argument(index))) for index in (2, 3, 4)]
    return [str(unsigned_64(call.argument(1))), *rest]


_OPTIONS: dict[int, Callable[[TracedCall], list[str]]] = PRCTL_OPTION.by_number(
    {
        "PR_CAPBSET_READ PR_CAPBSET_DROP": _capability,
        "PR_CAP_AMBIENT": _ambient,
        "PR_SET_DUMPABLE": _dumpable,
        "PR_SET_KEEPCAPS PR_SET_TIMERSLACK PR_SET_CHILD_SUBREAPER": _one_number,
        "PR_SET_NAME PR_GET_NAME": _thread_name,
        "PR_SET_NO_NEW_PRIVS": _number_and_zeroes,
        "PR_SET_PDEATHSIG": _death_signal,
        "PR_SET_PTRACER": _tracer,
        "PR_SET_SECCOMP": _seccomp_mode,
        "PR_SET_VMA": _memory_name,
    }
)
