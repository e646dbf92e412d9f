"""Checks of what users write; a mistake is one sentence."""

import os
import re
import stat
from collections.abc import Sequence
from ipaddress import ip_network
from pathlib import Path

from twisted.python import usage

from syswatch.web.hosts import Network, address_of


def first_line(flag: str, name: str) -> str:
    """Return the first line of a file, empty where there is none."""
    try:
        lines = Path(name).read_text("utf-8", errors="surrogateescape").splitlines()
    except OSError as error:
        raise usage.UsageError(f"--{flag}: {name}: {error.strerror}") from error
    return lines[0] if lines else ""


def options_first(words: Sequence[str]) -> None:
    """Refuse an option that stands behind what it is about, where it would be taken for another."""
    for word in words[1:]:
        if word.startswith("-") and word != "-" and not Path(word).exists():
            raise usage.UsageError(f"{word} must stand before {words[0]}: options come first")


def network(address: str) -> Network:
    """Return an address or a network of addresses."""
    try:
        return ip_network(address, strict=False)
    except ValueError as error:
        raise usage.UsageError(
            f"--trusted-proxy: '{address}' is no IP address or network"
        ) from error


def host_name(flag: str, name: str) -> str:
    """Return a name that a Host header may have, in lower case."""
    if not name or (re.search(r"[^\w.-]", name) and address_of(name) is None):
        raise usage.UsageError(f"--{flag}: '{name}' is no name of a host; it has no scheme or port")
    return name.lower()


def one_of(flag: str, value: str, values: Sequence[str]) -> str:
    """Return a value that is one of some."""
    if value not in values:
        raise usage.UsageError(f"--{flag}: '{value}' is none of {', '.join(filter(None, values))}")
    return value


def whole(flag: str, value: str, least: int = 0) -> int:
    """Return a whole number."""
    if not (value.isascii() and value.isdigit()) or int(value) < least:
        raise usage.UsageError(f"--{flag}: '{value}' is no whole number from {least} on")
    return int(value)


def writable(flag: str, name: str | None) -> str:
    """Find out before hours of watching, not after, that a file cannot be written."""
    if not name:
        return ""
    if name == "-":
        raise usage.UsageError(f"--{flag}: - is no file; where it may be one, write ./-")
    path = Path(name)
    if path.is_dir():
        raise usage.UsageError(f"--{flag}: {name} is a directory")
    if not path.parent.is_dir():
        raise usage.UsageError(f"--{flag}: there is no directory {path.parent}")
    if not os.access(path if path.exists() else path.parent, os.W_OK):
        raise usage.UsageError(f"--{flag}: {name} cannot be written: permission denied")
    return name


def check_readable(name: str, *, alone: bool) -> None:
    """Find out early that a log cannot be read; of several, one may be empty."""
    if name == "-":
        return
    path = Path(name)
    try:
        status = path.stat()
        # Opening a pipe would wait for its writer; the tracer has the time for that.
        if not stat.S_ISFIFO(status.st_mode):
            path.open("rb").close()
    except OSError as error:
        raise usage.UsageError(f"{name}: {error.strerror}") from error
    if alone and stat.S_ISREG(status.st_mode) and not status.st_size:
        raise usage.UsageError(f"{name}: the file is empty")
