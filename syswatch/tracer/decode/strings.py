"""Paths, strings and buffers."""

from collections.abc import Callable

from syswatch.base.redaction import MASK
from syswatch.model.catalog import ArgumentKind as Kind

from .numbers import unsigned_64
from .quoting import escaped, quoted, quoted_hex, shortened
from .traced_call import (
    PointerPrinter,
    Printer,
    TracedCall,
    UnreadableError,
    address_text,
    follow,
    follow_on_success,
)

# How far behind the cut what is to be masked is looked for.
LOOK_AHEAD = 1024
_LONGEST_PATH = 4095
# A list of arguments is cut at the string limit; an environment is counted up to this.
_COUNTED = 8192
_LISTS = frozenset({"listxattr", "llistxattr", "flistxattr"})
_NEVER_TEXT = frozenset({"getrandom"})


def path_text(call: TracedCall, address: int) -> str:
    """Return a path as a whole."""
    return shortened(call.string(address, _LONGEST_PATH + 1), _LONGEST_PATH)


def string_text(call: TracedCall, address: int) -> str:
    """Return a string up to the limit."""
    limit = call.settings.string_limit
    text = call.string(address, limit + 1)
    if len(text) <= limit:
        return quoted(text)
    return _beginning(call, text[:limit], address, limit + LOOK_AHEAD)


def buffer_text(call: TracedCall, address: int, length: int) -> str:
    """Return so many bytes, up to the limit."""
    limit = call.settings.string_limit
    if length <= 0:
        return '""'
    data = call.read(address, min(length, limit))
    if call.name in _NEVER_TEXT:
        return quoted_hex(data, more=length > limit)
    if length <= limit:
        return quoted(data)
    return _beginning(call, data, address, min(length, limit + LOOK_AHEAD))


def _beginning(call: TracedCall, shown: bytes, address: int, length: int) -> str:
    """Return the beginning of a longer text; what is to be masked may reach over the cut."""
    redact = call.settings.redact
    if redact:
        text = escaped(call.memory.read(address, length))
        at = redact.masked_from(text, len(escaped(shown)))
        if at is not None:
            return f'"{text[:at]}{MASK}"...'
    return quoted(shown, more=True)


def _ended(call: TracedCall, address: int, length: int) -> bool:
    """Return whether this is the value of an attribute that is text, with the NUL at its end."""
    if not call.name.endswith("xattr") or call.name in _LISTS or not 0 < length <= _LONGEST_PATH:
        return False
    return call.read(address + length - 1, 1) == bytes(1)


def _buffer_in(call: TracedCall, index: int, address: int) -> str:
    length = unsigned_64(call.argument(index + 1))
    return buffer_text(call, address, length - _ended(call, address, length))


def _buffer_out(call: TracedCall, index: int, address: int) -> str:
    # A length of zero asks how long the answer would be; of a list, strace knows that always.
    if (call.ret or call.name in _LISTS) and not call.argument(index + 1):
        return address_text(address)
    return buffer_text(call, address, call.ret - _ended(call, address, call.ret))


def _path_out(call: TracedCall, _index: int, address: int) -> str:
    # The result counts the NUL.
    limit = call.ret - 1 if call.ret > 0 else _LONGEST_PATH
    return shortened(call.string(address, limit + 1), limit)


def _array(call: TracedCall, _index: int, address: int) -> str:
    texts: list[str] = []
    limit = call.settings.string_limit
    while pointer := call.pointer(address):
        if len(texts) >= limit:
            texts.append("...")
            break
        texts.append(_element(call, pointer))
        address += call.settings.word_size
    return f"[{', '.join(texts)}]"


def _element(call: TracedCall, pointer: int) -> str:
    try:
        return string_text(call, pointer)
    except UnreadableError:
        return f"{pointer:#x}"


def _environment(call: TracedCall, _index: int, address: int) -> str:
    counted = call.memory.counted(address)
    count = counted or 0
    word = call.settings.word_size
    while counted is None and count < _COUNTED and call.pointer(address + count * word):
        count += 1
    return f"{address:#x} /* {count} var{'' if count == 1 else 's'} */"


def _text(show: Callable[[TracedCall, int], str]) -> PointerPrinter:
    return lambda call, _index, address: show(call, address)


AT_ENTRY: dict[Kind, Printer] = {
    Kind.PATH: follow(_text(path_text)),
    Kind.STRING: follow(_text(string_text)),
    Kind.BUFFER_IN: follow(_buffer_in),
    Kind.ARGV: follow(_array),
    Kind.ENVP: follow(_environment),
}
AT_EXIT: dict[Kind, Printer] = {
    Kind.PATH_OUT: follow_on_success(_path_out),
    Kind.BUFFER_OUT: follow_on_success(_buffer_out),
}
