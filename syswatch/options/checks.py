"""Checks of values on the command line; each mistake is a UsageError of one sentence."""

import os
import re
import stat
from collections.abc import Iterable, Sequence
from ipaddress import ip_network
from pathlib import Path

from syswatch.recording.extra import missing_package
from syswatch.settings.access import Network
from syswatch.settings.address import parse_ip

from .arguments import Arguments, UsageError
from .suggestions import invalid_choice

# More digits fit neither the protocol of the tracer nor a counter of the kernel.
_MAX_DIGITS = 18
# No header of a request may be longer.
_LONGEST_LINE = 16384
PROC = Path("/proc/self/fd")


def need_proc() -> None:
    """Check that /proc is mounted, which it may not be in a chroot."""
    if not PROC.is_dir():
        raise UsageError("/proc is not mounted; syswatch cannot work without it")


def first_line(label: str, name: str) -> str:
    """Return the first line of a file, which may be empty."""
    try:
        with Path(name).open("rb") as file:
            line = file.readline(_LONGEST_LINE + 1)
    except OSError as error:
        raise UsageError(f"{label}: {name}: {error.strerror}") from error
    if len(line) > _LONGEST_LINE:
        raise UsageError(f"{label}: {name}: the first line has more than {_LONGEST_LINE} bytes")
    lines = line.decode(errors="surrogateescape").splitlines()
    return lines[0] if lines else ""


def options_first(operands: Sequence[str]) -> None:
    """Refuse an option after the first operand, where it would be taken for another operand."""
    for word in operands[1:]:
        if word.startswith("-") and word != "-" and not os.path.lexists(word):
            raise UsageError(f"{word} must come before {operands[0]}: options go first")


def network(label: str, text: str) -> Network:
    """Return an IP address or a network of addresses."""
    try:
        return ip_network(text, strict=False)
    except ValueError as error:
        raise UsageError(f"{label}: '{text}' is not an IP address or network") from error


def host_name(label: str, name: str) -> str:
    """Return a name that a Host header may have, in lower case."""
    address = parse_ip(name)
    try:
        # Browsers send an international name in its ASCII form.
        ascii_name = name if address else name.encode("idna").decode("ascii")
    except UnicodeError:
        ascii_name = ""
    if not ascii_name or (address is None and re.search(r"[^\w.-]", name)):
        raise UsageError(
            f"{label}: invalid host name '{name}' (expected one without scheme and port)"
        )
    return ascii_name.lower().removesuffix(".")


def choice(arguments: Arguments, name: str) -> str:
    """Return the value of an option that has choices."""
    value = arguments.value_or_default(name)
    option = arguments.command.option(name)
    if arguments.has(name) and option is not None and value not in option.choices:
        raise UsageError(invalid_choice(arguments.label(name), value, option.choices))
    return value


def whole_number(arguments: Arguments, name: str, least: int = 0, most: int | None = None) -> int:
    """Return the value of an option that takes a whole number."""
    label, value = arguments.label(name), arguments.value_or_default(name)
    if value.isdigit() and len(value) > _MAX_DIGITS:
        raise UsageError(f"{label}: the number has more than {_MAX_DIGITS} digits")
    if not (value.isascii() and value.isdigit()) or int(value) < least:
        raise UsageError(
            f"{label}: invalid value '{value}' (expected a whole number, at least {least})"
        )
    if most is not None and int(value) > most:
        raise UsageError(f"{label}: invalid value '{value}' (expected at most {most})")
    return int(value)


def is_number(text: str) -> bool:
    """Return whether a text is a number, even an impossible PID, rather than a name."""
    return re.fullmatch(r"-?[0-9]+", text) is not None


def pid(text: str) -> int:
    """Return the number of a process."""
    if not (is_number(text) and len(text) <= _MAX_DIGITS and int(text) > 0):
        raise UsageError(f"invalid PID '{text}'")
    return int(text)


def check_named(command: str, operands: Iterable[str], what: str) -> None:
    """Refuse an empty name: it is an unset variable, and would be the current directory."""
    if "" in operands:
        raise UsageError(f"{command}: the name of {what} is empty")


def name(arguments: Arguments, option: str) -> str:
    """Return a name, or an empty string; a given name that is empty is an unset variable."""
    value = arguments.value(option)
    if value is not None and not value:
        raise UsageError(f"{arguments.label(option)}: the name is empty")
    return value or ""


def directory(arguments: Arguments, option: str) -> str:
    """Return an existing directory, or an empty string."""
    label, found = arguments.label(option), name(arguments, option)
    if found and not _is_directory(_status(label, Path(found))):
        raise UsageError(f"{label}: no such directory: {found}")
    return found


def writable(arguments: Arguments, option: str) -> str:
    """Return the file to write, or an empty string; check now, not after hours of tracing."""
    label, file = arguments.label(option), name(arguments, option)
    if not file:
        return ""
    if file == "-":
        raise UsageError(f"{label}: '-' does not mean standard output (for a file: ./-)")
    path = Path(file)
    status = _status(label, path)
    if _is_directory(status):
        raise UsageError(f"{label}: {file} is a directory")
    if status is None and not _is_directory(_status(label, path.parent)):
        raise UsageError(f"{label}: no such directory: {path.parent}")
    _check_permission(label, file, path if status else path.parent)
    return file


def recording(arguments: Arguments, option: str) -> str:
    """Return the directory for a new recording, or an empty string; check what can be checked."""
    label, folder = arguments.label(option), name(arguments, option)
    if not folder:
        return ""
    # Runs without a recording need nothing of its format.
    from syswatch.recording.write.claim import why_not

    if folder == "-":
        raise UsageError(f"{label}: '-' is not a directory (for a directory of that name: ./-)")
    path = Path(folder)
    status = _status(label, path)
    if status is None and not _is_directory(_status(label, path.parent)):
        raise UsageError(f"{label}: no such directory: {path.parent}")
    _check_permission(label, folder, path if status else path.parent)
    if reason := why_not(path):
        raise UsageError(f"{label}: {folder} {reason}")
    if missing := missing_package():
        raise UsageError(f"{label}: {missing}")
    return folder


def _check_permission(label: str, name: str, place: Path) -> None:
    if not os.access(place, os.W_OK):
        is_read_only = os.statvfs(place).f_flag & os.ST_RDONLY
        reason = "the file system is read-only" if is_read_only else "permission denied"
        raise UsageError(f"{label}: cannot write {name}: {reason}")


def check_distinct_files(
    arguments: Arguments, options: Iterable[str], inputs: Iterable[str]
) -> None:
    """Refuse to write two outputs to one file, or to overwrite an input."""
    read = {identity_of(file) for file in inputs}
    written: dict[object, str] = {}
    for label, file in ((arguments.label(o), arguments.value(o)) for o in options):
        identity = identity_of(file) if file else None
        if identity is None:
            continue
        if identity in read:
            raise UsageError(f"{label}: {file} is an input and would be overwritten")
        if identity in written:
            raise UsageError(f"{written[identity]} and {label} name the same file: {file}")
        written[identity] = label


def check_readable(file: str, *, is_only_one: bool) -> None:
    """Check early that a log can be read; one of several may be empty."""
    if file == "-":
        return
    path = Path(file)
    try:
        status = path.stat()
        # Opening a pipe would wait for its writer; the tracer does that.
        if not stat.S_ISFIFO(status.st_mode):
            path.open("rb").close()
    except OSError as error:
        raise UsageError(f"{file}: {error.strerror}") from error
    if is_only_one and stat.S_ISREG(status.st_mode) and not status.st_size:
        raise UsageError(f"{file}: the file is empty")


def _status(label: str, path: Path) -> os.stat_result | None:
    """Return the status of a file, or None if it does not exist."""
    try:
        return path.stat()
    except FileNotFoundError:
        return None
    except OSError as error:
        raise UsageError(f"{label}: {path}: {error.strerror}") from error


def identity_of(file: str) -> object:
    """Return what identifies a file; None for a pipe or a device, which keeps nothing."""
    try:
        status = os.stat(file)  # noqa: PTH116  Path("") would be the current directory
    except OSError:
        return _full_path(file)
    return (status.st_dev, status.st_ino) if stat.S_ISREG(status.st_mode) else None


def _full_path(file: str) -> str:
    try:
        return os.path.realpath(file)
    except OSError:
        return file  # The current directory was removed.


def _is_directory(status: os.stat_result | None) -> bool:
    return status is not None and stat.S_ISDIR(status.st_mode)
