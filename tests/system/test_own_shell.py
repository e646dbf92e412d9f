"""Tests of tracing the shell that syswatch was started from."""

import os
import signal
import subprocess

from twisted.trial.unittest import SynchronousTestCase

from tests.system.servers import SYSWATCH, running, wait_for
from tests.tracer.ebpf.case import require_ebpf

_ATTACHES_TO_ITSELF = '"$@" $$ & echo "pid $!." >&2; read line'


class OwnShellTests(SynchronousTestCase):
    """The shell is traced, and syswatch itself is not."""

    def test_ebpf(self) -> None:
        """Only the calls of the shell are counted, and the trace ends with it."""
        require_ebpf()
        attach = (*SYSWATCH, "attach", "--backend", "ebpf", "--serve", ":0")
        words = ("sh", "-c", _ATTACHES_TO_ITSELF, "sh", *attach)
        with running(words, stdin=subprocess.PIPE) as server:
            own = int(server.read_until(r"pid (\d+)\.")[1])
            try:
                wait_for(lambda: server.json("/api/status")["Proc"]["PID"] == server.process.pid)
                assert server.process.stdin is not None
                server.process.stdin.close()
                wait_for(lambda: server.json("/api/status")["Done"])
                processes = server.json("/api/processes")
            finally:
                os.kill(own, signal.SIGTERM)
        self.assertEqual([server.process.pid], [process["PID"] for process in processes])
