"""Tests that an execution is credited to its program, wherever the path is in memory."""

import os
from pathlib import Path

from syswatch.model.objects import ObjectInfo, ObjectKind
from tests.tracer.programs import program

from .abis import program_32
from .case import BackendCase

_NAMELESS = ObjectInfo(ObjectKind.NONE)


class ExecutionContract(BackendCase):
    """A program that executes another one by a path that only the kernel has read."""

    def executed(self, *command: str, call: str = "execve") -> list[tuple[str, int, int]]:
        """Return the objects of a call but the command, with the calls and the errors of each."""
        delta = self.trace(*command).delta
        executed = [
            (delta.objects.get(key.object, _NAMELESS).name, row.count, row.errors)
            for key, row in delta.activity.items()
            if key.call == call
        ]
        return sorted(each for each in executed if each[0] != command[0])

    def test_absolute(self) -> None:
        """An absolute path is the name, also if it is a symbolic link."""
        self.assertEqual([("/bin/true", 1, 0)], self.executed(program("unread"), "/bin/true"))

    def test_relative(self) -> None:
        """A relative path is relative to the working directory."""
        folder = Path(self.mktemp())
        folder.mkdir()
        (folder / "nothing").symlink_to("/bin/true")
        command = ("/usr/bin/env", "-C", str(folder), program("unread"), "./nothing")
        (name,) = (name for name, *_ in self.executed(*command) if name != program("unread"))
        # On the kernels of tests/kernels, after the directory that is the root here.
        self.assertTrue(name.endswith(os.path.realpath(folder) + "/nothing"), name)

    def test_script(self) -> None:
        """A script is the name, not its interpreter."""
        script = Path(self.mktemp()).absolute()
        script.write_text("#!/bin/sh\nexit 0\n")
        script.chmod(0o755)
        self.assertEqual([(str(script), 1, 0)], self.executed(program("unread"), str(script)))

    def test_at(self) -> None:
        """So it is with execveat."""
        command = (program("unread"), "/bin/true", "at")
        self.assertEqual([("/bin/true", 1, 0)], self.executed(*command, call="execveat"))

    def test_failed(self) -> None:
        """A program that does not exist is named, too."""
        self.assertEqual([("/nowhere", 1, 1)], self.executed(program("unread"), "/nowhere"))

    def test_32_bit(self) -> None:
        """A 32-bit program executes a 64-bit one, and the other way round."""
        program_32()
        small = program("unread", "-m32")
        self.assertEqual([(small, 1, 0)], self.executed(program("unread"), small)[:1])
        executed = self.executed(small, "/bin/true", call="execve@i386")
        self.assertEqual([("/bin/true", 1, 0)], executed)
