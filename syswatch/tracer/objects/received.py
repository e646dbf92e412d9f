"""What a call has received, read from its arguments and memory."""

from collections.abc import Iterator
from typing import Protocol

from .addresses import Address, parse_address

# Of a longer message, the rest is not read.
_MOST_BYTES = 4096
_ADDRESS_BYTES = 128
_MOST_BUFFERS = 16
_MOST_MESSAGES = 64


class ReceivingCall(Protocol):
    """A call that has returned, with access to memory."""

    @property
    def name(self) -> str:
        """The name, of 32-bit programs too: without a mark."""

    @property
    def word(self) -> int:
        """The size of a pointer."""

    def number(self, index: int) -> int:
        """Return an argument as an unsigned number."""

    def read(self, address: int, length: int) -> bytes:
        """Return memory, less where it ends."""


def received(call: ReceivingCall, size: int) -> Iterator[tuple[bytes, Address | None]]:
    """Yield the messages, of so many bytes together, that a call has received."""
    if call.name == "recvmmsg":
        yield from _messages(call, size)
    elif call.name == "recvmsg":
        yield _message(call, call.number(1), size)
    elif call.name == "readv":
        yield _gathered(call, call.number(1), call.number(2), size), None
    else:
        data = call.read(call.number(1), min(size, call.number(2), _MOST_BYTES))
        has_source = call.name == "recvfrom" and call.number(4)
        source = call.read(call.number(4), _ADDRESS_BYTES) if has_source else b""
        yield data, parse_address(source)


def _messages(call: ReceivingCall, size: int) -> Iterator[tuple[bytes, Address | None]]:
    """Yield the messages in an array of `struct mmsghdr`, until all bytes are found."""
    word, at = call.word, call.number(1)
    for _ in range(_MOST_MESSAGES):
        length = _number(call, at + 7 * word, 4)
        if not 0 < length <= size:
            return
        yield _message(call, at, length)
        size -= length
        at += 8 * word


def _message(call: ReceivingCall, at: int, size: int) -> tuple[bytes, Address | None]:
    """Return the bytes and the address in a `struct msghdr`."""
    word = call.word
    name, length = _number(call, at, word), _number(call, at + word, 4)
    source = parse_address(call.read(name, min(length, _ADDRESS_BYTES)) if name else b"")
    buffers, count = (_number(call, at + place * word, word) for place in (2, 3))
    return _gathered(call, buffers, count, size), source


def _gathered(call: ReceivingCall, at: int, count: int, size: int) -> bytes:
    """Return the first bytes in an array of `struct iovec`."""
    word, data, size = call.word, b"", min(size, _MOST_BYTES)
    for _ in range(min(count, _MOST_BUFFERS)):
        base, length = _number(call, at, word), _number(call, at + word, word)
        data += call.read(base, min(length, size - len(data)))
        at += 2 * word
    return data


def _number(call: ReceivingCall, address: int, size: int) -> int:
    return int.from_bytes(call.read(address, size), "little")
