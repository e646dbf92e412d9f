"""
The addresses in answers of name servers, by the name that was asked for.

An answer comes from anywhere: whatever its bytes are, parsing takes a bounded time and never fails.
"""

import re
import socket
import struct
from collections.abc import Mapping
from contextlib import suppress
from typing import Any

_HEADER = struct.Struct(">6H")
_QUESTION = struct.Struct(">2H")
_RECORD = struct.Struct(">2HIH")
_LENGTH = struct.Struct(">H")
# The bits that tell a response, its kind and its result; they must be those of a good answer.
_STATE_BITS = 0xF80F
_GOOD_ANSWER = 0x8000
_INTERNET = 1
_CNAME = 5
# Type and length of a record with an address.
_FAMILIES = {(1, 4): socket.AF_INET, (28, 16): socket.AF_INET6}
_LONGEST_ADDRESS = 16
_BY_LENGTH = {4: socket.AF_INET, _LONGEST_ADDRESS: socket.AF_INET6}
_POINTER = 0xC0
_LONGEST_LABEL = 63
_LONGEST_NAME = 253
_MOST_RECORDS = 256
_HOST_NAME = re.compile(rb"[A-Za-z0-9_-]+(\.[A-Za-z0-9_-]+)*")


def addresses_in_answer(message: bytes) -> Mapping[str, str]:
    """Return the addresses in a DNS message, which over TCP may begin with its length."""
    addresses: dict[str, str] = {}
    # What is before the end of a message that was cut is good.
    with suppress(ValueError, IndexError, struct.error):
        is_prefixed = _LENGTH.unpack_from(message)[0] == len(message) - _LENGTH.size
        _add_addresses(addresses, message[_LENGTH.size :] if is_prefixed else message)
    return addresses


def _add_addresses(addresses: dict[str, str], message: bytes) -> None:
    _, flags, questions, answers, _, _ = _HEADER.unpack_from(message)
    if flags & _STATE_BITS != _GOOD_ANSWER or questions != 1:
        return
    asked, at = _name(message, _HEADER.size)
    at += _QUESTION.size
    # The name and what it is an alias for.
    names = {asked.lower()}
    for _ in range(min(answers, _MOST_RECORDS)):
        owner, at = _name(message, at)
        kind, network, _, length = _RECORD.unpack_from(message, at)
        at += _RECORD.size
        data = message[at : at + length]
        if network == _INTERNET and owner.lower() in names:
            if kind == _CNAME:
                names.add(_name(message, at)[0].lower())
            elif (kind, len(data)) in _FAMILIES and length == len(data):
                ip = socket.inet_ntop(_FAMILIES[kind, length], data)
                addresses[ip] = _host_name(asked)
        at += length


def _name(message: bytes, at: int) -> tuple[bytes, int]:
    """Return the name at an offset, and the offset after it."""
    labels: list[bytes] = []
    after, size = -1, 0
    while length := message[at]:
        if length >= _POINTER:
            target = _LENGTH.unpack_from(message, at)[0] & 0x3FFF
            after = at + _LENGTH.size if after < 0 else after
            # Pointers lead backwards, so that they cannot form a loop.
            if target >= at:
                raise ValueError(target)
            at = target
            continue
        size += length + 1
        if length > _LONGEST_LABEL or size > _LONGEST_NAME + 1:
            raise ValueError(length)
        labels.append(message[at + 1 : at + 1 + length])
        at += length + 1
    return b".".join(labels), at + 1 if after < 0 else after


def _host_name(name: bytes) -> str:
    """Return a name as text; one that no host can have is an error."""
    if not _HOST_NAME.fullmatch(name):
        raise ValueError(name)
    return name.decode()


def addresses_in_reply(message: bytes) -> Mapping[str, str]:
    """Return the addresses in a reply of systemd-resolved, which is JSON that ends with NUL."""
    # Few programs ask systemd-resolved so, and every tracer would import it.
    import json

    addresses: dict[str, str] = {}
    # Whatever is not as expected is no reply to a question for a name.
    with suppress(ValueError, KeyError, TypeError, AttributeError, RecursionError):
        parameters: Any = json.loads(message.partition(b"\0")[0])["parameters"]
        name = _host_name(parameters["name"].rstrip(".").encode())
        for each in parameters["addresses"][:_MOST_RECORDS]:
            # A number instead of a list would be the size of an array.
            packed = bytes(each["address"][:_LONGEST_ADDRESS])
            if len(packed) in _BY_LENGTH:
                addresses[socket.inet_ntop(_BY_LENGTH[len(packed)], packed)] = name
    return addresses
