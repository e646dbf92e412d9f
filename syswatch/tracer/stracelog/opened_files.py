"""The files that the processes of a log have opened."""

import attrs

from syswatch.base.classes import define
from syswatch.tracer.objects import describe
from syswatch.tracer.objects.descriptors import Description, Descriptors, Found

from .logged_arguments import flags, string_of

_O_CLOEXEC = 0o2000000
_MOST_FILES = 20_000


@define
class OpenedFiles:
    """Keeps one description of each file for all openings."""

    _tables: Descriptors
    # By the quoted path and the working directory.
    _files: dict[tuple[bytes, bytes], Description] = attrs.field(factory=dict, init=False)

    def opened(self, directory: bytes, path: bytes) -> Description:
        """Return a file as it is opened by a quoted path that is relative to a directory."""
        description = self._files.get((path, directory))
        if description is None:
            info = describe.opened(describe.full_path(string_of(path), directory))
            # Only descriptions of sockets and epolls ever change.
            description = self._tables.describe(Found(info))
            if len(self._files) >= _MOST_FILES:
                self._files.clear()
            self._files[path, directory] = description
        return description


def opens_cloexec(line: bytes) -> bool:
    """Return whether a line opens a descriptor that execve closes."""
    # `find` is faster than `in`, which tries whether these bytes are a number first.
    if line.find(b"O_CLOEXEC") >= 0:
        return True
    # With -X raw, flags are numbers.
    return line.find(b" O_") < 0 and any(
        flags(text.strip()) & _O_CLOEXEC for text in line.split(b",")[1:] if b"0x" in text
    )
