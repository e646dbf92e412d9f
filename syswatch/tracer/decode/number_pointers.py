"""Pointers to numbers, alone, in pairs and in arrays."""

import os
import struct
from collections.abc import Callable

from syswatch.model.catalog import ArgumentKind as Kind
from syswatch.model.symbols import flags

from .descriptors import descriptor
from .numbers import hexadecimal, signed_32, unsigned_64, user
from .structures import counted_by_next, listed, structure
from .traced_call import (
    PointerPrinter,
    Printers,
    TracedCall,
    address_text,
    follow,
    follow_on_success,
)

_OFFSET_BYTES = 8
_USER_BYTES = 4
_INT_BYTES = 4
# The longest node mask that is printed, in words of 64 bits.
_MOST_NODE_WORDS = 64
_NODE_WORD = struct.Struct("<Q")
_WORD_BITS = 64
_PAGE_BYTES = os.sysconf("SC_PAGE_SIZE")
_WAITER = structure(
    "<QQI4x",
    val=hexadecimal,
    uaddr=address_text,
    flags=flags("FUTEX_???", "FUTEX_32=2 FUTEX_PRIVATE_FLAG=0x80"),
)


def _number(call: TracedCall, _index: int, address: int) -> str:
    return f"[{call.integer(address)}]"


def _pointer(call: TracedCall, _index: int, address: int) -> str:
    return f"[{address_text(call.pointer(address))}]"


def _length(call: TracedCall, _index: int, address: int) -> str:
    return f"[{call.pointer(address)}]"


def _nodes(call: TracedCall, index: int, address: int) -> str:
    # The kernel takes one bit less than the argument says.
    count = max(unsigned_64(call.argument(index + 1)) - 1, 0)
    words = -(-count // _WORD_BITS)
    if words > _MOST_NODE_WORDS:
        return address_text(address)
    data = call.read(address, words * _NODE_WORD.size)
    return f"[{', '.join(f'{word:#016x}' for (word,) in _NODE_WORD.iter_unpack(data))}]"


def _position(call: TracedCall, _index: int, address: int) -> str:
    return f"[{call.integer(address, _OFFSET_BYTES)}]"


def _pair(call: TracedCall, _index: int, address: int) -> str:
    first, second = (call.integer(address + offset) for offset in (0, _INT_BYTES))
    return f"[{descriptor(call, first)}, {descriptor(call, second)}]"


def _offset(call: TracedCall, index: int, address: int) -> str:
    before = call.before.get(index)
    if before is None:
        return f"{address:#x}"
    after = call.integer(address, _OFFSET_BYTES)
    # strace prints the new offset of no other call.
    moved = call.name.startswith("sendfile") and call.ret and not call.failed
    return f"[{before}] => [{after}]" if moved else f"[{before}]"


def _saved_offset(call: TracedCall, index: int) -> int:
    return call.integer(call.argument(index), _OFFSET_BYTES)


def _users(count_of: Callable[[TracedCall, int], int]) -> PointerPrinter:
    def show(call: TracedCall, index: int, address: int) -> str:
        def text(data: bytes) -> str:
            return user(int.from_bytes(data, "little"))

        return listed(call, address, count_of(call, index), _USER_BYTES, text)

    return show


def _pages(call: TracedCall, index: int, address: int) -> str:
    count = -(-unsigned_64(call.argument(index - 1)) // _PAGE_BYTES)
    return listed(call, address, count, 1, lambda data: str(data[0]))


def _count_before(call: TracedCall, index: int) -> int:
    return max(signed_32(call.argument(index - 1)), 0)


def _count_returned(call: TracedCall, _index: int) -> int:
    return max(call.ret, 0)


PRINTERS = Printers(
    at_entry={
        Kind.FUTEX_WAITERS_IN: follow(counted_by_next(_WAITER)),
        Kind.NODE_MASK_IN: follow(_nodes),
        Kind.UID_LIST_IN: follow(_users(_count_before)),
    },
    at_exit={
        Kind.INT_OUT: follow_on_success(_number),
        Kind.FD_PAIR_OUT: follow_on_success(_pair),
        Kind.LENGTH_OUT: follow_on_success(_length),
        Kind.OFFSET_OUT: follow_on_success(_position),
        Kind.OFFSET_INOUT: follow(_offset),
        Kind.POINTER_OUT: follow_on_success(_pointer),
        Kind.RESIDENCY_OUT: follow_on_success(_pages),
        Kind.UID_LIST_OUT: follow_on_success(_users(_count_returned)),
    },
    saved_at_entry={Kind.OFFSET_INOUT: _saved_offset},
)
