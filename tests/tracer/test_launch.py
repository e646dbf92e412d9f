"""Tests of starting commands that fail."""

import os
import signal
from pathlib import Path

from twisted.trial.unittest import TestCase

from syswatch.model.messages import RunCommand
from syswatch.tracer.errors import InterruptedStartError, LaunchError
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

    def interrupt(self, dispositions: dict[int, object]) -> None:
        """Launch a command while a Ctrl+C that came before is held back."""
        held_back = {signal.SIGINT}
        handler = signal.signal(signal.SIGINT, signal.SIG_IGN)
        before = signal.pthread_sigmask(signal.SIG_BLOCK, held_back)
        try:
            # To this thread alone: any other would take it, and ignore it.
            signal.raise_signal(signal.SIGINT)
            launch(RunCommand(("true",)), dispositions, held_back=held_back).abandon()
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, before)
            signal.signal(signal.SIGINT, handler)

    def test_interrupted(self) -> None:
        """A Ctrl+C before the command exists is for it; nothing of it is left."""
        before = _children()
        error = self.assertRaises(InterruptedStartError, self.interrupt, {})

        self.assertEqual(signal.SIGINT, error.number)
        self.assertEqual(frozenset(), _children() - before)

    def test_ignored_interrupt(self) -> None:
        """A command that ignores it, as one in the background does, starts."""
        self.interrupt({signal.SIGINT: signal.SIG_IGN})

    def test_held_back(self) -> None:
        """The new process receives what its starter has held back."""
        held_back = {signal.SIGUSR2}
        before = signal.pthread_sigmask(signal.SIG_BLOCK, held_back)
        try:
            waiting = launch(RunCommand(("true",)), {}, held_back=held_back)
            os.kill(waiting.pid, signal.SIGUSR2)
            _, status = os.waitpid(waiting.pid, 0)
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, before)

        self.assertEqual(signal.SIGUSR2, os.WTERMSIG(status))

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


def _children() -> frozenset[str]:
    """Return the PIDs of the children of this process, ended ones that were not waited for, too."""
    files = Path("/proc/self/task").glob("*/children")
    return frozenset(pid for file in files for pid in file.read_text().split())
