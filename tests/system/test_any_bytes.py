"""Commands, files and variables with arbitrary bytes in their names."""

import json
import os
import subprocess
from collections.abc import Sequence
from pathlib import Path

from twisted.trial.unittest import SynchronousTestCase

from syswatch.machine.capabilities import read_facts
from syswatch.machine.doctor import backend_verdict
from syswatch.model.backends import EBPF
from tests.system.hostile_sources import run, texts_in
from tests.system.servers import PATIENCE_S, TWISTD
from tests.system.stats_case import LINE
from tests.tracer.strace import require_tracing

# Every byte but NUL, which ends an argument, and the slash, which separates names.
_BYTES = bytes(set(range(1, 256)) - {ord("/")})
_NAME = b"a\xff\xc3(\xed\xa0\x80\x1b\n z"
_NAME_SHOWN = "a\\xff\\xc3(\\xed\\xa0\\x80\\x1b\\n z"
_BACKENDS = ("ptrace", "ebpf") if backend_verdict(EBPF, read_facts()).usable else ("ptrace",)


class AnyBytesCase(SynchronousTestCase):
    """A test in a folder with such a name."""

    def setUp(self) -> None:
        """Create a folder whose name is not valid UTF-8."""
        self.folder = os.fsencode(Path(self.mktemp()).absolute()) + _NAME
        Path(os.fsdecode(self.folder)).mkdir()

    def path(self, name: bytes = _NAME) -> Path:
        """Return the path of a file in the folder."""
        return Path(os.fsdecode(self.folder + b"/" + name))


class CommandTests(AnyBytesCase):
    """Commands that are traced."""

    def trace(self, backend: str, *words: str | bytes, flags: Sequence[str | bytes] = ()) -> bytes:
        """Run a command and return its output; its summary goes to a file."""
        require_tracing()
        files = ("--format", "json", "--output", self.path(b"summary"))
        result = run("run", "--backend", backend, *files, *flags, *words)
        self.assertEqual(0, result.returncode, result.stderr)
        self.assertNotIn(b"Traceback", result.stderr)
        return result.stdout

    def test_arguments(self) -> None:
        """A command gets its arguments unchanged, and they are shown escaped."""
        for backend in _BACKENDS:
            written = self.trace(backend, "printf", "%s", _BYTES)

            self.assertEqual(_BYTES, written)
            process = json.loads(self.path(b"summary").read_bytes())["Status"]["Proc"]
            self.assertTrue(process["Cmdline"].startswith("printf %s \\x01\\x02"), process)
            self.assertTrue(process["Cmdline"].endswith("\\xfd\\xfe\\xff"), process)

    def test_name(self) -> None:
        """A command with such a name is found and run."""
        command = self.path()
        command.write_text("#!/bin/sh\necho it ran\n")
        command.chmod(0o755)
        for backend in _BACKENDS:
            self.assertEqual(b"it ran\n", self.trace(backend, os.fsencode(command)))
            search = b"PATH=" + self.folder + b":/usr/bin:/bin"
            self.assertEqual(b"it ran\n", self.trace(backend, _NAME, flags=("--env", search)))

    def test_place_and_environment(self) -> None:
        """The working directory and the variables of a command may have such names."""
        flags = (b"--cwd", self.folder, b"--env", b"HUE=" + _BYTES, b"--env", _NAME + b"=1")
        for backend in _BACKENDS:
            self.assertEqual(self.folder + b"\n", self.trace(backend, "/bin/pwd", flags=flags))
            variables = self.trace(backend, "env", "-0", flags=flags).split(b"\0")
            self.assertIn(b"HUE=" + _BYTES, variables)
            self.assertIn(_NAME + b"=1", variables)

    def test_path(self) -> None:
        """Calls are selected by such a path, and it is shown escaped."""
        self.path().write_text("it\n")
        wanted = os.fsencode(self.path())
        for backend in _BACKENDS:
            flags = ("-P", wanted)
            self.assertEqual(b"it\n", self.trace(backend, "cat", wanted, flags=flags))
            whole = json.loads(self.path(b"summary").read_bytes())
            self.assertEqual(1, len(whole["Files"]), whole["Files"])
            self.assertTrue(whole["Files"][0]["path"].endswith(f"/{_NAME_SHOWN}"), whole["Files"])
            self.assertIn(f"/{_NAME_SHOWN}", whole["Status"]["Only"])

    def test_twistd(self) -> None:
        """The same holds under twistd."""
        require_tracing()
        daemon = ("--nodaemon", "--pidfile=", "--logfile=/dev/null", "syswatch")
        words = ("run", "--backend", "ptrace", "printf", "%s", _BYTES)
        result = subprocess.run(
            [*TWISTD, *daemon, *words], capture_output=True, timeout=PATIENCE_S, check=False
        )
        self.assertEqual((0, _BYTES), (result.returncode, result.stdout), result.stderr)


class FileTests(AnyBytesCase):
    """Files that are read and written."""

    def test_log(self) -> None:
        """A log and all outputs may have such names."""
        log = self.path()
        log.write_bytes(LINE)
        report, record, summary = (self.path(_NAME + each) for each in (b".html", b".rec", b".sum"))
        flags = ("--report", report, "--record", record, "--format", "json", "--output", summary)

        result = run("stats", *flags, log)

        self.assertEqual((0, b""), (result.returncode, result.stdout), result.stderr)
        (line,) = result.stderr.decode().splitlines()
        self.assertIn(f"{_NAME_SHOWN}.rec: ", line)
        self.assertIn(_NAME_SHOWN, report.read_text("utf-8"))
        total = json.loads(summary.read_bytes())
        (recording,) = total["Status"].pop("Recordings")
        self.assertTrue(recording["Place"].endswith(f"{_NAME_SHOWN}.rec"))
        again = run("stats", "--format", "json", record / "deltas").stdout
        self.assertEqual(total, json.loads(again))
        self.assertEqual(1, total["Status"]["Total"])
        self.assertTrue(all(text.isprintable() for text in texts_in(total)))
