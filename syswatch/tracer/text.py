"""Bytes of unknown origin as text that is safe to show."""

import re

_ESCAPE = re.compile(rb"\\(?:([0-7]{1,3})|x([0-9a-f]{2})|(.))", re.DOTALL)
_LETTERS = {b"n": b"\n", b"t": b"\t", b"r": b"\r", b"v": b"\v", b"f": b"\f"}


def printable(raw: bytes) -> str:
    """Decode UTF-8; what is no character, or moves a terminal's cursor, is escaped."""
    text = raw.decode("utf-8", "backslashreplace")
    return text if text.isprintable() else "".join(map(_escaped, text))


def shortened(raw: bytes, most: int) -> bytes:
    """Cut between two characters, and say with an ellipsis that something is missing."""
    if len(raw) <= most:
        return raw
    while most and raw[most] & 0xC0 == 0x80:  # noqa: PLR2004  the inside of a character
        most -= 1
    return raw[:most] + b"..."


def _escaped(character: str) -> str:
    return character if character.isprintable() else character.encode("unicode_escape").decode()


def unquoted(raw: bytes) -> str:
    """Undo the escapes of a C string, as far as the result is safe to show."""
    return printable(unescaped(raw))


def unescaped(raw: bytes) -> bytes:
    """Undo the escapes of a C string."""
    return _ESCAPE.sub(_unescaped, raw) if b"\\" in raw else raw


def _unescaped(match: re.Match[bytes]) -> bytes:
    octal, hexadecimal, letter = match.groups()
    if octal:
        return bytes([int(octal, 8) & 0xFF])
    if hexadecimal:
        return bytes([int(hexadecimal, 16)])
    return _LETTERS.get(letter, letter)
