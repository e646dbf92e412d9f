r"""
Escaping of untrusted text: `escape_text` is the one function that does it.

The name of a process or a file, a recording or another server may hold characters that move a
terminal's cursor, ring its bell, reverse the order of letters or are invisible, and bytes that
are not text.  `escape_text` is called where such text enters the program, and for messages on
stderr.  Its result is printable, has one line, and can be encoded.

- `\xNN` is a byte that is not part of a UTF-8 character, or an ASCII control character.
- `\uNNNN` and `\UNNNNNNNN` are characters; `\n`, `\r` and `\t` are the usual ones.
- A backslash stays unchanged.  So escaped text is not escaped again, and a name with a literal
  `\x1b` looks like one with an escape character.
"""

import re

# Printable for Python, but invisible: two names could look the same.
_UNSEEN = re.compile(
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u3164\ufe00-\ufe0f\uffa0\U000e0100-\U000e01ef]"
)
_NAMED = {"\n": "\\n", "\r": "\\r", "\t": "\\t"}
_LAST_ASCII = 0x7F
_LAST_SHORT = 0xFFFF
# The code points of the bytes 0x80 to 0xff with "surrogateescape".
_BYTES = range(0xDC80, 0xDD00)
_BYTE_BASE = 0xDC00
_ESCAPE = re.compile(rb"\\(?:([0-7]{1,3})|x([0-9a-f]{2})|(.))", re.DOTALL)
_LETTERS = {b"n": b"\n", b"t": b"\t", b"r": b"\r", b"v": b"\v", b"f": b"\f"}


def escape_text(text: str | bytes) -> str:
    """Return a text with invisible and control characters escaped; bytes are taken as UTF-8."""
    if isinstance(text, bytes):
        text = text.decode("utf-8", "surrogateescape")
    if text.isprintable() and (text.isascii() or not _UNSEEN.search(text)):
        return text
    return "".join(map(_escaped, text))


def _escaped(character: str) -> str:
    if character.isprintable() and not _UNSEEN.match(character):
        return character
    code = ord(character)
    if code in _BYTES:
        return f"\\x{code - _BYTE_BASE:02x}"
    if code <= _LAST_ASCII:
        return _NAMED.get(character, f"\\x{code:02x}")
    return f"\\u{code:04x}" if code <= _LAST_SHORT else f"\\U{code:08x}"


def shortened(raw: bytes, most: int) -> bytes:
    """Cut a text between two characters, and append an ellipsis."""
    if len(raw) <= most:
        return raw
    while most and raw[most] & 0xC0 == 0x80:  # noqa: PLR2004  the inside of a character
        most -= 1
    return raw[:most] + b"..."


def unquoted(raw: bytes) -> str:
    """Undo the escapes of a C string, except where the result would not be safe to show."""
    return escape_text(unescaped(raw))


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
