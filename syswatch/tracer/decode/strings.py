"""Paths, strings and buffers."""

from collections.abc import Callable
from itertools import islice

from syswatch.base.redaction import MASK
from syswatch.model.catalog import ArgumentKind as Kind

from .numbers import unsigned_64
from .quoting import escaped, quoted, quoted_hex, shortened
from .traced_call import (
    PointerPrinter,
    Printers,
    TracedCall,
    UnreadableError,
    address_text,
    follow,
    follow_on_success,
)

# How far beyond the limit of a string secrets are searched for that begin before it.
LOOK_AHEAD = 1024
_PATH_MAX = 4096
_MOST_ENVIRONMENT_VARIABLES = 8192
_XATTR_LISTS = frozenset({"listxattr", "llistxattr", "flistxattr"})
_BINARY = frozenset({"getrandom"})


def path_text(call: TracedCall, address: int) -> str:
    """Return a path, which is never cut at the string limit."""
    return shortened(call.string(address, _PATH_MAX), _PATH_MAX - 1)


def string_text(call: TracedCall, address: int) -> str:
    """Return a string, cut at the string limit."""
    limit = call.settings.string_limit
    text = call.string(address, limit + 1)
    if len(text) <= limit:
        return quoted(text)
    return _beginning(call, text[:limit], address, limit + LOOK_AHEAD)


def buffer_text(call: TracedCall, address: int, length: int) -> str:
    """Return so many bytes as a string, cut at the string limit."""
    limit = call.settings.string_limit
    if length <= 0:
        return '""'
    data = call.read(address, min(length, limit))
    if call.name in _BINARY:
        return quoted_hex(data, more=length > limit)
    if length <= limit:
        return quoted(data)
    return _beginning(call, data, address, min(length, limit + LOOK_AHEAD))


def _beginning(call: TracedCall, shown: bytes, address: int, length: int) -> str:
    """Return a text that is cut; a secret may begin before the cut and end after it."""
    redact = call.settings.redact
    if redact:
        text = escaped(call.memory.read(address, length))
        at = redact.masked_from(text, len(escaped(shown)))
        if at is not None:
            return f'"{text[:at]}{MASK}"...'
    return quoted(shown, more=True)


def _ends_with_nul(call: TracedCall, address: int, length: int) -> bool:
    """Return whether this is the value of an extended attribute that ends with a NUL."""
    if not call.name.endswith("xattr") or call.name in _XATTR_LISTS or not 0 < length < _PATH_MAX:
        return False
    return call.read(address + length - 1, 1) == bytes(1)


def _buffer_in(call: TracedCall, index: int, address: int) -> str:
    length = unsigned_64(call.argument(index + 1))
    return buffer_text(call, address, length - _ends_with_nul(call, address, length))


def _buffer_out(call: TracedCall, index: int, address: int) -> str:
    # With a size of zero, the call returns the size that is needed and writes nothing.
    if (call.ret or call.name in _XATTR_LISTS) and not call.argument(index + 1):
        return address_text(address)
    return buffer_text(call, address, call.ret - _ends_with_nul(call, address, call.ret))


def _path_out(call: TracedCall, _index: int, address: int) -> str:
    # The result includes the NUL.
    limit = call.ret - 1 if call.ret > 0 else _PATH_MAX - 1
    return shortened(call.string(address, limit + 1), limit)


def _argv(call: TracedCall, _index: int, address: int) -> str:
    texts: list[str] = []
    limit = call.settings.string_limit
    for pointer in call.pointers(address):
        if len(texts) >= limit:
            texts.append("...")
            break
        texts.append(_element(call, pointer))
    return f"[{', '.join(texts)}]"


def _element(call: TracedCall, pointer: int) -> str:
    try:
        return string_text(call, pointer)
    except UnreadableError:
        return f"{pointer:#x}"


def _environment(call: TracedCall, _index: int, address: int) -> str:
    count = call.memory.counted(address)
    if count is None:
        count = sum(1 for _ in islice(call.pointers(address), _MOST_ENVIRONMENT_VARIABLES))
    return f"{address:#x} /* {count} var{'' if count == 1 else 's'} */"


def _text(show: Callable[[TracedCall, int], str]) -> PointerPrinter:
    return lambda call, _index, address: show(call, address)


PRINTERS = Printers(
    at_entry={
        Kind.PATH: follow(_text(path_text)),
        Kind.STRING: follow(_text(string_text)),
        Kind.BUFFER_IN: follow(_buffer_in),
        Kind.ARGV: follow(_argv),
        Kind.ENVP: follow(_environment),
    },
    at_exit={
        Kind.PATH_OUT: follow_on_success(_path_out),
        Kind.BUFFER_OUT: follow_on_success(_buffer_out),
    },
)
