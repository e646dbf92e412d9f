"""ioctl: the request, and the third argument of common requests."""

from syswatch.model.catalog import ArgumentKind as Kind
from syswatch.model.ioctl_requests import IOCTL_REQUEST

from .interfaces import INTERFACE_REQUESTS, interface_request
from .numbers import hexadecimal, signed_64, unsigned_64
from .structures import structure
from .terminals import terminal_settings
from .traced_call import Printers, TracedCall, UnreadableError, address_text

_WINSIZE = structure("<4H", ws_row=str, ws_col=str, ws_xpixel=str, ws_ypixel=str)
_NO_ARGUMENT = IOCTL_REQUEST.numbers(
    "TIOCEXCL TIOCNXCL TIOCNOTTY TIOCSBRK TIOCCBRK FIONCLEX FIOCLEX"
)
_INT_BY_VALUE = IOCTL_REQUEST.numbers("TIOCSCTTY FICLONE")
_INT_IN = IOCTL_REQUEST.numbers(
    "TIOCSPGRP FIONBIO FIOASYNC FIOSETOWN SIOCSPGRP SIOCSIFENCAP TIOCSPTLCK"
)
_INT_OUT = IOCTL_REQUEST.numbers(
    """
    TIOCGPGRP TIOCOUTQ FIONREAD TIOCGETD TIOCGSID FIOGETOWN SIOCGPGRP SIOCATMARK SIOCGIFENCAP
    SIOCOUTQNSD TIOCGPTN
    """
)
_TERMIOS_IN = IOCTL_REQUEST.numbers("TCSETS TCSETSW TCSETSF")
_TCGETS = IOCTL_REQUEST["TCGETS"]
_TIOCSWINSZ, _TIOCGWINSZ = IOCTL_REQUEST["TIOCSWINSZ"], IOCTL_REQUEST["TIOCGWINSZ"]
_POINTERS = (
    _INT_IN | _INT_OUT | _TERMIOS_IN | {_TCGETS, _TIOCGWINSZ, _TIOCSWINSZ} | INTERFACE_REQUESTS
)
_IOC_DIRECTIONS = ("_IOC_NONE", "_IOC_WRITE", "_IOC_READ", "_IOC_READ|_IOC_WRITE")
_IOC_TYPESHIFT, _IOC_SIZESHIFT, _IOC_DIRSHIFT = 8, 16, 30
_IOC_NRMASK, _IOC_TYPEMASK, _IOC_SIZEMASK = 0xFF, 0xFF, 0x3FFF


def _request(call: TracedCall, index: int) -> str:
    value = call.unsigned_int(index)
    name = IOCTL_REQUEST.name(value)
    if name is not None:
        return name
    fields = (
        value >> _IOC_TYPESHIFT & _IOC_TYPEMASK,
        value & _IOC_NRMASK,
        value >> _IOC_SIZESHIFT & _IOC_SIZEMASK,
    )
    return f"_IOC({_IOC_DIRECTIONS[value >> _IOC_DIRSHIFT]}, {', '.join(map(hexadecimal, fields))})"


def ioctl_argument(call: TracedCall) -> list[str]:
    """Return the third argument, or nothing if the request takes none."""
    request = call.unsigned_int(1)
    value = call.argument(2)
    if request in _NO_ARGUMENT:
        return []
    if request in _INT_BY_VALUE:
        return [str(signed_64(value))]
    try:
        return [_pointee(call, request, value)]
    except UnreadableError:
        return [address_text(unsigned_64(value))]


def _pointee(call: TracedCall, request: int, address: int) -> str:
    if not address and request in _POINTERS:
        return "NULL"
    if request in INTERFACE_REQUESTS:
        return interface_request(call, request, address)
    if request in _TERMIOS_IN or (request == _TCGETS and not call.failed):
        return terminal_settings(call, address)
    if request in _INT_IN or (request in _INT_OUT and not call.failed):
        return f"[{call.integer(address)}]"
    if request == _TIOCSWINSZ or (request == _TIOCGWINSZ and not call.failed):
        return _WINSIZE.show(call, 2, address)
    return hexadecimal(unsigned_64(address))


PRINTERS = Printers(
    registers={Kind.IOCTL_REQUEST: _request},
)
