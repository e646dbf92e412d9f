"""Writing a profile by the name of a format, and reading one whose format is not named."""

from collections.abc import Callable, Mapping
from typing import Final

import msgspec

from syswatch.model.evidence import NATIVE
from syswatch.profiles.basis import Basis
from syswatch.profiles.profile import Profile
from syswatch.profiles.starting import startable

from . import bwrap, json_form, kubernetes, oci, systemd, systemd_reading, text
from .bwrap import Filter
from .outcome import FormatError, Loaded, Target, Written

_Writer = Callable[[Profile], Written]


def _for_runtime(write: _Writer) -> _Writer:
    """Return a writer for what container runtimes load, which make calls of their own under it."""
    return lambda profile: write(startable(profile))


WRITERS: Final[Mapping[str, _Writer]] = {
    "text": text.write,
    "json": json_form.write,
    "oci": _for_runtime(oci.write),
    "systemd": systemd.write,
    "kubernetes": _for_runtime(kubernetes.write),
    "bwrap": bwrap.write,
}


def write_made_of(basis: Basis, profile: Profile, form: str, native: str = NATIVE) -> Written:
    """
    Return a profile in a format, with what the format can tell of what it was made of.

    Calls that name no architecture have the `native` one.
    """
    if form == "json":
        return json_form.write(profile, basis, native)
    if form == "systemd" and basis.evidence:
        return systemd.write(profile, basis.written)
    return WRITERS[form](profile)


# Control characters that texts have.
_OF_TEXTS: Final = b"\t\n\r\f"
_FIRST_PRINTABLE: Final = 0x20


def read_any(content: bytes, target: Target) -> Loaded | Filter:
    """Return the profile of a file in any format that can be read; raise FormatError."""
    if any(byte < _FIRST_PRINTABLE and byte not in _OF_TEXTS for byte in content):
        return bwrap.read(content)
    if text.is_text(content):
        return text.read(content)
    if content.lstrip().startswith(b"{"):
        return _read_object(content, target)
    if any(line.startswith(b"apiVersion:") for line in content.splitlines()):
        return kubernetes.read(content, target)
    if not systemd_reading.is_unit(content):
        raise FormatError(f"not a profile in a format that can be read: {', '.join(WRITERS)}")
    return systemd_reading.read(content, target)


class _Kind(msgspec.Struct):
    """What tells the formats that are objects from each other."""

    format: object = msgspec.field(name="Format", default=None)
    kind: object = None


def _read_object(content: bytes, target: Target) -> Loaded:
    try:
        found = msgspec.json.decode(content, type=_Kind)
    except msgspec.DecodeError:
        found = _Kind()
    if found.format is not None:
        return json_form.read(content)
    if found.kind is not None:
        return kubernetes.read(content, target)
    return oci.read(content, target)
