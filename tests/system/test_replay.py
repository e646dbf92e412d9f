"""Tests of `syswatch replay` as a process."""

import re
import signal
from pathlib import Path

from twisted.trial.unittest import SynchronousTestCase

from syswatch.model.messages import Ended
from tests.recording import samples
from tests.recording.samples import BEGUN_NS, SOME
from tests.system.servers import SYSWATCH, children, running, wait_for

_BEGUN_MS = BEGUN_NS // 1_000_000


class ReplayTests(SynchronousTestCase):
    """A recording that is served."""

    def test_served(self) -> None:
        """The whole is shown with its ending, any range with its own numbers."""
        folder = samples.write(Path(self.mktemp()), end=Ended(3))
        with running([*SYSWATCH, "replay", "--serve", ":0", str(folder)]) as server:
            status = wait_for(lambda: _done(server.json("/api/status")))
            self.assertEqual((len(SOME) - 1, 3), (status["Total"], status["ExitCode"]))
            path = f"/api/dashboard?from={_BEGUN_MS + 1000}&to={_BEGUN_MS + 2000}"
            counts = {row["Name"]: row["Count"] for row in server.json(path)["Stats"]}
            self.assertEqual({"recvfrom": 1, "sendfile": 1, "getpid": 1}, counts)
            readers = children(server.process.pid)
            self.assertEqual(0, server.end(signal.SIGTERM))
        self.assertTrue(readers)
        for pid in readers:
            wait_for(lambda pid=pid: not Path(f"/proc/{pid}").exists())

    def test_damaged(self) -> None:
        """A damaged segment is named, and left out of ranges."""
        folder = samples.write(Path(self.mktemp()))
        (folder / "calls" / "00000001.parquet").write_bytes(b"PAR1 damaged PAR1")
        with running([*SYSWATCH, "replay", "--serve", ":0", str(folder)]) as server:
            note = server.read_until(r"1 segment is damaged and left out: (.*)\n")
            self.assertTrue(re.match(r"calls/00000001\.parquet: ", note[1]), note[1])
            path = f"/api/dashboard?from={_BEGUN_MS}&to={_BEGUN_MS + 9000}"
            self.assertEqual(4, sum(row["Count"] for row in server.json(path)["Stats"]))


def _done(status: dict[str, object]) -> dict[str, object] | None:
    return status if status["Done"] else None
