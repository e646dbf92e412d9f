"""Tests of objects whose paths are longer than what the program stores."""

import sys

from syswatch.model.objects import ObjectKind

from .case import EbpfCase

# Each directory has a name of 200 bytes; a memory file, one that does not fit at all.
_SCRIPT = """
import os
for _ in range(3):
    os.mkdir("d" * 200)
    os.chdir("d" * 200)
for fd in (os.open("file", os.O_CREAT | os.O_RDWR), os.memfd_create("m" * 249)):
    os.write(fd, b"12345")
"""


class LongPathTests(EbpfCase):
    """The last parts of a path are known."""

    def test_kinds(self) -> None:
        """The kind is known as well, and what has no known part has its inode."""
        folder = self.mktemp()
        script = f"import os; os.mkdir({folder!r}); os.chdir({folder!r}); {_SCRIPT}"
        delta = self.trace(sys.executable, "-S", "-c", script.replace("; \n", "\n")).delta
        written = {
            delta.objects[key.object]: sums.bytes_out
            for key, sums in delta.activity.items()
            if key.call == "write" and sums.bytes_out == 5
        }
        kinds = {info.kind: info.name for info in written}
        self.assertEqual({ObjectKind.FILE, ObjectKind.MEMFD}, kinds.keys())
        self.assertEqual(".../file", kinds[ObjectKind.FILE])
        self.assertRegex(kinds[ObjectKind.MEMFD], r"^\.\.\./\[\d+\]$")
