"""What holds for blocks with every backend."""

import json
import os
import select
import signal
import subprocess
from pathlib import Path

from tests.system.servers import PATIENCE_S

from . import blocks
from .scripts import ScriptCase


class BlockContract(ScriptCase):
    """Blocks: exactly their calls, and nothing else is affected."""

    def test_counts(self) -> None:
        """The calls of a block are those of the block, to the last one."""
        seen = self.tell(blocks.COUNTS)["seen"]
        expected = [{}, {"getppid": 1}, {"getppid": 100}, {"getppid": 10_000}]
        self.assertEqual([[each, [], self.backend] for each in expected], seen)

    def test_threads(self) -> None:
        """Threads count with what they do in the block, unless they are left out."""
        told = self.tell(blocks.THREADS)
        self.assertEqual({"count": 10 + 5 + 4 * 250, "others": 7}, told)

    def test_children(self) -> None:
        """Children count; what leaves the block in one does no harm; none is added."""
        told = self.tell(blocks.CHILDREN)
        self.assertEqual(50 + 3 + 4, told["count"])
        self.assertEqual({"/bin/cat": 1}, told["programs"])
        self.assertEqual(1, told["failed"]["/nonexistent/file"])
        self.assertTrue(told["alone"])
        self.assertEqual(6, told["child"])

    def test_nested(self) -> None:
        """A block in a block counts in both, without what watching it takes."""
        seen = self.tell(blocks.NESTED)["seen"]
        self.assertEqual([{"getppid": count} for count in (15, 6, 4)], seen)

    def test_asyncio(self) -> None:
        """Coroutines and their threads count."""
        self.assertEqual({"count": 63, "has_slept": True}, self.tell(blocks.ASYNCIO))

    def test_objects(self) -> None:
        """Paths, errors, peers and bytes."""
        folder = Path(self.mktemp()).absolute()
        folder.mkdir()
        real = folder.resolve()
        told = self.tell(blocks.OBJECTS, str(folder))
        self.assertEqual({f"{real}/input": 1, f"{real}/missing": 1}, told["paths"])
        self.assertEqual({f"{real}/missing": 1}, told["failed"])
        self.assertEqual(1, told["errors"]["ENOENT"])
        self.assertEqual(1, told["failures"]["openat"]["ENOENT"])
        self.assertEqual(5, told["peer"])
        self.assertEqual([1000, 5], told["bytes"])
        self.assertGreaterEqual(told["net"], 3)
        self.assertTrue(told["total"])
        self.assertEqual([True, False], told["has"])

    def test_mistakes(self) -> None:
        """Errors of a block pass through, and mistakes are explained."""
        told = self.tell(blocks.ERRORS)
        self.assertEqual(2, told["count"])
        self.assertIn("known when the block has ended", told["early"])
        self.assertIn("can be watched once", told["again"])
        self.assertIn("unknown system call 'opneat'; did you mean openat", told["unknown"])
        self.assertIn("start it with subprocess", told["inside"])

    def test_killed_tracer(self) -> None:
        """A program continues when its watcher is killed, and can be watched again."""
        told = self.tell(blocks.KILLED)
        self.assertEqual(2, len(told["told"]), told)
        for text in told["told"]:
            self.assertIn("the watcher ended unexpectedly", text)
        self.assertEqual(["TracerPid:\t0\n"], told["traced"])
        self.assertEqual(3, told["count"])

    def test_killed_program(self) -> None:
        """When the program is killed, its watcher and tracer end."""
        with subprocess.Popen(
            self.command(blocks.FIND + blocks.WAITING), stdout=subprocess.PIPE, text=True
        ) as process:
            assert process.stdout is not None
            pids = json.loads(process.stdout.readline())["pids"]
            pidfds = [os.pidfd_open(pid) for pid in pids]
            for each in pidfds:
                self.addCleanup(os.close, each)
            process.kill()
            self.assertEqual(-signal.SIGKILL, process.wait(PATIENCE_S))
        self.assertEqual(3, len(pids))
        self.assert_ended(pidfds)

    def test_closed_descriptors(self) -> None:
        """A program that closes all descriptors gets an error, and nothing is written elsewhere."""
        told = self.tell(blocks.CLOSED, self.mktemp())
        self.assertIn("has closed the connection", told["told"])
        self.assertEqual(0, told["size"])
        self.assertEqual(3, told["count"])

    def assert_ended(self, pidfds: list[int]) -> None:
        """Wait until all of these processes have ended."""
        waiting = set(pidfds)
        while waiting:
            ready = select.select(waiting, [], [], PATIENCE_S)[0]
            self.assertTrue(ready, "a process did not end")
            waiting -= set(ready)
