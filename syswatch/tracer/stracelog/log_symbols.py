"""The numbers of the arguments that rules depend on, which strace prints as names."""

import re
from collections.abc import Iterator, Mapping
from functools import lru_cache
from signal import Signals
from types import ModuleType

from syswatch.model import argument_names, ioctl_requests
from syswatch.model.symbols import Enumeration, FlagSet
from syswatch.tracer.decode import (
    fcntl_command,
    ipc,
    names_bpf,
    names_memory,
    names_misc,
    names_processes,
    names_socket_options,
    names_sockets,
)

_MODULES = (
    argument_names,
    ioctl_requests,
    fcntl_command,
    ipc,
    names_bpf,
    names_memory,
    names_misc,
    names_processes,
    names_socket_options,
    names_sockets,
)
_NUMBER = re.compile(r"-?(?:0x[0-9a-f]{1,16}|\d{1,20})")
_COMMENT = re.compile(r" /\*.*?\*/")
# _IOC(_IOC_READ|_IOC_WRITE, 0x54, 0x1, 0x4), of a request without a name.
_IOC = re.compile(r"_IOC\(([A-Z_|0]+), (0x[0-9a-f]+|0), (0x[0-9a-f]+|0), (0x[0-9a-f]+|0)\)")
_DIRECTIONS = {"_IOC_NONE": 0, "0": 0, "_IOC_WRITE": 1, "_IOC_READ": 2}
# Other names of the same numbers, which some versions of strace print.
_ALSO = {"AF_LOCAL": "AF_UNIX", "AF_FILE": "AF_UNIX", "AF_ROUTE": "AF_NETLINK"}


def _names_of(module: ModuleType) -> Iterator[tuple[str, int]]:
    for each in vars(module).values():
        if isinstance(each, Enumeration | FlagSet):
            yield from each.names.items()
        if isinstance(each, FlagSet):
            yield each.zero, 0


def _all_names() -> Mapping[str, int]:
    names = dict(pair for module in _MODULES for pair in _names_of(module))
    # The flags of clone contain a signal.
    names |= {each.name: each.value for each in Signals}
    return {**names, **{also: names[name] for also, name in _ALSO.items()}}


# A name of the kernel has one number, whichever call it is for.
_NAMES = _all_names()


@lru_cache(maxsize=4096)
def number_of(text: str) -> int | None:
    """Return the number that names, bits and numbers joined by `|` stand for; None if unknown."""
    text = _COMMENT.sub("", text).strip()
    if (whole := _part(text)) is not None:
        return whole
    parts = [_part(part) for part in text.split("|")]
    bits = 0
    for part in parts:
        if part is None:
            return None
        bits |= part
    return bits


def _part(text: str) -> int | None:
    if text in _NAMES:
        return _NAMES[text]
    if _NUMBER.fullmatch(text):
        is_octal = text.startswith("0") and text.isdigit()
        # No number in decimal is printed with a leading zero, but a damaged log may have one.
        return int(text, 0) if not is_octal or not text.strip("0") else None
    request = _IOC.fullmatch(text)
    return _request(request) if request else None


def _request(match: "re.Match[str]") -> int | None:
    directions = [_DIRECTIONS.get(each) for each in match[1].split("|")]
    kind, number, size = (int(each, 16) for each in match.groups()[1:])
    direction = 0
    for each in directions:
        if each is None:
            return None
        direction |= each
    return direction << 30 | size << 16 | kind << 8 | number
