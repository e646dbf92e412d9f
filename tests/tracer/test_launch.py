"""Tests of starting commands that fail."""

import os
from pathlib import Path

from twisted.trial.unittest import TestCase

from syswatch.model.messages import RunCommand
from syswatch.tracer.errors import LaunchError
from syswatch.tracer.launch import launch


class LaunchTests(TestCase):
    """A new process waits until it may become the command."""

    def test_tracer_ends(self) -> None:
        """It never becomes the command if the process that started it ends."""
        marker = Path(self.mktemp()).resolve()
        read_end, write_end = os.pipe()
        # The command would keep it open, so the end of the pipe shows that it has ended.
        os.set_inheritable(write_end, True)  # noqa: FBT003  it has no name for it
        tracer = os.fork()
        if tracer == 0:
            launch(RunCommand(("touch", str(marker))), {})
            os._exit(0)
        os.close(write_end)
        os.waitpid(tracer, 0)
        self.assertEqual(b"", os.read(read_end, 1))
        os.close(read_end)
        self.assertFalse(marker.exists())

    def test_impossible(self) -> None:
        """A missing or invalid command is an error before anything is traced."""
        file = Path(self.mktemp())
        file.touch()
        for command, status in (
            ("no-such-command", 127),
            ("./absent", 127),
            (str(file), 126),
            ("/", 126),
        ):
            error = self.assertRaises(LaunchError, launch, RunCommand((command,)), {})
            self.assertEqual(status, error.exit_status, error)
            self.assertIn(command, str(error))
