"""Checks of what users write; a mistake is one sentence."""

import os
import re
import stat
from collections.abc import Iterable, Mapping, Sequence
from ipaddress import ip_network
from pathlib import Path

from twisted.python import usage

from syswatch.settings.access import Network
from syswatch.settings.address import parse_ip

# What has more digits fits neither the tracer's language nor a counter of the kernel.
_MOST_DIGITS = 18
# Where the kernel tells of us, which is where it tells of everybody.
PROC = Path("/proc/self/fd")


def need_proc() -> None:
    """Find out that the kernel cannot be asked, as in a changed root."""
    if not PROC.is_dir():
        raise usage.UsageError("/proc is not mounted here, and nothing can be watched without it")


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
        if word.startswith("-") and word != "-" and not os.path.lexists(word):
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
    address = parse_ip(name)
    try:
        # Browsers send an international name as DNS has it.
        ascii_name = name if address else name.encode("idna").decode("ascii")
    except UnicodeError:
        ascii_name = ""
    if not ascii_name or (address is None and re.search(r"[^\w.-]", name)):
        raise usage.UsageError(f"--{flag}: '{name}' is no name of a host; it has no scheme or port")
    return ascii_name.lower().removesuffix(".")


def one_of(flag: str, value: str, values: Sequence[str]) -> str:
    """Return a value that is one of some."""
    if value not in values:
        raise usage.UsageError(f"--{flag}: '{value}' is none of {', '.join(values)}")
    return value


def whole(flag: str, value: str, least: int = 0) -> int:
    """Return a whole number."""
    if value.isdigit() and len(value) > _MOST_DIGITS:
        raise usage.UsageError(f"--{flag}: the number has more than {_MOST_DIGITS} digits")
    if not (value.isascii() and value.isdigit()) or int(value) < least:
        raise usage.UsageError(f"--{flag}: '{value}' is no whole number from {least} on")
    return int(value)


def is_number(text: str) -> bool:
    """Return whether this is meant as a number, be it an impossible one, and not as a name."""
    return re.fullmatch(r"-?[0-9]+", text) is not None


def pid(text: str) -> int:
    """Return the number of a process."""
    if not (text.isdigit() and len(text) <= _MOST_DIGITS and int(text)):
        raise usage.UsageError(f"invalid PID '{text}'")
    return int(text)


def target_name(text: str) -> str:
    """Return the name of what is to be attached to."""
    if not text:
        raise usage.UsageError("the NAME to attach to is empty")
    return text


def name(flag: str, value: str | None) -> str:
    """Return a name, empty where none is given; an unset shell variable gives none by mistake."""
    if value is not None and not value:
        raise usage.UsageError(f"--{flag}: the name is empty")
    return value or ""


def directory(flag: str, value: str | None) -> str:
    """Return a directory, if one is given."""
    found = name(flag, value)
    if found and not _is_directory(_look(flag, Path(found))):
        raise usage.UsageError(f"--{flag}: there is no directory {found}")
    return found


def writable(flag: str, value: str | None) -> str:
    """Find out before hours of watching, not after, that a file cannot be written."""
    file = name(flag, value)
    if not file:
        return ""
    if file == "-":
        raise usage.UsageError(f"--{flag}: - is no file; where it may be one, write ./-")
    path = Path(file)
    status = _look(flag, path)
    if _is_directory(status):
        raise usage.UsageError(f"--{flag}: {file} is a directory")
    if status is None and not _is_directory(_look(flag, path.parent)):
        raise usage.UsageError(f"--{flag}: there is no directory {path.parent}")
    place = path if status else path.parent
    if not os.access(place, os.W_OK):
        is_fixed = os.statvfs(place).f_flag & os.ST_RDONLY
        reason = "the file system is read-only" if is_fixed else "permission denied"
        raise usage.UsageError(f"--{flag}: {file} cannot be written: {reason}")
    return file


def check_apart(outputs: Mapping[str, str], inputs: Iterable[str] = ()) -> None:
    """Refuse to write two things to one file, and to overwrite what is to be read."""
    read = {_identity(name) for name in inputs}
    written: dict[object, str] = {}
    for flag, name in outputs.items():
        identity = _identity(name) if name else None
        if identity is None:
            continue
        if identity in read:
            raise usage.UsageError(f"--{flag}: {name} is to be read, and would be overwritten")
        if identity in written:
            raise usage.UsageError(f"--{written[identity]} and --{flag} name the same file: {name}")
        written[identity] = flag


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


def _look(flag: str, path: Path) -> os.stat_result | None:
    """Return what is known of a file, None where there is none."""
    try:
        return path.stat()
    except FileNotFoundError:
        return None
    except OSError as error:
        raise usage.UsageError(f"--{flag}: {path}: {error.strerror}") from error


def _identity(name: str) -> object:
    """Return what tells a file from others; None for a pipe or a device, which keeps nothing."""
    try:
        status = os.stat(name)  # noqa: PTH116  an empty path is none here
    except OSError:
        return os.path.realpath(name)
    return (status.st_dev, status.st_ino) if stat.S_ISREG(status.st_mode) else None


def _is_directory(status: os.stat_result | None) -> bool:
    return status is not None and stat.S_ISDIR(status.st_mode)
