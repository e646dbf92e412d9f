"""The arguments of prctl, which are what its option says."""

from collections.abc import Callable

from .call import Call, UnreadableError, address_text
from .numbers import hexadecimal, unsigned_64
from .quoting import shortened
from .words_signals import signal_name

_THREAD_NAME_BYTES = 16
# Options that ask, and are given nothing.
_NO_ARGUMENT = frozenset({3, 7, 13, 21, 27, 30})
_DUMPABLE = ("SUID_DUMP_DISABLE", "SUID_DUMP_USER", "SUID_DUMP_ROOT")


def prctl_arguments(call: Call, texts: list[str]) -> list[str]:
    """Return the option, and what is said of the other arguments."""
    option = call.argument(0) & 0xFFFFFFFF
    if option in _NO_ARGUMENT:
        return texts[:1]
    show = _OPTIONS.get(option)
    return [texts[0], *show(call)] if show else texts


def _thread_name(call: Call) -> list[str]:
    address = call.argument(1)
    asks = call.argument(0) == _PR_GET_NAME
    if not address or (asks and call.failed):
        return [address_text(address)]
    try:
        name = call.string(address, _THREAD_NAME_BYTES)
    except UnreadableError:
        return [address_text(address)]
    return [shortened(name, _THREAD_NAME_BYTES - 1)]


def _death_signal(call: Call) -> list[str]:
    return [signal_name(call.argument(1))]


def _dumpable(call: Call) -> list[str]:
    value = call.argument(1)
    return [_DUMPABLE[value] if value < len(_DUMPABLE) else f"{value:#x} /* SUID_DUMP_??? */"]


def _one_number(call: Call) -> list[str]:
    return [str(unsigned_64(call.argument(1)))]


def _number_and_zeroes(call: Call) -> list[str]:
    rest = [hexadecimal(unsigned_64(call.argument(index))) for index in (2, 3, 4)]
    return [str(unsigned_64(call.argument(1))), *rest]


_PR_GET_NAME = 16
_OPTIONS: dict[int, Callable[[Call], list[str]]] = {
    1: _death_signal,
    4: _dumpable,
    8: _one_number,
    15: _thread_name,
    16: _thread_name,
    29: _one_number,
    36: _one_number,
    38: _number_and_zeroes,
}
