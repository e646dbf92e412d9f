"""Tests of descriptors whose meaning changes."""

import os
import tempfile
from pathlib import Path

from syswatch.model.objects import ObjectKind
from tests.tracer.programs import program

from .activity import total
from .case import BackendCase


class DescriptorContract(BackendCase):
    """Descriptors whose meaning changes."""

    def assert_credited(self, way: str) -> None:
        """Check that both files have been credited with exactly what was written to them."""
        with tempfile.TemporaryDirectory() as folder:
            files = [os.path.realpath(Path(folder) / name) for name in ("first", "second")]
            delta = self.trace(program("descriptors"), way, *files, log_rate=0).delta
            written = [
                total(delta, lambda key, info, file=file: key.call == "write" and info.name == file)  # type: ignore[misc]
                for file in files
            ]
            sizes = [Path(file).stat().st_size for file in files]
        self.assertEqual(sizes, [row.bytes_out for row in written])
        self.assertEqual([sizes[0], sizes[1] // 2], [row.count for row in written])
        self.assertTrue(all(sizes))

    def test_reuse(self) -> None:
        """A number that was closed and used again stands for the new file."""
        self.assert_credited("reuse")

    def test_replace(self) -> None:
        """A number that dup2, dup3 or fcntl has replaced stands for the new file."""
        self.assert_credited("replace")

    def test_rights(self) -> None:
        """A descriptor that was received over a socket stands for the file of the sender."""
        self.assert_credited("rights")

    def test_ranges(self) -> None:
        """A number in a range that was closed can be used again."""
        self.assert_credited("ranges")

    def test_share(self) -> None:
        """Processes that share a table see each other's files, others do not."""
        self.assert_credited("share")

    def test_execute(self) -> None:
        """Execve closes those descriptors that are to be closed."""
        self.assert_credited("execute")

    def test_supersede(self) -> None:
        """What is read from a pipe is credited to it, even if its number stands for a file now."""
        with tempfile.NamedTemporaryFile() as file:
            file.write(b"x")
            file.flush()
            name = os.path.realpath(file.name)
            delta = self.trace(program("superseded"), name).delta
        of_file = total(delta, lambda key, info: (key.call, info.name) == ("read", name))
        self.assertEqual((20, 20), (of_file.count, of_file.bytes_in))
        of_pipes = total(delta, lambda key, i: (key.call, i.kind) == ("read", ObjectKind.PIPE))
        self.assertEqual((20, 160), (of_pipes.count, of_pipes.bytes_in))
