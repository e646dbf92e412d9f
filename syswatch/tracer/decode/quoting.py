"""Strings in C syntax, quoted as strace quotes them."""

import re

_PLAIN = re.compile(rb"[ !#-\[\]-~]*\Z")
# An escape has three octal digits only if another octal digit follows it.
_SPECIAL = re.compile(rb"([^ !#-\[\]-~])(?=([0-7])?)")
_LETTERS = {b"\n": b"\\n", b"\t": b"\\t", b"\r": b"\\r", b"\v": b"\\v", b"\f": b"\\f"}
_LETTERS |= {b'"': b'\\"', b"\\": b"\\\\"}
_ANGLES = re.compile("[<>]")


def quoted(data: bytes, *, more: bool = False) -> str:
    """Return a C string, with an ellipsis if there is more of it."""
    return f'"{escaped(data)}"...' if more else f'"{escaped(data)}"'


def escaped(data: bytes) -> str:
    """Return the content of a C string, without the quotes."""
    return (data if _PLAIN.match(data) else _SPECIAL.sub(_escape, data)).decode("ascii")


def quoted_hex(data: bytes, *, more: bool = False) -> str:
    """Return a C string in which each byte is a hexadecimal escape."""
    text = "".join(f"\\x{byte:02x}" for byte in data)
    return f'"{text}"...' if more else f'"{text}"'


def shortened(data: bytes, limit: int) -> str:
    """Return a C string that is cut after so many bytes."""
    return quoted(data[:limit], more=len(data) > limit)


def in_angles(data: bytes) -> str:
    """Return the target of a descriptor as `-y` prints it."""
    return "<" + _ANGLES.sub(lambda match: f"\\{ord(match[0]):o}", escaped(data)) + ">"


def _escape(match: re.Match[bytes]) -> bytes:
    character, digit = match.groups()
    if character in _LETTERS:
        return _LETTERS[character]
    return b"\\%03o" % ord(character) if digit else b"\\%o" % ord(character)
