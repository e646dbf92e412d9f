"""File descriptors, with their paths if `-y` is given."""

from syswatch.model.catalog import ArgumentKind as Kind

from .numbers import signed_32
from .quoting import in_angles
from .traced_call import Printers, TracedCall

AT_FDCWD = -100
_FAN_NOFD = -1
_DELETED = b" (deleted)"


def descriptor(call: TracedCall, value: int) -> str:
    """Return a descriptor, with its path if that is wanted and known."""
    number = signed_32(value)
    if not call.settings.descriptor_paths or number < 0:
        return str(number)
    return str(number) + _target(call, f"fd/{number}")


def _target(call: TracedCall, link: str) -> str:
    target = call.memory.link(link)
    if not target:
        return ""
    if target.endswith(_DELETED) and target.startswith(b"/"):
        return in_angles(target.removesuffix(_DELETED)) + "(deleted)"
    return in_angles(target)


def _descriptor(call: TracedCall, index: int) -> str:
    return descriptor(call, call.argument(index))


def _directory(call: TracedCall, index: int) -> str:
    if signed_32(call.argument(index)) != AT_FDCWD:
        return _descriptor(call, index)
    if not call.settings.descriptor_paths:
        return "AT_FDCWD"
    return "AT_FDCWD" + _target(call, "cwd")


def _fanotify_directory(call: TracedCall, index: int) -> str:
    return "FAN_NOFD" if signed_32(call.argument(index)) == _FAN_NOFD else _directory(call, index)


PRINTERS = Printers(
    descriptors={
        Kind.DIRFD: _directory,
        Kind.FANOTIFY_DIRFD: _fanotify_directory,
        Kind.FD: _descriptor,
    },
)
