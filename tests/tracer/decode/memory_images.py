"""Memory contents for the test cases."""

import struct

from .injected_calls import ARENA

A = ARENA
B = ARENA + 0x100
C = ARENA + 0x200
NOWHERE = 0x20000000
NONE = (1 << 64) - 1


def qwords(*values: int) -> bytes:
    """Return 64-bit numbers as they are stored in memory."""
    return struct.pack(f"<{len(values)}Q", *(value & NONE for value in values))


def laid_out(parts: dict[int, bytes]) -> bytes:
    """Return memory in which each part begins at its offset."""
    image = bytearray(0x800)
    for offset, part in parts.items():
        image[offset : offset + len(part)] = part
    return bytes(image)


INET = struct.pack("<H", 2) + struct.pack(">H", 80) + b"\x7f\0\0\1" + bytes(8)
INET6 = struct.pack("<H", 10) + struct.pack(">HI", 80, 5) + bytes(15) + b"\1" + struct.pack("<I", 1)
UNIX = struct.pack("<H", 1) + b"/tmp/sock\0"
ABSTRACT = struct.pack("<H", 1) + b"\0abc"
NETLINK = struct.pack("<HHII", 16, 0, 7, 0x11)
OTHER = struct.pack("<H", 21) + b"abcdefgh"
