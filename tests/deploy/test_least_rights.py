"""Runs of syswatch with exactly the rights that the chart gives it, and with fewer."""

import os
import shutil
import signal
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from twisted.trial.unittest import SynchronousTestCase

from tests.deploy.manifests import Manifest, arguments_of, container_of, rendered
from tests.system.capable import BECOME_NOBODY, Capable
from tests.system.servers import PATIENCE_S, SYSWATCH, need, need_root, running, wait_for
from tests.tracer.ebpf.case import require_ebpf
from tests.tracer.strace import require_tracing

_HEADERS = {"Authorization": "Bearer secret"}
# One word, as the name of a process is cut after 15 bytes.
# Tests may run several times at once, and each waits for its own.
_TARGET = f"target-{os.getpid()}"


def rights_as_command(security: Manifest, without: str = "") -> tuple[str, ...]:
    """Return the command that has the rights of a security context, without one capability."""
    added = [each.lower() for each in security["capabilities"].get("add", ()) if each != without]
    kept = "".join(f",+{each}" for each in added)
    # A container of root has the capabilities of its bounding set, and can't gain others.
    rights = ("setpriv", f"--bounding-set=-all{kept}", "--inh-caps=-all", "--no-new-privs")
    return (*rights, "--clear-groups", f"--regid={security['runAsGroup']}")


def here(words: Sequence[str]) -> list[str]:
    """Return arguments with what is different on the machine of the tests."""
    replaced = {"--serve=0.0.0.0:8080": "--serve=127.0.0.1:0"}
    return [replaced.get(each, each.replace("=nginx", f"={_TARGET}")) for each in words]


@contextmanager
def target(folder: Path, *before: str) -> Iterator["subprocess.Popen[bytes]"]:
    """Run a program that makes a call every tenth of a second."""
    folder.mkdir()
    sleeping = shutil.copy(str(shutil.which("bash")), folder / _TARGET)
    Path(sleeping).chmod(0o755)
    # It starts no other process: `read` gives up on a pipe that stays silent.
    loop = "while :; do read -t 0.1 || :; done"
    with subprocess.Popen(
        [*before, sleeping, "-c", loop], stdin=subprocess.PIPE, stderr=subprocess.DEVNULL
    ) as process:
        try:
            yield process
        finally:
            process.kill()


class DaemonSetTests(SynchronousTestCase):
    """The agent of a node."""

    def setUp(self) -> None:
        """Skip the test unless there are rights to give up."""
        require_ebpf()
        need_root()
        need("setpriv")
        self.container = container_of(rendered("daemonset"))
        self.words = here(arguments_of(self.container, Path(self.mktemp())))

    def test_enough(self) -> None:
        """It counts the calls of a process of another user, and names it."""
        rights = rights_as_command(self.container["securityContext"])
        folder = Path(self.mktemp()).absolute()
        with (
            running([*rights, *SYSWATCH, *self.words]) as server,
            target(folder) as process,
        ):
            wait_for(lambda: server.ask("/readyz", _HEADERS)[0] == 200)
            # Before it executes its program, it has the name of its parent.
            wait_for(lambda: self.names(server.ask("/api/processes", _HEADERS)[1], process))
            self.assertEqual(401, server.ask("/metrics")[0])
            self.assertEqual(200, server.ask("/metrics", _HEADERS)[0])
            self.assertEqual(200, server.ask("/healthz")[0])

    def test_least(self) -> None:
        """Without any of its capabilities it fails."""
        security = self.container["securityContext"]
        for capability in security["capabilities"]["add"]:
            command = [*rights_as_command(security, capability), *SYSWATCH, *self.words]
            result = subprocess.run(
                command, capture_output=True, text=True, timeout=PATIENCE_S, check=False
            )
            self.assertEqual(1, result.returncode, result.stderr)
            self.assertIn(f"it needs CAP_{capability}", result.stderr)

    def names(self, processes: bytes, process: "subprocess.Popen[bytes]") -> bool:
        """Return whether a process is among some, with its name."""
        return all(each in processes for each in (b'"PID":%d,' % process.pid, _TARGET.encode()))


class SidecarTests(SynchronousTestCase):
    """The container beside an application."""

    def setUp(self) -> None:
        """Skip the test unless there are rights to give up."""
        require_tracing()
        need_root()
        need("setpriv")
        self.folder = Path(self.mktemp()).absolute()
        self.container = container_of(rendered("sidecar"))
        self.words = here(arguments_of(self.container, Path(self.mktemp())))

    def test_enough(self) -> None:
        """It traces a process of another user, and ends as this did."""
        rights = rights_as_command(self.container["securityContext"])
        with running([*rights, *SYSWATCH, *self.words]) as server:
            # It waits for its target.
            self.assertEqual(200, server.ask("/healthz")[0])
            with target(self.folder, *BECOME_NOBODY) as process:
                wait_for(lambda: server.json("/api/status")["Total"])
                process.kill()
                self.assertEqual(-signal.SIGKILL, server.process.wait(PATIENCE_S))

    def test_least(self) -> None:
        """Without its capability, it can't attach to a process of another user."""
        security = self.container["securityContext"]
        words = [each for each in self.words if each != "--wait"]
        with target(self.folder, *BECOME_NOBODY):
            result = subprocess.run(
                [*rights_as_command(security, "SYS_PTRACE"), *SYSWATCH, *words],
                capture_output=True,
                text=True,
                timeout=PATIENCE_S,
                check=False,
            )
        self.assertEqual(1, result.returncode, result.stderr)
        self.assertIn("SYS_PTRACE", result.stderr)

    def test_same_user(self) -> None:
        """As the user of the target, it needs no capability."""
        capable = Capable.make()
        self.addCleanup(capable.remove)
        # These are for files that have capabilities: without new privileges they have no effect.
        command = ("setpriv", "--no-new-privs", *capable.as_nobody, *capable.syswatch)
        scope = Path("/proc/sys/kernel/yama/ptrace_scope")
        if scope.exists() and scope.read_text().strip() != "0":
            self.skipTest("Yama permits only to trace children")
        with (
            target(self.folder, *BECOME_NOBODY) as process,
            running(
                [*command, *self.words],
                {**os.environ, **capable.environment},
                pass_fds=capable.descriptors,
                cwd="/",
            ) as server,
        ):
            status = Path(f"/proc/{server.process.pid}/status").read_text()
            self.assertIn("CapEff:\t0000000000000000\n", status)
            wait_for(lambda: server.json("/api/status")["Total"])
            self.assertIsNone(process.poll())
