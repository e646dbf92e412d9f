"""Tests that a filtered command survives its tracer being killed."""

import contextlib
import os
import subprocess
import sys
from pathlib import Path

from syswatch.machine.proc import identify
from syswatch.tracer.ptrace.successor import start_successor
from tests.system.servers import PATIENCE_S, is_running, wait_for
from tests.tracer.programs import program

from .case import PtraceCase

_APPOINT = f"from {start_successor.__module__} import start_successor; print(start_successor(0))"


def _open_files(pid: int) -> list[str]:
    """Return what the descriptors of a process stand for."""
    found = []
    for each in Path(f"/proc/{pid}/fd").iterdir():
        with contextlib.suppress(FileNotFoundError):  # It has just been closed.
            found.append(str(each.readlink()))
    return found


class SuccessorTests(PtraceCase):
    """Taking over."""

    def test_tracer_killed(self) -> None:
        """Threads and children that call all the time continue undisturbed."""
        tracer, write_end = self.start_with_pipe(
            *("sh", "-c", f"{program('steady')}; echo $?"),
            trace="getppid,wait4,clone",
        )
        target = tracer.await_start().process.pid
        tracer.await_calls("getppid", 1000)
        tracer.process.kill()
        tracer.receive_all()
        wait_for(lambda: self.tracer_of(target) not in {0, tracer.process.pid})
        successor = self.tracer_of(target)
        os.close(write_end)
        self.assertEqual(b"ready\n42\n", tracer.finish().output)
        wait_for(lambda: not is_running(successor))

    def test_service_killed(self) -> None:
        """Calls continue to succeed if the tracer, which is alive, cannot send what it counts."""
        # Only sometimes is a thread stopped at the moment at which it notices that.
        for _ in range(5):
            tracer, write_end = self.start_with_pipe(
                *("sh", "-c", f"{program('steady')}; echo $?"),
                trace="getppid,wait4,clone",
            )
            tracer.await_start()
            tracer.await_calls("getppid", 1000)
            pipe = f"pipe:[{tracer.close_frames()}]"
            tracer.close_control()
            wait_for(lambda tracer=tracer, pipe=pipe: pipe not in _open_files(tracer.process.pid))
            os.close(write_end)
            output, _ = tracer.process.communicate(timeout=PATIENCE_S)
            self.assertEqual(b"ready\n42\n", output)

    def tracer_of(self, pid: int) -> int:
        """Return the tracer of a process."""
        identity = identify(pid)
        assert identity is not None
        return identity.tracer

    def test_allowed(self) -> None:
        """Whether the successor can take over is known from the start."""
        command = (sys.executable, "-c", _APPOINT)
        # A process that is traced already cannot be traced by the successor.
        for prefix, answer in (((), b"True\n"), (("strace", "-o", "/dev/null"), b"False\n")):
            said = subprocess.run([*prefix, *command], capture_output=True, check=True)
            self.assertEqual(answer, said.stdout)
