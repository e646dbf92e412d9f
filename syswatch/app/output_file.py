"""Output that is written as it arises: to a file that appears when it is complete, or to stdout."""

import os
import stat
import sys
from pathlib import Path
from types import TracebackType
from typing import BinaryIO

import attrs

from syswatch.app.interruption import note_finished, note_unfinished
from syswatch.base.classes import define
from syswatch.base.streams import discard_output

_PRIVATE = 0o600


@define
class Output:
    """A file, or '-' for standard output; what is not complete is removed."""

    name: str
    _file: BinaryIO | None = attrs.field(default=None, init=False)
    _beside: Path | None = attrs.field(default=None, init=False)

    def __enter__(self) -> BinaryIO:
        """Open it; only its owner may read a new file, because it has arguments of calls."""
        if self.name == "-":
            return sys.stdout.buffer
        # Replace the file that a symbolic link points to, not the link.
        path = Path(self.name).resolve()
        flags = os.O_WRONLY | os.O_CREAT | os.O_CLOEXEC
        if not _is_replaceable(path):
            self._file = os.fdopen(os.open(path, flags | os.O_TRUNC, _PRIVATE), "wb")
            return self._file
        self._beside = path.with_name(f".{path.name}.{os.urandom(4).hex()}")
        note_unfinished(self._beside)
        self._file = os.fdopen(os.open(self._beside, flags | os.O_EXCL, _PRIVATE), "wb")
        return self._file

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Close it, and rename or remove it."""
        if self._file is None:
            _name_stdout(error)
            _flush_stdout()
            return
        try:
            self._file.close()
            if error is None and self._beside is not None:
                self._beside.replace(Path(self.name).resolve())
        finally:
            if self._beside is not None:
                self._beside.unlink(missing_ok=True)
                note_finished(self._beside)


def _flush_stdout() -> None:
    """Write what is buffered, which the interpreter would otherwise try at exit."""
    try:
        sys.stdout.buffer.flush()
    except OSError as error:
        discard_output(sys.stdout)
        _name_stdout(error)
        raise


def _name_stdout(error: BaseException | None) -> None:
    """Let the message about an error name the stream, which has no file name."""
    if isinstance(error, OSError) and error.filename is None:
        error.filename = "standard output"


def _is_replaceable(path: Path) -> bool:
    """Return whether a file can be replaced: not a device, a pipe, or in a protected directory."""
    try:
        is_file = stat.S_ISREG(path.stat().st_mode)
    except FileNotFoundError:
        is_file = True
    return is_file and os.access(path.parent, os.W_OK)
