"""Tests of `--otlp` with a collector of the test."""

import json
import subprocess
from collections.abc import Mapping
from pathlib import Path
from ssl import PROTOCOL_TLS_SERVER, SSLContext
from typing import Any

import trustme
from twisted.trial.unittest import SynchronousTestCase

from syswatch.machine.capabilities import read_facts
from syswatch.machine.doctor import backend_verdict
from syswatch.model.backends import EBPF
from tests.otlp.collector import Collected, collecting, metrics_of
from tests.otlp.reading import attributes_of, values_of
from tests.system.servers import PATIENCE_S, PYTHON, SYSWATCH, TWISTD, free_port, wait_for
from tests.system.shell import run

# Some calls that fail, some that transfer bytes, and one that is slow.
_PROGRAM = """
import os, time
for _ in range(50):
    os.getppid()
    try:
        os.stat("/no/such/file")
    except OSError:
        pass
open("/dev/zero", "rb").read(4096)
"""
_SLOW = """
import subprocess, time
subprocess.run(["sleep", "0.4"])
"""
# Of a log: 2023.
_BEGAN_S = 1_700_000_000
_TRACE, _PARENT = "4bf92f3577b34da6a3ce929d0e0e4736", "00f067aa0ba902b7"
# Waits for a child itself, and starts a program that does so, but takes part in no trace.
_TRACED = """
import os, subprocess, sys
subprocess.run(["sleep", "0.4"])
program = "import os; os.posix_spawn('/bin/sleep', ('sleep', '0.3'), {}); os.wait()"
subprocess.run([sys.executable, "-S", "-c", program], env={})
"""
_BACKENDS = ("ptrace", "ebpf") if backend_verdict(EBPF, read_facts()).usable else ("ptrace",)
# The tracer that needs the fewest rights.
_RUN = (*SYSWATCH, "run", "--backend", "ptrace")


class PushTests(SynchronousTestCase):
    """Runs that push."""

    def _traced(
        self, *words: str, program: str = _PROGRAM, **environment: str
    ) -> subprocess.CompletedProcess[str]:
        variables = (f"{name}={value}" for name, value in environment.items())
        return run(["env", *variables, *_RUN, *words, *PYTHON, program])

    def _summary(self, url: str, **environment: str) -> Mapping[str, dict[str, Any]]:
        """Push a run; return the rows of its own summary, by call."""
        file = Path(self.mktemp())
        done = self._traced("--otlp", url, "--format", "json", "--output", str(file), **environment)
        self.assertEqual((0, ""), (done.returncode, done.stderr))
        return {row["Name"]: row for row in json.loads(file.read_text("utf-8"))["Stats"]}

    def _assert_equal(self, rows: Mapping[str, dict[str, Any]], collected: Collected) -> None:
        """The last push has exactly the numbers of the summary."""
        metrics = collected.last
        calls = values_of(metrics["syswatch.syscall.calls"], "syscall")
        self.assertEqual({name: row["Count"] for name, row in rows.items()}, calls)
        self.assertGreaterEqual(calls["getppid"], 50)
        errors = values_of(metrics["syswatch.syscall.errors"], "syscall", "error.type")
        expected = {
            (name, errno): count
            for name, row in rows.items()
            for errno, count in row.get("ErrorBreakdown", {}).items()
        }
        self.assertEqual(expected, errors)
        times = metrics["syswatch.syscall.latency"].exponential_histogram.data_points
        self.assertEqual(
            {name: (row["Count"], row["TotalTime"]) for name, row in rows.items()},
            {
                attributes_of(point.attributes)["syscall"]: (point.count, round(point.sum * 1e9))
                for point in times
            },
        )

    def test_exact(self) -> None:
        """A short run pushes once, at its end, and the numbers are those of its summary."""
        with collecting() as collected:
            rows = self._summary(collected.url)
        self.assertEqual(1, len(collected.metrics))
        self._assert_equal(rows, collected)
        self.assertEqual("application/x-protobuf", collected.headers[0]["content-type"])

    def test_standard_variables(self) -> None:
        """Headers, compression and attributes come from the environment; 'env' is its URL."""
        with collecting() as collected:
            rows = self._summary(
                "env",
                OTEL_EXPORTER_OTLP_ENDPOINT=collected.url,
                OTEL_EXPORTER_OTLP_HEADERS="api-key=s%20ecret",
                OTEL_EXPORTER_OTLP_METRICS_COMPRESSION="gzip",
                OTEL_RESOURCE_ATTRIBUTES="deployment.environment.name=test,service.name=other",
                OTEL_SERVICE_NAME="shop",
            )
        self._assert_equal(rows, collected)
        headers = collected.headers[0]
        self.assertEqual(("s ecret", "gzip"), (headers["api-key"], headers["content-encoding"]))
        resource = collected.resource
        self.assertEqual("shop", resource["service.name"])
        self.assertEqual("test", resource["deployment.environment.name"])
        self.assertTrue(resource["host.name"])

    def test_outage(self) -> None:
        """Pushes of an outage arrive in order afterwards, and nothing is counted twice."""
        port, kept = free_port(), Collected()
        program = "import os, sys\nfor _ in sys.stdin: os.getppid()"
        process = subprocess.Popen(
            [*_RUN, "--otlp", f"127.0.0.1:{port}", *PYTHON, program],
            stdin=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env={"OTEL_METRIC_EXPORT_INTERVAL": "200", "PATH": "/usr/bin:/bin"},
        )
        assert process.stdin is not None
        assert process.stderr is not None

        def call(times: int) -> None:
            assert process.stdin is not None
            process.stdin.write(b"\n" * times)
            process.stdin.flush()

        try:
            self.assertIn(b"Connection refused; retrying", process.stderr.readline())
            call(3)
            with collecting(port=port, collected=kept):
                wait_for(lambda: _getppids(kept)[-1:] == [3])
            before = len(kept.metrics)
            call(4)
            self.assertIn(b"; retrying", process.stderr.readline())
            kept.statuses += [503, 502]
            with collecting(port=port, collected=kept):
                wait_for(lambda: _getppids(kept)[-1:] == [7])
                process.stdin.close()
                self.assertEqual(0, process.wait(PATIENCE_S))
        finally:
            process.kill()
            process.wait()
            process.stdin.close()
            process.stderr.close()
        self.assertLess(before, len(kept.metrics))
        counts = _getppids(kept)
        self.assertEqual((sorted(counts), 7), (counts, counts[-1]))
        # The first request may be older than the first call.
        points = [
            point
            for each in kept.metrics
            for point in metrics_of(each)["syswatch.syscall.calls"].sum.data_points[:1]
        ]
        self.assertEqual(1, len({point.start_time_unix_nano for point in points}))
        times = [point.time_unix_nano for point in points]
        self.assertEqual(sorted(set(times)), times)

    def test_slow_call(self) -> None:
        """A slow call is a log record."""
        with collecting() as collected:
            done = self._traced("--otlp", collected.url, program=_SLOW)
        self.assertEqual(0, done.returncode, done.stderr)
        found = [attributes_of(each.attributes) for each in collected.records]
        slow = [each for each in found if each.get("syswatch.call.duration", 0) > 0.3]
        self.assertTrue(slow, found)
        self.assertEqual(len(found), len({each["log.record.uid"] for each in found}))

    def test_spans(self) -> None:
        """Slow calls of a process with a trace are spans; those of others are log records."""
        for backend in _BACKENDS:
            with collecting() as collected:
                done = self._traced(
                    *("--backend", backend, "--otlp", collected.url, "--otlp-spans"),
                    program=_TRACED,
                    TRACEPARENT=f"00-{_TRACE}-{_PARENT}-01",
                )
            self.assertEqual(0, done.returncode, done.stderr)
            ids = {(each.trace_id.hex(), each.parent_span_id.hex()) for each in collected.spans}
            self.assertEqual({(_TRACE, _PARENT)}, ids)
            waits = [each for each in collected.spans if each.name == "wait4"]
            found = [each.end_time_unix_nano - each.start_time_unix_nano for each in waits]
            # The child may have slept for a while before its parent waits.
            self.assertTrue(any(0.35e9 <= each < 1e9 for each in found), found)
            processes = {attributes_of(each.attributes)["process.pid"] for each in waits}
            self.assertEqual(1, len(processes))
            records = [attributes_of(each.attributes) for each in collected.records]
            others = [each["process.pid"] for each in records if each.get("syscall") == "wait4"]
            self.assertEqual(1, len(others), records)
            self.assertNotIn(others[0], processes)
            # Both children slept.
            self.assertFalse([each for each in records if "sleep" in each.get("syscall", "")])
            self.assertFalse([each for each in collected.spans if "sleep" in each.name])

    def test_log(self) -> None:
        """The totals of a log are pushed once; the times are those of the log."""
        file = Path(self.mktemp())
        file.write_text("".join(f"7 {_BEGAN_S + at}.5 getppid() = 1 <0.25>\n" for at in range(60)))
        with collecting() as collected:
            command = [*SYSWATCH, "stats", "--otlp", collected.url, "--format", "json", str(file)]
            done = run(command)
        self.assertEqual((0, ""), (done.returncode, done.stderr))
        self.assertEqual(1, len(collected.metrics))
        rows = {row["Name"]: row for row in json.loads(done.stdout)["Stats"]}
        self._assert_equal(rows, collected)
        (point,) = collected.last["syswatch.syscall.calls"].sum.data_points
        # The last call began then.
        times = point.start_time_unix_nano, point.time_unix_nano
        self.assertEqual((_BEGAN_S * 10**9 + 5 * 10**8, _BEGAN_S * 10**9 + 595 * 10**8), times)
        seconds = [each.time_unix_nano // 10**9 - _BEGAN_S for each in collected.records]
        self.assertTrue(seconds)
        self.assertTrue(all(0 <= each < 60 for each in seconds), seconds)

    def test_log_not_delivered(self) -> None:
        """What was read from a log and could not be pushed is one sentence and a failure."""
        file = Path(self.mktemp())
        file.write_text(f"7 {_BEGAN_S}.5 getppid() = 1 <0.000001>\n")
        url = f"http://127.0.0.1:{free_port()}"
        twistd = (*TWISTD, "--nodaemon", "--pidfile=", "syswatch")
        for program in (SYSWATCH, twistd):
            done = run([*program, "stats", "--otlp", url, str(file)])
            self.assertEqual(1, done.returncode, done.stderr)
            self.assertIn("getppid", done.stdout)
            sentence = f"OTLP to {url}/v1/metrics: 1 request was not delivered in time\n"
            self.assertIn(f"syswatch: {sentence}", done.stderr)

    def test_log_rejected(self) -> None:
        """A collector that rejects the numbers of a log is a failure as well."""
        file = Path(self.mktemp())
        file.write_text(f"7 {_BEGAN_S}.5 getppid() = 1 <0.000001>\n")
        with collecting() as collected:
            collected.statuses.append(400)
            done = run([*SYSWATCH, "stats", "--otlp", collected.url, str(file)])
        sentence = f"OTLP to {collected.url}/v1/metrics: a request was rejected: 400 Bad Request"
        self.assertEqual((1, f"syswatch: {sentence}\n"), (done.returncode, done.stderr))

    def test_twistd(self) -> None:
        """The daemon pushes, too."""
        file = Path(self.mktemp())
        with collecting() as collected:
            options = ("--otlp", collected.url, "--format", "json", "--output", str(file))
            command = ("syswatch", "run", "--backend", "ptrace", *options, *PYTHON, _PROGRAM)
            done = run([*TWISTD, "--nodaemon", "--pidfile=", *command])
        self.assertEqual(0, done.returncode, done.stderr)
        rows = {row["Name"]: row for row in json.loads(file.read_text("utf-8"))["Stats"]}
        self._assert_equal(rows, collected)

    def test_tls(self) -> None:
        """A certificate is checked; that of a private authority can be named."""
        authority, file = trustme.CA(), self.mktemp()
        authority.cert_pem.write_to_path(file)
        context = SSLContext(PROTOCOL_TLS_SERVER)
        authority.issue_cert("localhost").configure_cert(context)
        with collecting(tls=context) as collected:
            url = f"https://localhost:{collected.port}"
            refused = self._traced("--otlp", url)
            self.assertEqual([], collected.metrics)
            rows = self._summary(url, OTEL_EXPORTER_OTLP_CERTIFICATE=file)
        self.assertEqual(0, refused.returncode)
        self.assertIn("certificate verify failed; retrying", refused.stderr)
        self._assert_equal(rows, collected)

    def test_not_a_certificate(self) -> None:
        """A file that is no certificate is a mistake, and no command is started."""
        file = Path(self.mktemp())
        file.write_text("nothing", "utf-8")
        done = self._traced(
            *("--otlp", "https://localhost:1"),
            program="print('started')",
            OTEL_EXPORTER_OTLP_CERTIFICATE=str(file),
        )
        self.assertEqual(
            (2, "", f"syswatch: {file}: not a certificate in PEM format\n"),
            (done.returncode, done.stdout, done.stderr),
        )

    def test_exit_status(self) -> None:
        """A collector that is not there changes neither the status nor much of the time."""
        done = self._traced("--otlp", f"127.0.0.1:{free_port()}", program="raise SystemExit(3)")
        self.assertEqual(3, done.returncode)
        self.assertIn("1 request was not delivered in time", done.stderr)
        done = self._traced("--otlp", f"127.0.0.1:{free_port()}")
        self.assertEqual(0, done.returncode)


def _getppids(kept: Collected) -> list[float]:
    """Return how often getppid was called, according to each request."""
    return [
        values_of(metrics_of(each)["syswatch.syscall.calls"], "syscall").get("getppid", 0)
        for each in kept.metrics
    ]
