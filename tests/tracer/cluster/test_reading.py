"""Tests of reading on the workers of a real cluster."""

import gzip
import os
import signal
import subprocess
import sys
from functools import partial
from pathlib import Path
from unittest.mock import MagicMock

import dask
from distributed import Client, LocalCluster
from distributed.scheduler import KilledWorker
from twisted.trial.unittest import SynchronousTestCase

from syswatch.model.delta import Delta
from syswatch.model.messages import Ended, Failed, Started
from syswatch.tracer.cluster import connection, tasks
from syswatch.tracer.inputs import log_source, parallel
from tests import samples
from tests.reading import read_logs, total
from tests.tracer.cluster.workers import two_workers

LOGS = sorted(samples.LOGS.glob("*.log"))
_NOBODY = "tcp://127.0.0.1:9"
_WITHOUT_TWISTED = """
import sys
from syswatch.tracer.cluster import reading
sys.exit("twisted" in sys.modules)
"""


class ClusterTests(SynchronousTestCase):
    """A cluster of two workers, in processes of their own."""

    @property
    def scheduler(self) -> str:
        """The address of the cluster."""
        address: str = two_workers().scheduler_address
        return address

    def test_same_sums(self) -> None:
        """The numbers and the end are those of one process."""
        local = read_logs(LOGS)

        messages = read_logs(LOGS, scheduler=self.scheduler)

        self.assertEqual(total(local), total(messages))
        self.assertEqual(Ended(), messages[-1])
        starts = [each for each in messages if isinstance(each, Started)]
        self.assertEqual(local[0], starts[-1])
        self.assertIs(messages[0], starts[0])

    def test_killed_worker(self) -> None:
        """A worker that is killed while it reads is harmless."""
        self.patch(parallel, "RANGE_BYTES", 3000)
        files = [*LOGS * 40]
        local = total(read_logs(files))
        client = Client(two_workers(), set_as_default=False)
        self.addCleanup(client.close)
        before = client.run(os.getpid)
        victim = min(before.values())
        asked: list[None] = []

        def kill() -> bool:
            asked.append(None)
            # Some of them have been read by then, and their results are lost with it.
            if len(asked) == 8:
                os.kill(victim, signal.SIGKILL)
            return False

        messages = read_logs(files, must_stop=kill, scheduler=self.scheduler)

        self.assertLess(8, len(asked))
        self.assertEqual(Ended(), messages[-1])
        self.assertEqual(local, total(messages))
        client.wait_for_workers(2, timeout=60)
        self.assertNotIn(victim, client.run(os.getpid).values())

    def test_stopped(self) -> None:
        """A reading that is stopped sends what was read, and as many bytes as that had."""
        asked: list[None] = []

        def must_stop() -> bool:
            asked.append(None)
            return len(asked) > 6

        messages = read_logs(LOGS * 40, must_stop=must_stop, scheduler=self.scheduler)

        self.assertEqual(Ended(), messages[-1])
        whole = total(messages)
        self.assertLess(whole.reading.bytes, 40 * sum(each.stat().st_size for each in LOGS))
        self.assertEqual(whole.reading.bytes > 0, whole.reading.lines > 0)

    def test_unreadable(self) -> None:
        """Inputs that cannot be read are named, and all others are counted."""
        damaged = Path(self.mktemp() + ".gz")
        lines = b"".join(b"close(%d) = 0\n" % (n * n) for n in range(10_000))
        damaged.write_bytes(gzip.compress(lines)[:-1000])
        files: list[str | Path] = [LOGS[0], "/nonexistent", damaged, LOGS[1]]

        *messages, failed = read_logs(files, scheduler=self.scheduler)

        *local, as_local = read_logs(files)
        self.assertEqual(as_local, failed)
        self.assertTrue(isinstance(failed, Failed) and failed.exit_status == 1)
        self.assertIn("/nonexistent: No such file", str(failed))
        self.assertIn(f"{damaged}: the compressed data ends too early", str(failed))
        self.assertEqual(total(local), total(messages))

    def test_no_calls(self) -> None:
        """Inputs without a call are an error, as with one process."""
        path = Path(self.mktemp())
        path.write_text("Hello.\n", "ascii")

        *_, failed = read_logs([path], scheduler=self.scheduler)

        self.assertEqual(read_logs([path])[-1], failed)

    def test_numbers_grow(self) -> None:
        """The numbers of the first inputs are sent before the last ones have been read."""
        self.patch(log_source, "LEAST_PARALLEL_BYTES", 1 << 40)

        messages = read_logs(LOGS * 40, scheduler=self.scheduler)

        deltas = [each for each in messages if isinstance(each, Delta) and each.calls]
        self.assertLess(1, len(deltas))

    def test_killed_when_asked(self) -> None:
        """A worker that ends while it is asked for its version is not missed."""
        self.patch(tasks, "about_worker", partial(_end_first, Path(self.mktemp()).absolute()))

        messages = read_logs(LOGS, scheduler=self.scheduler)

        self.assertEqual(total(read_logs(LOGS)), total(messages))

    def test_another_version(self) -> None:
        """Workers with another version of syswatch are refused."""
        self.patch(connection, "VERSION", "0.0.1")

        *_, failed = read_logs(LOGS, scheduler=self.scheduler)

        self.assertTrue(isinstance(failed, Failed))
        self.assertRegex(str(failed), "the worker tcp://.* has syswatch .*, and this is 0.0.1")


class NoClusterTests(SynchronousTestCase):
    """What is said if there is no cluster that can work."""

    def test_unreachable(self) -> None:
        """A scheduler that does not answer is named."""
        self.patch(connection, "_CONNECT_S", 1)

        *_, failed = read_logs(LOGS, scheduler=_NOBODY)

        self.assertTrue(isinstance(failed, Failed) and failed.exit_status == 1)
        self.assertIn(f"cannot connect to the Dask scheduler {_NOBODY}", str(failed))

    def test_lost(self) -> None:
        """That a scheduler has ended while it was used is said in one sentence."""
        address = "127.0.0.1:0"
        with (
            dask.config.set({"distributed.comm.timeouts.connect": "1s"}),
            LocalCluster(n_workers=1, dashboard_address=address, host="127.0.0.1") as cluster,
            connection.connected(cluster.scheduler_address) as client,
        ):
            cluster.close()
            error = self.assertRaises(connection.ClusterError, connection.threads_of, client)
        self.assertIn("the connection to the Dask scheduler was lost: ", str(error))
        self.assertEqual(1, len(str(error).splitlines()))

    def test_without_workers(self) -> None:
        """A scheduler without workers is an error, instead of waiting for ever."""
        self.patch(connection, "_FIRST_WORKER_S", 0.1)
        address = "127.0.0.1:0"
        with LocalCluster(n_workers=0, dashboard_address=address, host="127.0.0.1") as cluster:
            *_, failed = read_logs(LOGS, scheduler=cluster.scheduler_address)

        self.assertIn("has no workers", str(failed))

    def test_own_cluster(self) -> None:
        """Without an address, a cluster is started, and ends with the reading."""
        messages = read_logs(LOGS[:2], scheduler="")

        self.assertEqual(total(read_logs(LOGS[:2])), total(messages))
        children = Path(f"/proc/self/task/{os.getpid()}/children").read_text("ascii").split()
        self.assertFalse([each for each in children if b"spawn_main" in _command_line(each)])

    def test_failures(self) -> None:
        """An input whose task ends its workers is named; others are errors of the cluster."""
        killed = KilledWorker("key-1", MagicMock(), 3)

        about = connection.failure(killed, {"key-1": "a.log"})

        self.assertEqual(
            "a.log: the workers that read it were killed 4 times"
            " (it may need more memory than they have)",
            str(about),
        )
        other = connection.failure(ValueError("one\ntwo"), {})
        self.assertEqual("a task of the Dask cluster failed: one", str(other))

    def test_without_twisted(self) -> None:
        """The process that reads never imports Twisted."""
        subprocess.run([sys.executable, "-c", _WITHOUT_TWISTED], check=True)

    def test_version(self) -> None:
        """Workers report the version that is compared."""
        self.assertEqual(connection.VERSION, tasks.about_worker())


def _end_first(mark: Path) -> str:
    """Report the version, except on the first worker, which ends."""
    try:
        mark.touch(exist_ok=False)
    except FileExistsError:
        return connection.VERSION
    os.kill(os.getpid(), signal.SIGKILL)
    raise AssertionError


def _command_line(pid: str) -> bytes:
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return b""  # It has ended.
