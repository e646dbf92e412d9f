"""Tests of `syswatch stats` while it reads and serves."""

import os
import signal
import subprocess
from pathlib import Path
from typing import Any

from syswatch.codec.frames import Decoder
from syswatch.codec.recording import MAGIC
from tests.reading import total
from tests.system.servers import PATIENCE_S, SYSWATCH, running, tracers_of, wait_for
from tests.system.stats_case import LINE, LOG, StatsTestCase


def reads_in(recording: Path) -> int:
    """Return the number of read calls in a recording that may be incomplete."""
    if not recording.exists():
        return 0
    decoder = Decoder()
    decoder.receive_data(recording.read_bytes().removeprefix(MAGIC))
    calls = total(list(decoder.events())).calls
    return calls["read"].count if "read" in calls else 0


class ServingTests(StatsTestCase):
    """Logs that are still being written."""

    def serve(self) -> tuple[Any, int]:
        """Serve a pipe; return the server and the write end."""
        reading, writing = os.pipe()
        self.addCleanup(os.close, reading)
        os.write(writing, LINE)
        return running([*SYSWATCH, "stats", "--serve", ":0", "-"], stdin=reading), writing

    def test_answers_while_reading(self) -> None:
        """Answers cover what was read so far, and the end is noticed."""
        context, writing = self.serve()
        with context as server:
            wait_for(lambda: server.json("/api/status")["Total"] == 1)
            self.assertFalse(server.json("/api/status")["Done"])

            os.write(writing, LINE * 4)
            wait_for(lambda: server.json("/api/status")["Total"] == 5)
            self.assertEqual(5 * len(LINE), server.json("/api/status")["Reading"]["Bytes"])
            self.assertEqual(5, server.json("/api/syscall/read")["Count"])

            os.close(writing)
            wait_for(lambda: server.json("/api/status")["Done"])
            self.assertEqual(0.0, server.json("/api/status")["Rate"])
            self.assertEqual(0, server.end(signal.SIGINT))

    def test_interrupted_while_reading(self) -> None:
        """Ctrl+C ends it while the pipe is silent."""
        context, writing = self.serve()
        with context as server:
            wait_for(lambda: server.json("/api/status")["Total"] == 1)

            self.assertEqual(128 + signal.SIGINT, server.end(signal.SIGINT))

            self.assertNotIn(b"Traceback", server.output)
        os.close(writing)

    def test_tracer_is_killed(self) -> None:
        """When the tracer is killed, the numbers stay, with the reason; the status is 1."""
        context, writing = self.serve()
        with context as server:
            wait_for(lambda: server.json("/api/status")["Total"] == 1)
            (tracer,) = tracers_of(server.process.pid)

            os.kill(tracer, signal.SIGKILL)

            status = wait_for(lambda: (found := server.json("/api/status"))["Done"] and found)
            self.assertEqual(1, status["Total"])
            self.assertIn("killed by signal 9", status["Trouble"])
            self.assertEqual(1, server.json("/api/syscall/read")["Count"])
            server.end(signal.SIGTERM)
            self.assertIn(b"killed by signal 9", server.output)
        os.close(writing)

    def test_whole_file(self) -> None:
        """The progress is served, and the server runs until it is stopped."""
        with running([*SYSWATCH, "--serve", "127.0.0.1:0", "stats", str(LOG)]) as server:
            wait_for(lambda: server.json("/api/status")["Done"])
            reading = server.json("/api/status")["Reading"]

            self.assertEqual((100.0, LOG.stat().st_size), (reading["Percent"], reading["Bytes"]))
            self.assertIsNone(server.process.poll())
            self.assertEqual(0, server.end(signal.SIGTERM))


class InterruptTests(StatsTestCase):
    """Ctrl+C without a server."""

    def test_numbers_until_then(self) -> None:
        """The numbers so far are printed, with the status of an interrupt."""
        reading, writing = os.pipe()
        os.write(writing, LINE * 3)
        recording = self.folder / "recording"
        with subprocess.Popen(
            [*SYSWATCH, "stats", "--record", str(recording), "-"],
            stdin=reading,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        ) as process:
            # It records at once what it has counted.
            wait_for(lambda: reads_in(recording / "deltas") == 3)
            process.send_signal(signal.SIGINT)
            printed, errors = process.communicate(timeout=PATIENCE_S)
        os.close(reading)
        os.close(writing)

        self.assertEqual(130, process.returncode, errors)
        self.assertIn("3 calls (1 distinct)", printed)
        self.assertRegex(errors, r"\Asyswatch: interrupted.*\nsyswatch: recording .*\n\Z")
