"""The mount API of Linux 5.2 and later, and file handles."""

import struct

from syswatch.model.catalog import ArgumentKind as Kind
from syswatch.model.symbols import Enumeration, enumeration, flags

from .names_files import MOUNT_FLAGS
from .numbers import signed_32
from .quoting import quoted_hex
from .strings import path_text, string_text
from .structures import structure
from .traced_call import (
    Printers,
    TracedCall,
    UnreadableError,
    address_text,
    follow,
)

_MOUNT_ATTRIBUTES = """
    MOUNT_ATTR_RDONLY=1 MOUNT_ATTR_NOSUID=2 MOUNT_ATTR_NODEV=4 MOUNT_ATTR_NOEXEC=8
    MOUNT_ATTR_NOATIME=0x10 MOUNT_ATTR_STRICTATIME=0x20 MOUNT_ATTR_NODIRATIME=0x80
"""
# Those that only mount_setattr takes are in the second table.
MOUNT_ATTRIBUTES = flags(
    "MOUNT_ATTR_???",
    f"{_MOUNT_ATTRIBUTES} MOUNT_ATTR_IDMAP=0x100000 MOUNT_ATTR_NOSYMFOLLOW=0x200000",
)
_PROPAGATION = Enumeration(
    {name: MOUNT_FLAGS[name] for name in ("MS_UNBINDABLE", "MS_PRIVATE", "MS_SLAVE", "MS_SHARED")},
    "MS_???",
)
_MOUNT_ATTR = structure(
    "<QQQQ",
    attr_set=MOUNT_ATTRIBUTES,
    attr_clr=MOUNT_ATTRIBUTES,
    propagation=_PROPAGATION,
    userns_fd=str,
)
_FILE_HANDLE = struct.Struct("<Ii")
_MAX_HANDLE_SZ = 128
_FSCONFIG_COMMAND = enumeration(
    "FSCONFIG_???",
    """
    FSCONFIG_SET_FLAG FSCONFIG_SET_STRING FSCONFIG_SET_BINARY FSCONFIG_SET_PATH
    FSCONFIG_SET_PATH_EMPTY FSCONFIG_SET_FD FSCONFIG_CMD_CREATE FSCONFIG_CMD_RECONFIGURE
    """,
)
_SET_STRING = _FSCONFIG_COMMAND["FSCONFIG_SET_STRING"]
_SET_BINARY = _FSCONFIG_COMMAND["FSCONFIG_SET_BINARY"]
_SET_PATHS = _FSCONFIG_COMMAND.numbers("FSCONFIG_SET_PATH FSCONFIG_SET_PATH_EMPTY")
_LAST_WITH_KEY = _FSCONFIG_COMMAND["FSCONFIG_SET_FD"]


def _attributes(call: TracedCall, index: int, address: int) -> str:
    if call.argument(index + 1) < _MOUNT_ATTR.size:
        raise UnreadableError
    return _MOUNT_ATTR.show(call, index, address)


def fsconfig(call: TracedCall, texts: list[str]) -> list[str]:
    """Print the key and the value that the command takes."""
    command = call.unsigned_int(1)
    key, value, number = (call.argument(index) for index in (2, 3, 4))
    shown = texts[2] if command <= _LAST_WITH_KEY else address_text(key)
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
    if command in _SET_PATHS:
        return path_text(call, address)
    return address_text(address)


def _handle(call: TracedCall, _index: int, address: int) -> str:
    length, kind = call.unpack(_FILE_HANDLE, address)
    if length > _MAX_HANDLE_SZ:
        return f"{{handle_bytes={length}, handle_type={kind}}}"
    data = call.read(address + _FILE_HANDLE.size, length)
    return f"{{handle_bytes={length}, handle_type={kind}, f_handle={quoted_hex(data)}}}"


def _returned_handle(call: TracedCall, index: int, address: int) -> str:
    before, after = call.before.get(index), call.integer(address, signed=False)
    if call.failed:
        return f"{{handle_bytes={after if before is None else before}}}"
    shown = _handle(call, index, address)
    if before is None or before == after:
        return shown
    return shown.replace(f"handle_bytes={after}", f"handle_bytes={before} => {after}", 1)


def _saved_size(call: TracedCall, index: int) -> int:
    return call.integer(call.argument(index), signed=False)


PRINTERS = Printers(
    numbers={
        Kind.FSOPEN_FLAGS: flags("FSOPEN_???", "FSOPEN_CLOEXEC=1"),
        Kind.FSPICK_FLAGS: flags(
            "FSPICK_???",
            """
            FSPICK_CLOEXEC=1 FSPICK_SYMLINK_NOFOLLOW=2 FSPICK_NO_AUTOMOUNT=4 FSPICK_EMPTY_PATH=8
            """,
        ),
        Kind.FSCONFIG_COMMAND: _FSCONFIG_COMMAND,
        Kind.FSMOUNT_FLAGS: flags("FSMOUNT_???", "FSMOUNT_CLOEXEC=1"),
        Kind.MOUNT_ATTRIBUTES: flags("MOUNT_ATTR_???", _MOUNT_ATTRIBUTES),
        Kind.MOVE_MOUNT_FLAGS: flags(
            "MOVE_MOUNT_???",
            """
            MOVE_MOUNT_F_SYMLINKS=1 MOVE_MOUNT_F_AUTOMOUNTS=2 MOVE_MOUNT_F_EMPTY_PATH=4
            MOVE_MOUNT_T_SYMLINKS=0x10 MOVE_MOUNT_T_AUTOMOUNTS=0x20 MOVE_MOUNT_T_EMPTY_PATH=0x40
            MOVE_MOUNT_SET_GROUP=0x100
            """,
        ),
        Kind.OPEN_TREE_FLAGS: flags(
            "OPEN_TREE_???",
            """
            OPEN_TREE_CLONE=1 OPEN_TREE_CLOEXEC=0x80000 AT_SYMLINK_NOFOLLOW=0x100
            AT_REMOVEDIR=0x200 AT_SYMLINK_FOLLOW=0x400 AT_NO_AUTOMOUNT=0x800 AT_EMPTY_PATH=0x1000
            AT_RECURSIVE=0x8000
            """,
        ),
    },
    at_entry={
        Kind.MOUNT_ATTR_IN: follow(_attributes),
        Kind.FILE_HANDLE_IN: follow(_handle),
    },
    at_exit={Kind.FILE_HANDLE_OUT: follow(_returned_handle)},
    saved_at_entry={Kind.FILE_HANDLE_OUT: _saved_size},
)
