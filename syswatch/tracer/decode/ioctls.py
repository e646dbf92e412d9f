"""The third argument of ioctl, for the requests that programs commonly make."""

import struct

from .interfaces import REQUESTS, interface_request
from .numbers import hexadecimal, signed_64, unsigned_64
from .terminals import terminal_settings
from .traced_call import TracedCall, UnreadableError, address_text

_WINDOW = struct.Struct("<4H")
_NO_ARGUMENT = frozenset({0x540C, 0x540D, 0x5422, 0x5427, 0x5428, 0x5450, 0x5451})
_READS_NUMBER = frozenset(
    {0x540F, 0x5411, 0x541B, 0x5424, 0x5429, 0x8903, 0x8904, 0x8905, 0x8925, 0x894B, 0x80045430}
)
_GIVES_NUMBER = frozenset({0x8901, 0x8902, 0x8926, 0x5410, 0x5421, 0x5452, 0x40045431})
_PLAIN_NUMBER = frozenset({0x540E, 0x40049409})
_GET_WINDOW = 0x5413
_SET_WINDOW = 0x5414
_GET_TERMINAL = 0x5401
_SETS_TERMINAL = frozenset({0x5402, 0x5403, 0x5404})
_STRUCTURES = _SETS_TERMINAL | {_GET_TERMINAL, _GET_WINDOW, _SET_WINDOW} | REQUESTS


def ioctl_argument(call: TracedCall) -> list[str]:
    """Return the argument as text, or nothing where the request has none."""
    request = call.argument(1) & 0xFFFFFFFF
    value = call.argument(2)
    if request in _NO_ARGUMENT:
        return []
    if request in _PLAIN_NUMBER:
        return [str(signed_64(value))]
    try:
        return [_structure(call, request, value)]
    except UnreadableError:
        return [address_text(unsigned_64(value))]


def _structure(call: TracedCall, request: int, address: int) -> str:
    known = request in _READS_NUMBER or request in _GIVES_NUMBER
    if not address and (known or request in _STRUCTURES):
        return "NULL"
    if request in REQUESTS:
        return interface_request(call, request, address)
    if request in _SETS_TERMINAL or (request == _GET_TERMINAL and not call.failed):
        return terminal_settings(call, address)
    if request in _GIVES_NUMBER or (request in _READS_NUMBER and not call.failed):
        return f"[{call.integer(address)}]"
    if request == _SET_WINDOW or (request == _GET_WINDOW and not call.failed):
        rows, columns, width, height = call.unpack(_WINDOW, address)
        return f"{{ws_row={rows}, ws_col={columns}, ws_xpixel={width}, ws_ypixel={height}}}"
    return hexadecimal(unsigned_64(address))
