"""Arrays of buffers (`struct iovec`) and messages that use them (`struct msghdr`)."""

import socket
import struct
from collections.abc import Callable
from functools import partial

from syswatch.model.catalog import ArgumentKind as Kind
from syswatch.model.catalog import model_of

from .control_messages import control_messages
from .names_sockets import MSG_FLAGS
from .netlink import message_text
from .numbers import unsigned_64
from .sockaddr import read_address
from .strings import buffer_text
from .structures import readable_elements
from .traced_call import (
    PointerPrinter,
    Printers,
    TracedCall,
    UnreadableError,
    address_text,
    follow,
    follow_on_success,
)

_IOVEC = {8: struct.Struct("<QQ"), 4: struct.Struct("<II")}
_MSGHDR = {8: struct.Struct("<QI4xQQQQI4x"), 4: struct.Struct("<IIIIIII")}
_UIO_MAXIOV = 1024
_FAMILY_BYTES = 2

# Formats one buffer, given its address and length.
Part = Callable[[int, int], str]
# Formats bytes at an address.
BytesText = Callable[[TracedCall, int, int], str]


def vectors(call: TracedCall, address: int, count: int, part: Part) -> str:
    """Return an array of buffers, or its address if the kernel rejects the count."""
    if not address:
        return "NULL"
    if count > _UIO_MAXIOV:
        return address_text(address)
    return readable_elements(
        call,
        address,
        count,
        _IOVEC[call.settings.word_size],
        lambda base, length: f"{{iov_base={_base(base, length, part)}, iov_len={length}}}",
    )


def _base(base: int, length: int, part: Part) -> str:
    if not base:
        return "NULL"
    try:
        return part(base, length)
    except UnreadableError:
        return f"{base:#x}"


def from_caller(call: TracedCall, bytes_text: BytesText = buffer_text) -> Part:
    """Print buffers that the caller has filled."""
    return lambda base, length: bytes_text(call, base, length)


def from_kernel(call: TracedCall, received: int, bytes_text: BytesText = buffer_text) -> Part:
    """Print buffers that the kernel has filled, with so many bytes in total."""
    left = max(received, 0)

    def part(base: int, length: int) -> str:
        nonlocal left
        here = min(left, length)
        left -= here
        return bytes_text(call, base, here)

    return part


def _address_only(base: int, _length: int) -> str:
    return address_text(base)


def _count(call: TracedCall, index: int) -> int:
    return unsigned_64(call.argument(index + 1))


def _given(call: TracedCall, index: int, address: int) -> str:
    return vectors(call, address, _count(call, index), from_caller(call))


def _filled(call: TracedCall, index: int, address: int) -> str:
    part = _address_only if call.failed else from_kernel(call, call.ret)
    return vectors(call, address, _count(call, index), part)


def _remote(call: TracedCall, index: int, address: int) -> str:
    return vectors(call, address, _count(call, index), _address_only)


def message(
    call: TracedCall,
    address: int,
    part_for: Callable[[BytesText], Part],
    name_size: int | None = None,
) -> str:
    """Return a message; `name_size` is the size of the name's buffer before the call."""
    name, length, vector, count, control, control_length, flags = call.unpack(
        _MSGHDR[call.settings.word_size], address
    )
    changed = name_size is not None and name_size != length
    part = part_for(message_text if _is_netlink(call, name) else buffer_text)
    texts = [
        f"msg_name={_name(call, name, length if name_size is None else min(length, name_size))}",
        f"msg_namelen={name_size} => {length}" if changed else f"msg_namelen={length}",
        f"msg_iov={_vectors(call, vector, count, part)}",
        f"msg_iovlen={count}",
        *_control(call, control, control_length),
        f"msg_controllen={control_length}",
        f"msg_flags={MSG_FLAGS(flags)}",
    ]
    return f"{{{', '.join(texts)}}}"


def _is_netlink(call: TracedCall, name: int) -> bool:
    try:
        return bool(name) and call.integer(name, _FAMILY_BYTES) == socket.AF_NETLINK
    except UnreadableError:
        return False


def _vectors(call: TracedCall, address: int, count: int, part: Part) -> str:
    try:
        return vectors(call, address, count, part)
    except UnreadableError:
        return f"{address:#x}"


def _name(call: TracedCall, address: int, length: int) -> str:
    try:
        return read_address(call, address, length)
    except UnreadableError:
        return f"{address:#x}"


def _control(call: TracedCall, address: int, length: int) -> list[str]:
    return [f"msg_control={control_messages(call, address, length)}"] if length else []


def _sent(call: TracedCall, _index: int, address: int) -> str:
    return message(call, address, partial(from_caller, call))


def _received(call: TracedCall, index: int, address: int) -> str:
    name_size = call.before.get(index)
    if call.failed:
        length = (
            call.unpack(_MSGHDR[call.settings.word_size], address)[1]
            if name_size is None
            else name_size
        )
        return f"{{msg_namelen={length}}}"
    # The kernel has overwritten the size.
    if name_size is None and call.pointer(address):
        return f"{address:#x}"
    return message(call, address, partial(from_kernel, call, call.ret), name_size)


def _saved_name_size(call: TracedCall, index: int) -> int:
    name_size: int = call.unpack(_MSGHDR[call.settings.word_size], call.argument(index))[1]
    return name_size


def _messages(
    parts_for: Callable[[TracedCall, int], Callable[[BytesText], Part]],
) -> PointerPrinter:
    def show(call: TracedCall, index: int, address: int) -> str:
        count = call.unsigned_int(index + 1)
        done = 0 if call.failed else call.ret
        shown = done if model_of(call.name) == "recvmmsg" else count
        limit = call.settings.string_limit
        size = _MSGHDR[call.settings.word_size].size
        stride = size + (8 if call.settings.is_64_bit else 4)  # msg_len, and padding.
        texts = []
        for number in range(min(shown, count, limit)):
            at = address + number * stride
            length = call.integer(at + size, signed=False)
            tail = f", msg_len={length}" if number < done else ""
            texts.append(f"{{msg_hdr={message(call, at, parts_for(call, length))}{tail}}}")
        if shown > min(count, limit):
            texts.append("...")
        return f"[{', '.join(texts)}]"

    return show


PRINTERS = Printers(
    at_entry={
        Kind.IOVEC_IN: follow(_given),
        Kind.IOVEC_REMOTE: follow(_remote),
        Kind.MSGHDR_IN: follow(_sent),
    },
    at_exit={
        Kind.IOVEC_OUT: follow(_filled),
        Kind.MSGHDR_OUT: follow(_received),
        # The kernel writes into each header how much it sent.
        Kind.MMSGHDRS_IN: follow(_messages(lambda call, _length: partial(from_caller, call))),
        Kind.MMSGHDRS_OUT: follow_on_success(
            _messages(lambda call, length: partial(from_kernel, call, length))
        ),
    },
    saved_at_entry={Kind.MSGHDR_OUT: _saved_name_size},
)
