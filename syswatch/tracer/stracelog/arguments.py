"""The single arguments of a call in a log: which paths they name, and their long strings."""

import os
import re
from collections.abc import Iterator
from typing import Final

from syswatch.base.text import shortened, unescaped
from syswatch.model.catalog import ArgumentKind, lookup

from .grammar import DECORATION, STRING

_PARTS = re.compile(rb"%s|(?<=[0-9D])(?!<<)%s|[][(){},]" % (STRING, DECORATION))
_STRING = re.compile(rb"%s(?:\.\.\.)?" % STRING)
_DESCRIPTOR = re.compile(rb"(?:AT_FDCWD|-?\d+)<(.*?)>(?:\(deleted\))?$")
_ESCAPE_OR_BYTE = re.compile(rb"\\(?:[0-7]{1,3}|x[0-9a-f]{2}|.)|.", re.DOTALL)
_OPENING: Final = (b"[", b"(", b"{")
_CLOSING: Final = (b"]", b")", b"}")
_DESCRIPTORS = frozenset({ArgumentKind.FD, ArgumentKind.DIRFD})
# strace shows these as a whole, whatever the limit is.
_WHOLE = frozenset({ArgumentKind.PATH, ArgumentKind.PATH_OUT, ArgumentKind.SOCKADDR_IN})


def split(args: bytes) -> Iterator[bytes]:
    """Yield the arguments; joined with commas, they are what they were."""
    begin = depth = 0
    for part in _PARTS.finditer(args):
        token = part[0]
        if token in _OPENING:
            depth += 1
        elif token in _CLOSING:
            depth -= 1
        elif token == b"," and depth <= 0:
            yield args[begin : part.start()]
            begin = part.end()
    yield args[begin:]


def paths(name: str, args: bytes) -> Iterator[str]:
    """Yield every path that the arguments name, themselves or by the decoration of `-y`."""
    for kind, argument in zip(_kinds(name), split(args), strict=False):
        text = argument.strip()
        if kind is ArgumentKind.PATH and (match := _STRING.fullmatch(text)):
            yield _bare(match[0])
        elif kind in _DESCRIPTORS and (match := _DESCRIPTOR.match(text)):
            yield os.fsdecode(unescaped(match[1]))


def with_short_strings(name: str, args: bytes, limit: int) -> bytes:
    """Shorten strings as strace does when it is given this limit."""
    kinds = list(_kinds(name))
    short = []
    for index, argument in enumerate(split(args)):
        whole = index < len(kinds) and kinds[index] in _WHOLE
        short.append(argument if whole else _STRING.sub(lambda m: _cut(m[0], limit), argument))
    return b",".join(short)


def _kinds(name: str) -> Iterator[ArgumentKind]:
    description = lookup(name)
    for argument in description.arguments if description else ():
        # The upper half of a number has no place of its own.
        if argument.kind is not ArgumentKind.OFFSET_HIGH:
            yield argument.kind


def _bare(quoted: bytes) -> str:
    # With an ellipsis it is not the whole path.
    return "" if quoted.endswith(b"...") else os.fsdecode(unescaped(quoted[1:-1]))


def _cut(quoted: bytes, limit: int) -> bytes:
    end = quoted.rindex(b'"')
    inside = quoted[1:end]
    if len(inside) <= limit:
        return quoted
    if b"\\" not in inside:
        kept = shortened(inside, limit).removesuffix(b"...") if limit else b""
        return quoted if kept == inside else b'"' + kept + b'"...'
    kept = b""
    for count, match in enumerate(_ESCAPE_OR_BYTE.finditer(inside)):
        if count == limit:
            return b'"' + kept + b'"...'
        kept = inside[: match.end()]
    return quoted
