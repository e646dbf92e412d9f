"""
The manifest of a recording: what it is a recording of, and how it ended.

It holds no names of files: they follow from the numbers of the segments, so a manifest cannot make
a reader open other files.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated

import msgspec

from syswatch.base.classes import frozen
from syswatch.machine.regular_files import open_regular
from syswatch.model.times import LONGEST_NS

from . import durable

FORMAT = "syswatch recording"
VERSION = 2
NAME = "manifest.json"
_LARGEST = 1 << 20

# What can be the time of a call.
TimeNs = Annotated[int, msgspec.Meta(ge=0, le=LONGEST_NS)]


class ManifestError(Exception):
    """A directory is not a recording that can be read; the message is a clause."""


@frozen
class Manifest:
    """What the file says."""

    # When it begins; of a trace of which only the newest part is kept, when that part begins.
    begun_ns: TimeNs
    syswatch: str = ""
    host: str = ""
    kernel: str = ""
    backend: str = ""
    # Its arguments, separated by spaces.
    command: str = ""
    # The logs of which the recording was made; then the times are theirs.
    logs: tuple[str, ...] = ()
    # None until the trace has ended, or if the recorder was killed.
    ended_ns: TimeNs | None = None
    exit_code: int | None = None
    exit_signal: int | None = None
    # Why recording stopped before the trace did.
    trouble: str = ""
    # How many segments were written from the first on; older syswatch did not note it.
    segment_count: int | None = None
    # The calls that are missing.
    lost: int = 0
    # When the trace began, if older calls than those from `begun_ns` on were removed.
    traced_since_ns: TimeNs | None = None
    # Why a flight recorder was saved, if this is such a part of a trace.
    saved_reason: str = ""
    format: str = FORMAT
    version: int = VERSION


def write(folder: Path, manifest: Manifest) -> None:
    """Replace the manifest at once: a reader sees the former one or this one."""
    durable.replace(folder / NAME, msgspec.json.format(msgspec.json.encode(manifest)))


def read(folder: Path) -> Manifest:
    """Return the manifest of a recording; a ManifestError if it cannot be read."""
    try:
        with open_regular(folder / NAME) as file:
            body = file.read(_LARGEST + 1)
    except FileNotFoundError:
        raise ManifestError("it is a directory without a recording: it has no manifest") from None
    except OSError as error:
        raise ManifestError(f"its manifest cannot be read: {error.strerror}") from error
    if len(body) > _LARGEST:
        raise ManifestError("its manifest is damaged: it is too long")
    try:
        plain = msgspec.json.decode(body)
        _check_version(plain)
        return msgspec.json.decode(body, type=Manifest)
    except (msgspec.MsgspecError, RecursionError, ValueError) as error:
        raise ManifestError(f"its manifest is damaged: {error}") from error


def _check_version(plain: object) -> None:
    if not isinstance(plain, Mapping) or plain.get("format") != FORMAT:
        raise ManifestError("it is not a recording of syswatch")
    if plain.get("version") != VERSION:
        raise ManifestError(
            f"it has format version {plain.get('version')!r:.20}, and this syswatch reads "
            f"version {VERSION}"
        )
