"""The arguments of prctl, which are what its option says."""

from collections.abc import Callable

from .capabilities import CAPABILITY
from .names_signals import signal_name
from .numbers import hexadecimal, unsigned_64
from .quoting import shortened
from .sandboxing import MODE_FILTER, SECCOMP_MODE, filter_program
from .symbols import enumeration
from .traced_call import TracedCall, UnreadableError, address_text

_THREAD_NAME_BYTES = 16
# Options that ask, and are given nothing.
_NO_ARGUMENT = frozenset({3, 7, 13, 21, 27, 30})
_ANYBODY = (1 << 64) - 1
_MEMORY_NAME_BYTES = 80
_AMBIENT = enumeration(
    "PR_CAP_AMBIENT_???",
    """
    PR_CAP_AMBIENT_IS_SET=1 PR_CAP_AMBIENT_RAISE PR_CAP_AMBIENT_LOWER PR_CAP_AMBIENT_CLEAR_ALL
    """,
)
_DUMPABLE = ("SUID_DUMP_DISABLE", "SUID_DUMP_USER", "SUID_DUMP_ROOT")


def prctl_arguments(call: TracedCall, texts: list[str]) -> list[str]:
    """Return the option, and what is said of the other arguments."""
    option = call.argument(0) & 0xFFFFFFFF
    if option in _NO_ARGUMENT:
        return texts[:1]
    show = _OPTIONS.get(option)
    return [texts[0], *show(call)] if show else texts


def _thread_name(call: TracedCall) -> list[str]:
    address = call.argument(1)
    asks = call.argument(0) == _PR_GET_NAME
    if not address or (asks and call.failed):
        return [address_text(address)]
    try:
        name = call.string(address, _THREAD_NAME_BYTES)
    except UnreadableError:
        return [address_text(address)]
    return [shortened(name, _THREAD_NAME_BYTES - 1)]


def _death_signal(call: TracedCall) -> list[str]:
    return [signal_name(call.argument(1))]


def dumpable(value: int) -> str | None:
    """Return who may look at a core dump."""
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
    return ["PR_SET_PTRACER_ANY" if value == _ANYBODY else str(value)]


def _memory_name(call: TracedCall) -> list[str]:
    what, start, length, name = (call.argument(index) for index in (1, 2, 3, 4))
    shown = f"{what:#x} /* PR_SET_VMA_??? */" if what else "PR_SET_VMA_ANON_NAME"
    return [shown, hexadecimal(start), str(length), _name_text(call, name)]


def _name_text(call: TracedCall, address: int) -> str:
    if not address:
        return "NULL"
    try:
        return shortened(call.string(address, _MEMORY_NAME_BYTES), _MEMORY_NAME_BYTES)
    except UnreadableError:
        return f"{address:#x}"


def _filter_mode(call: TracedCall) -> list[str]:
    mode = call.argument(1)
    shown = [filter_program(call, call.argument(2))] if mode == MODE_FILTER else []
    return [SECCOMP_MODE(mode), *shown]


def _one_number(call: TracedCall) -> list[str]:
    return [str(unsigned_64(call.argument(1)))]


def _number_and_zeroes(call: TracedCall) -> list[str]:
    rest = [hexadecimal(unsigned_64(call.argument(index))) for index in (2, 3, 4)]
    return [str(unsigned_64(call.argument(1))), *rest]


_PR_GET_NAME = 16
_OPTIONS: dict[int, Callable[[TracedCall], list[str]]] = {
    1: _death_signal,
    4: _dumpable,
    8: _one_number,
    22: _filter_mode,
    23: _capability,
    24: _capability,
    47: _ambient,
    0x53564D41: _memory_name,
    0x59616D61: _tracer,
    15: _thread_name,
    16: _thread_name,
    29: _one_number,
    36: _one_number,
    38: _number_and_zeroes,
}
