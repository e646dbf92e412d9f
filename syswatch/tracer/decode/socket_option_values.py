"""The values of socket options, which setsockopt takes and getsockopt returns."""

from syswatch.model.argument_names import SOCKET_LEVEL, SOCKET_OPTION, TCP_OPTION
from syswatch.model.catalog import ArgumentKind as Kind
from syswatch.model.errnos import NAMES

from .numbers import signed_32
from .strings import buffer_text
from .structures import UCRED, structure
from .traced_call import Printers, TracedCall, follow

_INT_BYTES = 4
_LINGER = structure("<ii", l_onoff=str, l_linger=str)
_SOL_SOCKET, _SOL_TCP = SOCKET_LEVEL["SOL_SOCKET"], SOCKET_LEVEL["SOL_TCP"]
_SO_ERROR = (_SOL_SOCKET, SOCKET_OPTION["SO_ERROR"])
_STRUCTURES = {
    (_SOL_SOCKET, SOCKET_OPTION["SO_LINGER"]): _LINGER,
    (_SOL_SOCKET, SOCKET_OPTION["SO_PEERCRED"]): UCRED,
}
# Their value is a string, or a structure that is not decoded.
_BYTES = frozenset(
    {
        *(
            (_SOL_SOCKET, number)
            for number in SOCKET_OPTION.numbers(
                """
                SO_RCVTIMEO_OLD SO_SNDTIMEO_OLD SO_BINDTODEVICE SO_ATTACH_FILTER SO_PEERSEC
                SO_PEERGROUPS
                """
            )
        ),
        *((_SOL_TCP, number) for number in TCP_OPTION.numbers("TCP_INFO TCP_CONGESTION TCP_ULP")),
    }
)


def _value(call: TracedCall, address: int, length: int) -> str:
    option = level, _ = call.unsigned_int(1), call.unsigned_int(2)
    structure = _STRUCTURES.get(option)
    if structure is not None and length >= structure.size:
        return structure.show(call, 3, address)
    if option == _SO_ERROR and length == _INT_BYTES:
        number = call.integer(address)
        return f"[{NAMES.get(number, number)}]"
    if level == _SOL_SOCKET and option not in _BYTES:
        return f"[{call.integer(address)}]" if length >= _INT_BYTES else f"{address:#x}"
    if option in _BYTES or length != _INT_BYTES:
        return buffer_text(call, address, length)
    return f"[{call.integer(address)}]"


def _given(call: TracedCall, index: int, address: int) -> str:
    return _value(call, address, signed_32(call.argument(index + 1)))


def _returned(call: TracedCall, index: int, address: int) -> str:
    if call.failed:
        return f"{address:#x}"
    length = call.integer(call.argument(index + 1))
    if not length:
        return f"{address:#x}"
    return _value(call, address, length)


PRINTERS = Printers(
    at_entry={Kind.SOCKOPT_IN: follow(_given)},
    at_exit={Kind.SOCKOPT_OUT: follow(_returned)},
)
