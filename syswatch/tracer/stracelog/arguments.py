"""The arguments of a call in a log: the paths that they name, and their strings."""

import os
import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Final

from syswatch.base.text import shortened, unescaped, unquoted
from syswatch.model.catalog import ArgumentKind, arguments_of
from syswatch.model.delta import PATH_BYTES

from .grammar import DECORATION, STRING

_PARTS = re.compile(rb"%s|(?<=[0-9D])(?!<<)%s|[][(){},]" % (STRING, DECORATION))
_STRING = re.compile(rb"%s(?:\.\.\.)?" % STRING)
_DESCRIPTOR = re.compile(rb"(?:AT_FDCWD|-?\d+)<(.*?)>(?:\(deleted\))?$")
_ESCAPE_OR_BYTE = re.compile(rb"\\(?:[0-7]{1,3}|x[0-9a-f]{2}|.)|.", re.DOTALL)
_OPENING: Final = (b"[", b"(", b"{")
_CLOSING: Final = (b"]", b")", b"}")
_DESCRIPTORS = frozenset({ArgumentKind.FD, ArgumentKind.DIRFD})
# strace never cuts these.
_NEVER_CUT = frozenset({ArgumentKind.PATH, ArgumentKind.PATH_OUT, ArgumentKind.SOCKADDR_IN})
# A byte takes at most four characters; the rest of a longer path would be cut anyway.
_LONGEST_QUOTED = 4 * PATH_BYTES + 8


def split(args: bytes) -> Iterator[bytes]:
    """Yield the arguments; joined with commas they give the text again."""
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
    """Yield every path in the arguments, as a string or in a decoration of `-y`."""
    for kind, argument in zip(_kinds(name), split(args), strict=False):
        text = argument.strip()
        if kind is ArgumentKind.PATH and (match := _STRING.fullmatch(text)):
            yield _bare(match[0])
        elif kind in _DESCRIPTORS and (match := _DESCRIPTOR.match(text)):
            yield os.fsdecode(unescaped(match[1]))


def with_short_strings(name: str, args: bytes, limit: int) -> bytes:
    """Cut strings as strace does with this limit."""
    kinds = list(_kinds(name))
    short = []
    for index, argument in enumerate(split(args)):
        whole = index < len(kinds) and kinds[index] in _NEVER_CUT
        short.append(argument if whole else _STRING.sub(lambda m: _cut(m[0], limit), argument))
    return b",".join(short)


def _kinds(name: str) -> Iterator[ArgumentKind]:
    for argument in arguments_of(name) or ():
        # strace does not print the upper half of an offset.
        if argument.kind is not ArgumentKind.OFFSET_HIGH:
            yield argument.kind


def _bare(quoted: bytes) -> str:
    # A string with an ellipsis is not the whole path.
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


def string_text(quoted: bytes) -> str:
    """Return a string without quotes; an ellipsis shows that strace has cut it."""
    text, _, ellipsis = quoted.rpartition(b'"')
    return unquoted(text[1:]) + ellipsis.decode()


def path_text(quoted: bytes) -> str:
    """Return a path without quotes; an ellipsis shows that strace has cut it."""
    if len(quoted) > _LONGEST_QUOTED:
        return unquoted(quoted[1:_LONGEST_QUOTED])
    return _path_text(quoted)


# Few paths occur in many calls.
_path_text = lru_cache(maxsize=4096)(string_text)
