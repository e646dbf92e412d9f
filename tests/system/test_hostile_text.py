"""Tests of hostile text, from each input to each output."""

import json
import os
from pathlib import Path

from twisted.trial.unittest import SynchronousTestCase

from syswatch.machine.capabilities import read_facts
from syswatch.machine.doctor import backend_verdict
from syswatch.model.backends import EBPF
from syswatch.model.messages import Attach, TraceOptions
from tests.hostile import HOSTILE
from tests.system.hostile_sources import (
    COMMS,
    SHOWN,
    answers,
    log,
    raw_in,
    recording,
    run,
    summaries,
)
from tests.system.servers import SYSWATCH, Server, running, wait_for
from tests.tracer.contract.targets import Target
from tests.tracer.ebpf.case import require_ebpf
from tests.tracer.harness import start
from tests.tracer.programs import program
from tests.tracer.strace import require_tracing

# All in one word: how a text is shown must not depend on its neighbours.
_ALL = b"|".join(HOSTILE)
_SHOWN = "|".join(HOSTILE.values())

# As much of it as fits into a process name.
_NAME = b"\x1b[31m\r\n\xff" + "\u202e\x9b".encode()
_NAME_SHOWN = "\\x1b[31m\\r\\n\\xff\\u202e\\u009b"
_BACKENDS = ("ptrace", "ebpf") if backend_verdict(EBPF, read_facts()).usable else ("ptrace",)


class HostileCase(SynchronousTestCase):
    """A test in a folder of its own."""

    def setUp(self) -> None:
        """Create a folder."""
        require_tracing()
        self.folder = Path(self.mktemp()).absolute()
        self.folder.mkdir()

    def assert_inert(self, name: str, data: bytes) -> str:
        """Check that an output has no raw hostile text; return it as text."""
        self.assertEqual(set(), raw_in(name, data), name)
        return data.decode()

    def assert_shown(self, wanted: set[str] | frozenset[str], text: str) -> None:
        """Check that hostile text is shown, and not left out."""
        self.assertEqual([], [each for each in wanted if each not in text])


class LivingTests(HostileCase):
    """Programs with hostile names, arguments and files."""

    def watch(self, backend: str) -> None:
        """Trace such a program and check all outputs."""
        report, record = self.folder / "report.html", self.folder / "record"
        work = self.folder / "work"
        work.mkdir()
        flags = ("--backend", backend, "-y", "--per-pid", "--summary", "--debug")
        files = ("--report", str(report), "--report-top-files", "99", "--record", str(record))
        command = [*SYSWATCH, "run", "--serve", ":0", *flags, *files, "--cwd", str(work)]
        with running([*command, program("hostile"), *map(os.fsdecode, HOSTILE)]) as server:
            wait_for(lambda: server.json("/api/status")["Done"])
            self.look(server)
            server.end()
        summary = self.assert_inert("summary", server.output)
        self.assert_shown(COMMS, summary)
        self.assert_inert("report.html", report.read_bytes())
        recorded = json.loads(summaries(record / "deltas")["json"])["Processes"]
        self.assertEqual(COMMS, COMMS & {each["Comm"] for each in recorded})

    def look(self, server: Server) -> None:
        """Check what a server of such a trace serves."""
        for name, data in answers(server):
            self.assert_inert(name, data)
        processes = {each["Comm"] for each in server.json("/api/processes")}
        self.assertEqual(COMMS, processes & COMMS)
        paths = {each["path"] for each in server.json("/api/files?limit=10000")}
        self.assertEqual(set(), {f"/nonexistent/{shown}" for shown in SHOWN} - paths)
        self.assert_shown(SHOWN, server.json("/api/status")["Proc"]["Cmdline"])
        self.assert_shown(SHOWN, server.ask("/debug/pprof/cmdline")[1].decode())
        args = "\n".join(entry["Args"] for entry in server.json("/api/log"))
        # Strings in arguments have the escapes of C.
        self.assert_shown({'"\\33[31mred"', 'sun_path=@"\\33[31mred', '\\33[31mred>, "'}, args)

    def test_ptrace(self) -> None:
        """With ptrace, hostile text is escaped in all outputs."""
        self.watch("ptrace")

    def test_ebpf(self) -> None:
        """With eBPF, hostile text is escaped in all outputs."""
        require_ebpf()
        self.watch("ebpf")


class FileTests(HostileCase):
    """Logs and recordings from other sources."""

    def served(self, source: Path) -> None:
        """Serve a file and check all outputs."""
        report = self.folder / "report.html"
        flags = ("--debug", "--per-pid", "--report", str(report), "--report-top-files", "99")
        with running([*SYSWATCH, "stats", "--serve", ":0", *flags, str(source)]) as server:
            wait_for(lambda: server.json("/api/status")["Done"])
            for name, data in answers(server):
                self.assert_inert(name, data)
            server.end()
        self.assert_inert("stderr", server.output)
        self.assert_inert("report.html", report.read_bytes())
        for form, data in summaries(source).items():
            self.assert_inert(form, data)

    def test_log(self) -> None:
        """A log with raw bytes in every field is shown escaped."""
        source = log(self.folder / "log")

        self.served(source)

        printed = summaries(source)["text"].decode()
        self.assert_shown({"not understood: odd \\x1b[31mred"}, printed)
        whole = summaries(source)["json"].decode()
        self.assert_shown({"/nonexistent/\\\\x1b[31mred", "\\\\x1b[31mred..."}, whole)

    def test_recording(self) -> None:
        """A recording with hostile text in every field is shown escaped."""
        source = recording(self.folder / "recording")

        self.served(source)

        found = summaries(source)
        for form, shown in (("text", "\\x1b[31mred"), ("csv", "\\x1b[31mred,OTHER,1,1")):
            self.assert_shown({shown}, found[form].decode())
        self.assert_shown({'"Name":"\\\\u202eabc\\\\u202c"'}, found["ndjson"].decode())

    def test_damaged(self) -> None:
        """The error about a damaged recording is escaped."""
        source = recording(self.folder / "recording")
        whole = source.read_bytes()
        for damaged in (whole[:-1], whole + b"\x1b[31m\xff\xff"):
            source.write_bytes(damaged)
            result = run("stats", source)
            self.assertEqual(1, result.returncode)
            self.assert_inert("stderr", result.stderr)


class SentenceTests(HostileCase):
    """Messages that quote an argument, a file name or a process name."""

    def said(self, *words: str | bytes | Path) -> str:
        """Return the error message, which is one line."""
        result = run(*words)
        self.assertNotEqual(0, result.returncode, words)
        self.assertEqual(b"", result.stdout)
        # A line about the backend may precede it.
        *before, line = self.assert_inert("stderr", result.stderr).splitlines()
        self.assertLessEqual(len(before), 1, result.stderr)
        self.assertTrue(line.startswith("syswatch: "), result.stderr)
        return line

    def test_arguments(self) -> None:
        """Invalid arguments are quoted and escaped."""
        log_file = log(self.folder / "log")
        for words in (
            (_ALL,),
            ("run", "--status", _ALL, "true"),
            ("run", "--cwd", _ALL, "true"),
            ("run", "--env", _ALL, "true"),
            ("run", "--user", _ALL, "true"),
            ("run", "-e", _ALL, "true"),
            ("run", "--redact", b"(" + _ALL, "true"),
            ("run", "--backend", "ptrace", _ALL),
            ("run", "--backend", "ptrace", b"/nonexistent/" + _ALL),
            ("run", "--report", b"/nonexistent/" + _ALL + b"/x", "true"),
            ("attach", _ALL + b"?"),
            ("attach", "--container", _ALL + b"?"),
            ("attach", "--cgroup", b"/nonexistent/" + _ALL),
            ("discover", _ALL + b"?"),
            ("stats", _ALL),
            ("stats", "--format", _ALL, log_file),
            ("stats", "--serve", b":" + _ALL, log_file),
            ("stats", "--allow-host", _ALL, log_file),
            ("stats", "--trusted-proxy", _ALL, log_file),
            ("top", _ALL),
        ):
            self.assert_shown({_SHOWN}, self.said(*words))

    def test_file_names(self) -> None:
        """The names of files that cannot be read, executed or written are escaped."""
        name = os.fsencode(self.folder) + b"/" + _ALL.replace(b"/", b"")
        with open(name, "wb") as file:  # noqa: PTH123  its name is no text
            file.write(b"nothing\n")
        for words in (("run", "--backend", "ptrace", name), ("stats", name)):
            self.assert_shown({_SHOWN}, self.said(*words))

    def test_found(self) -> None:
        """The name of a process that is found by name is escaped."""
        target = self.target()
        for name in (_NAME, os.fsencode(_NAME_SHOWN)):
            found = run("discover", "--all", name)
            line = self.assert_inert("stdout", found.stdout)
            self.assertEqual(f"{target.pid}  {_NAME_SHOWN}  command name {_NAME_SHOWN}\n", line)
        target.end()

    def test_traced_already(self) -> None:
        """The name of a process that is already traced is escaped."""
        target = self.target()
        tracer = start(Attach((target.pid,), TraceOptions(backend="ptrace")))
        tracer.await_start()
        said = self.said("attach", "--backend", "ptrace", str(target.pid))
        self.assertIn(f"cannot trace process {target.pid} ({_NAME_SHOWN}): process", said)
        target.end()
        tracer.finish()

    def test_ended(self) -> None:
        """The name of a process that has exited is escaped."""
        target = self.target()
        assert target.process.stdin is not None
        target.process.stdin.close()
        # It stays a zombie: its parent, this test, waits for it later.
        os.waitid(os.P_PID, target.pid, os.WEXITED | os.WNOWAIT)
        for backend in _BACKENDS:
            said = self.said("attach", "--backend", backend, str(target.pid))
            self.assertIn(f"cannot trace process {target.pid} ({_NAME_SHOWN}): it has ended", said)
        target.process.wait()

    def target(self) -> Target:
        """Start a program with a hostile name."""
        target = Target.begin(program("hostile"), "--name", os.fsdecode(_NAME))
        self.addCleanup(target.output.close)
        self.addCleanup(target.process.kill)
        return target
