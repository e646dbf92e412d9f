"""The newer way to mount, and files that are named by a handle."""

import struct

from syswatch.model.catalog import ArgumentKind as Kind

from .names_rare import MOUNT_ATTRIBUTES
from .numbers import signed_32
from .quoting import quoted_hex
from .strings import path_text, string_text
from .structures import structure
from .symbols import enumeration
from .traced_call import Printer, TracedCall, UnreadableError, address_text, follow

_PROPAGATION = enumeration(
    "MS_???", "MS_UNBINDABLE=0x20000 MS_PRIVATE=0x40000 MS_SLAVE=0x80000 MS_SHARED=0x100000"
)
_ATTRIBUTES = structure(
    "<QQQQ",
    attr_set=MOUNT_ATTRIBUTES,
    attr_clr=MOUNT_ATTRIBUTES,
    propagation=_PROPAGATION,
    userns_fd=str,
)
_HANDLE = struct.Struct("<Ii")
_MOST_HANDLE_BYTES = 128
_SET_FLAG, _SET_STRING, _SET_BINARY, _SET_PATH, _SET_PATH_EMPTY, _SET_FD = range(6)
_WITHOUT_KEY = frozenset({6, 7})


def _attributes(call: TracedCall, index: int, address: int) -> str:
    if call.argument(index + 1) < _ATTRIBUTES.size:
        raise UnreadableError
    return _ATTRIBUTES.show(call, index, address)


def fsconfig(call: TracedCall, texts: list[str]) -> list[str]:
    """Print the key and the value that the command takes."""
    command = call.unsigned_int(1)
    key, value, number = (call.argument(index) for index in (2, 3, 4))
    shown = texts[2] if command <= _SET_FD else address_text(key)
    try:
        return [*texts[:2], shown, _value(call, command, value, number), texts[4]]
    except UnreadableError:
        return [*texts[:2], shown, *texts[3:]]


def _value(call: TracedCall, command: int, address: int, number: int) -> str:
    if not address:
        return "NULL"
    if command == _SET_STRING:
        return string_text(call, address)
    if command == _SET_BINARY:
        length = signed_32(number)
        limit = call.settings.string_limit
        return quoted_hex(call.read(address, min(length, limit)), more=length > limit)
    if command in {_SET_PATH, _SET_PATH_EMPTY}:
        return path_text(call, address)
    return address_text(address)


def _handle(call: TracedCall, _index: int, address: int) -> str:
    length, kind = call.unpack(_HANDLE, address)
    if length > _MOST_HANDLE_BYTES:
        return f"{{handle_bytes={length}, handle_type={kind}}}"
    data = call.read(address + _HANDLE.size, length)
    return f"{{handle_bytes={length}, handle_type={kind}, f_handle={quoted_hex(data)}}}"


def _answered_handle(call: TracedCall, index: int, address: int) -> str:
    before = call.before.get(index)
    if not call.failed:
        shown = _handle(call, index, address).removeprefix("{")
        after = call.integer(address, signed=False)
        return f"{{{shown}" if before in (None, after) else shown_growth(before, after, shown)
    return f"{{handle_bytes={call.integer(address, signed=False) if before is None else before}}}"


def shown_growth(before: int, after: int, shown: str) -> str:
    """Return a handle whose length the kernel has corrected."""
    return f"{{handle_bytes={before} => {after}{shown.removeprefix(f'handle_bytes={after}')}"


def _remember_room(call: TracedCall, index: int) -> int:
    return call.integer(call.argument(index), signed=False)


AT_ENTRY: dict[Kind, Printer] = {
    Kind.MOUNT_ATTR_IN: follow(_attributes),
    Kind.FILE_HANDLE_IN: follow(_handle),
}
AT_EXIT: dict[Kind, Printer] = {Kind.FILE_HANDLE_OUT: follow(_answered_handle)}
SAVE_AT_ENTRY = {Kind.FILE_HANDLE_OUT: _remember_room}
