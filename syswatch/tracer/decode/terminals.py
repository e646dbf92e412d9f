"""The settings of a terminal, which nearly every interactive program reads."""

import struct

from .symbols import flags, table
from .traced_call import TracedCall

_SETTINGS = struct.Struct("<4I")
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
_SPEEDS = tuple(
    table(
        """
        B0 B50 B75 B110 B134 B150 B200 B300 B600 B1200 B1800 B2400 B4800 B9600 B19200 B38400
        BOTHER B57600 B115200 B230400 B460800 B500000 B576000 B921600 B1000000 B1152000 B1500000
        B2000000 B2500000 B3000000 B3500000 B4000000
        """
    )
)
_HIGH_SPEED = 0x1000
_INPUT_SHIFT = 16
_DELAYS = ((0x100, 8, "NL"), (0x600, 9, "CR"), (0x1800, 11, "TAB"))
_MORE_DELAYS = ((0x2000, 13, "BS"), (0x4000, 14, "VT"), (0x8000, 15, "FF"))


def terminal_settings(call: TracedCall, address: int) -> str:
    """Return what a terminal does to what is typed and shown."""
    came_in, goes_out, control, local = call.unpack(_SETTINGS, address)
    return (
        f"{{c_iflag={_INPUT.bare(came_in)}, c_oflag={_output(goes_out)}, "
        f"c_cflag={_control(control)}, c_lflag={_LOCAL.bare(local)}, ...}}"
    )


def _output(value: int) -> str:
    delays = []
    for mask, shift, name in (*_DELAYS, *_MORE_DELAYS):
        delay = f"{name}{(value & mask) >> shift}"
        delays.append("XTABS" if delay == "TAB3" else delay)
        value &= ~mask
    return f"{'|'.join(delays)}|{_OUTPUT.bare(value)}"


def _control(value: int) -> str:
    parts = [_speed(value)]
    if value >> _INPUT_SHIFT & (_HIGH_SPEED | 0xF):
        parts.append(f"{_speed(value >> _INPUT_SHIFT)}<<IBSHIFT")
    parts.append(f"CS{5 + (value >> 4 & 3)}")
    bits = _HIGH_SPEED | 0xF
    rest = value & ~(bits | bits << _INPUT_SHIFT | 0x30)
    return f"{'|'.join(parts)}|{_CONTROL.bare(rest)}"


def _speed(value: int) -> str:
    return _SPEEDS[(value & 0xF) + (16 if value & _HIGH_SPEED else 0)]
