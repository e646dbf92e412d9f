"""Tests of mistakes on the command line: one sentence each."""

import gzip
import shlex
import subprocess
import sys
from pathlib import Path

from twisted.trial.unittest import SkipTest, SynchronousTestCase

from syswatch.options import PROGRAM, checks
from tests.options.parsing import config_of, error_of
from tests.system.servers import LOG, PATIENCE_S, SYSWATCH, need
from tests.system.shell import run
from tests.tracer.strace import require_tracing

# Longer than a number and than a file name may be.
_DIGITS = "9" * 5000
_LONG_NAME = "n" * 5000


# Command lines and their errors.
_MISTAKES: dict[tuple[str, ...], str] = {
    (
        "run",
        "--status",
        "odd",
        "true",
    ): ("--status: invalid value 'odd' (choose from failed, successful)"),
    ("run", "--output", "-", "true"): (
        "--output: '-' does not mean standard output (for a file: ./-)"
    ),
    ("run", "--ws-token=", "true"): "--ws-token: the token is empty",
    ("run", "--max-clients", "0", "true"): (
        "--max-clients: invalid value '0' (expected a whole number, at least 1)"
    ),
    ("run", "--mode", "counts", "--backend", "ptrace", "true"): (
        "--mode counts is not available with --backend ptrace (use --backend ebpf)"
    ),
    ("run", "--children", "--no-children", "true"): (
        "--no-children and --children contradict each other"
    ),
    ("attach", "--wait", "1"): "--wait needs a NAME to wait for: a PID must exist already",
    ("attach", "--", "-1"): "invalid PID '-1'",
    ("attach", "0"): "invalid PID '0'",
    ("attach", ""): "attach: the NAME is empty",
    ("discover", "web", "db"): "discover takes a single NAME; quote a name with spaces",
    ("discover", "web", "-a"): "-a must come before web: options go first",
    ("doctor", "web"): "doctor takes no arguments: 'web'",
    ("attach",): "attach: missing target, as in 'syswatch attach -p PID'",
    ("attach", "--all", "web"): "--all cannot be combined with other targets",
    ("attach", _DIGITS): f"invalid PID '{_DIGITS}'",
    ("attach", "1", f"-{_LONG_NAME}"): f"-{_LONG_NAME} must come before 1: options go first",
    ("run", "--cwd", "/none", "true"): "--cwd: no such directory: /none",
    ("run", "-e", "", "true"): "-e: the filter is empty (use trace=all or trace=none)",
    **{
        ("run", flag, _DIGITS, "true"): f"{flag}: the number has more than 18 digits"
        for flag in ("--string-limit", "--log-rate", "--report-top-files")
    },
    **{
        ("run", flag, "", "true"): f"{flag}: the name is empty"
        for flag in ("--user", "--cwd", "--output", "--report", "--record")
    },
    **{
        ("attach", flag, "", "1"): f"{flag}: the name is empty"
        for flag in ("--container", "--cgroup")
    },
    ("attach", "--serve", ":0", "--http-token-file", "", "1"): (
        "--http-token-file: the name is empty"
    ),
    # An unset variable must not become the current directory.
    ("stats", ""): "stats: the name of a file is empty",
    ("stats", str(LOG), ""): "stats: the name of a file is empty",
    ("replay", ""): "replay: the name of a recording is empty",
    ("export", "", "--to", "csv"): "export: the name of a recording is empty",
    ("query", "", "SELECT 1"): "query: the name of an input is empty",
    ("profile", ""): "profile: the name of an input is empty",
    **{
        ("run", flag, _LONG_NAME, "true"): f"{flag}: {_LONG_NAME}: File name too long"
        for flag in ("--cwd", "--output", "--report", "--record")
    },
    ("run", "--report", f"{LOG}/x", "true"): f"--report: {LOG}/x: Not a directory",
    **{
        ("top", url): f"top: invalid URL '{url}' (expected one such as localhost:8080)"
        for url in ("", "ftp://web", "a b", "http://me@web", "web?q", "wéb", "a" * 254)
    },
    **{
        ("stats", "--allow-host", name, str(LOG)): (
            f"--allow-host: invalid host name '{name}' (expected one without scheme and port)"
        )
        for name in ("", "http://web", "web:80", "a b")
    },
}


class OptionsFirstTests(SynchronousTestCase):
    """Options after the first argument."""

    def test_too_late(self) -> None:
        """The error says where they belong."""
        for words in (
            ("stats", str(LOG), "--serve", ":0"),
            ("attach", "1", "--serve", ":0"),
            ("top", "localhost:1", "--http-token", "sesame"),
        ):
            result = run([*SYSWATCH, *words], timeout=PATIENCE_S)

            sentence = f"syswatch: {words[2]} must come before {words[1]}: options go first\n"
            self.assertEqual((2, sentence), (result.returncode, result.stderr))

    def test_of_the_command(self) -> None:
        """Options after the command of `run` are passed to it."""
        result = run([*SYSWATCH, "run", "echo", "--serve", ":0"], timeout=PATIENCE_S)

        self.assertEqual((0, "--serve :0\n"), (result.returncode, result.stdout))


class MistakeTests(SynchronousTestCase):
    """Invalid values."""

    def test_errors(self) -> None:
        """Each is refused with one sentence that says what would be right."""
        for words, sentence in _MISTAKES.items():
            self.assertEqual(sentence, error_of(*words))

    def test_no_proc(self) -> None:
        """Without /proc, that is the error."""
        self.patch(checks, "PROC", Path(self.mktemp()))
        for words in (["run", "true"], ["attach", "1"], ["stats", str(LOG)], ["discover", "x"]):
            self.assertIn("/proc is not mounted", error_of(*words))

    def test_accepted(self) -> None:
        """A host name may be an address."""
        for name in ("web.example.org", "WEB", "::1", "10.0.0.1"):
            serving = config_of("stats", "--serve", ":0", "--allow-host", name, str(LOG)).serving
            assert serving is not None
            self.assertEqual({name.lower()}, serving.access.allowed_hosts)


class ReadOnlyTests(SynchronousTestCase):
    """A read-only file system, such as that of a container."""

    def test_errors(self) -> None:
        """It is named as the reason, instead of permissions that would not help."""
        need("unshare")
        folder = Path(self.mktemp()).absolute()
        folder.mkdir()
        mount = 'mount -t tmpfs -o ro none "$0" && exec "$@"'
        there = ["unshare", "--map-root-user", "--mount", "sh", "-c", mount, str(folder)]
        if (tried := run([*there, "true"])).returncode:
            raise SkipTest(f"nothing can be mounted here: {tried.stderr.strip()}")
        for flag in ("--report", "--output", "--record"):
            file = folder / "file"
            result = run([*there, *SYSWATCH, "stats", flag, str(file), str(LOG)])
            sentence = f"syswatch: {flag}: cannot write {file}: the file system is read-only\n"
            self.assertEqual((2, sentence), (result.returncode, result.stderr))


class EarlyTests(SynchronousTestCase):
    """The time before the first statement of `main`, in which Ctrl+C causes a traceback."""

    def test_loaded(self) -> None:
        """No other module of syswatch is loaded in it."""
        code = "import syswatch.app.cli, sys; print(*(n for n in sys.modules if 'syswatch' in n))"
        result = run([sys.executable, "-c", code])
        ours = {name for name in result.stdout.split() if not name.startswith("__editable__")}
        self.assertEqual({"syswatch", "syswatch.app", "syswatch.app.cli"}, ours)


class HelpTests(SynchronousTestCase):
    """`--help` in a pipe."""

    def test_not_read(self) -> None:
        """A reader that closes the pipe is not an error."""
        for words in (["--help"], ["run", "--help"]):
            with subprocess.Popen(
                [*SYSWATCH, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE
            ) as program:
                assert program.stdout is not None
                program.stdout.close()
                assert program.stderr is not None
                self.assertEqual(b"", program.stderr.read())
                self.assertEqual(0, program.wait(PATIENCE_S))


class ExampleTests(SynchronousTestCase):
    """The examples of the help, as a newcomer types them."""

    def test_work(self) -> None:
        """Those that need neither another program nor a server end well, and print something."""
        require_tracing()
        folder = Path(self.mktemp())
        folder.mkdir()
        (folder / "trace.log").write_bytes(LOG.read_bytes())
        (folder / "logs").mkdir()
        for name in ("one.gz", "two.gz"):
            (folder / "logs" / name).write_bytes(gzip.compress(LOG.read_bytes()))
        ours = f'syswatch() {{ {shlex.join(SYSWATCH)} "$@"; }}; cd {shlex.quote(str(folder))}; '
        for name in ("run", "stats", "help"):
            command = PROGRAM.command(name)
            assert command is not None
            for example in command.examples:
                # Any port, and no longer than the command runs.
                line = example.line.replace("--serve :8080", "--serve :0 --exit-with-target")
                result = run(["sh", "-c", ours + line])
                self.assertEqual(0, result.returncode, result.stderr)
                self.assertRegex(result.stdout + result.stderr, "CALLS|Count|serving|Usage")
