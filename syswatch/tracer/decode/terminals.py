"""Settings of a terminal (`struct termios`)."""

import struct

from syswatch.model.symbols import flags, table

from .traced_call import TracedCall

_TERMIOS = struct.Struct("<4I")
_INPUT = flags(
    "",
    """
    IGNBRK=1 BRKINT=2 IGNPAR=4 PARMRK=8 INPCK=0x10 ISTRIP=0x20 INLCR=0x40 IGNCR=0x80 ICRNL=0x100
    IUCLC=0x200 IXON=0x400 IXANY=0x800 IXOFF=0x1000 IMAXBEL=0x2000 IUTF8=0x4000
    """,
)
_OUTPUT = flags("", "OPOST=1 OLCUC=2 ONLCR=4 OCRNL=8 ONOCR=0x10 ONLRET=0x20 OFILL=0x40 OFDEL=0x80")
_CONTROL = flags(
    "",
    """
    CSTOPB=0x40 CREAD=0x80 PARENB=0x100 PARODD=0x200 HUPCL=0x400 CLOCAL=0x800 CMSPAR=0x40000000
    CRTSCTS=0x80000000
    """,
)
_LOCAL = flags(
    "",
    """
    ISIG=1 ICANON=2 XCASE=4 ECHO=8 ECHOE=0x10 ECHOK=0x20 ECHONL=0x40 NOFLSH=0x80 IEXTEN=0x8000
    ECHOCTL=0x200 ECHOPRT=0x400 ECHOKE=0x800 FLUSHO=0x1000 PENDIN=0x4000 TOSTOP=0x100
    EXTPROC=0x10000
    """,
)
# The speeds from B57600 on have the bit CBAUDEX.
_EXTENDED = 16
_SPEEDS = tuple(
    table(
        """
        B0 B50 B75 B110 B134 B150 B200 B300 B600 B1200 B1800 B2400 B4800 B9600 B19200 B38400
        BOTHER B57600 B115200 B230400 B460800 B500000 B576000 B921600 B1000000 B1152000 B1500000
        B2000000 B2500000 B3000000 B3500000 B4000000
        """
    )
)
# Fields of c_cflag: the speeds of output and of input, and the size of a character.
_CBAUD, _CBAUDEX, _IBSHIFT = 0x100F, 0x1000, 16
_CSIZE, _CSIZE_SHIFT, _LEAST_BITS = 0x30, 4, 5
# Fields of c_oflag: the mask and the shift of each kind of delay.
_DELAYS = {
    "NL": (0x100, 8),
    "CR": (0x600, 9),
    "TAB": (0x1800, 11),
    "BS": (0x2000, 13),
    "VT": (0x4000, 14),
    "FF": (0x8000, 15),
}


def terminal_settings(call: TracedCall, address: int) -> str:
    """Return the flags of the modes of input, output, control and local processing."""
    iflag, oflag, cflag, lflag = call.unpack(_TERMIOS, address)
    return (
        f"{{c_iflag={_INPUT.bare(iflag)}, c_oflag={_output(oflag)}, "
        f"c_cflag={_control(cflag)}, c_lflag={_LOCAL.bare(lflag)}, ...}}"
    )


def _output(value: int) -> str:
    delays = []
    for name, (mask, shift) in _DELAYS.items():
        delay = f"{name}{(value & mask) >> shift}"
        delays.append("XTABS" if delay == "TAB3" else delay)
        value &= ~mask
    return f"{'|'.join(delays)}|{_OUTPUT.bare(value)}"


def _control(value: int) -> str:
    parts = [_speed(value)]
    if value >> _IBSHIFT & _CBAUD:
        parts.append(f"{_speed(value >> _IBSHIFT)}<<IBSHIFT")
    parts.append(f"CS{_LEAST_BITS + ((value & _CSIZE) >> _CSIZE_SHIFT)}")
    rest = value & ~(_CBAUD | _CBAUD << _IBSHIFT | _CSIZE)
    return f"{'|'.join(parts)}|{_CONTROL.bare(rest)}"


def _speed(value: int) -> str:
    low = value & _CBAUD & ~_CBAUDEX
    return _SPEEDS[low + (_EXTENDED if value & _CBAUDEX else 0)]
