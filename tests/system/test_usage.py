"""Tests of mistakes on the command line that newcomers make: one sentence each."""

import subprocess
import sys
from pathlib import Path

from twisted.trial.unittest import SkipTest, SynchronousTestCase

from syswatch.app import actions as plugin
from syswatch.options import checks
from syswatch.options.config import Config
from tests.system.servers import LOG, PATIENCE_S, SYSWATCH, need
from tests.system.shell import run

# More than a number may have, and more than the name of a file.
_DIGITS = "9" * 5000
_LONG_NAME = "n" * 5000


# What somebody writes, and the sentence that says what would be right.
_MISTAKES: dict[tuple[str, ...], str] = {
    ("run", "--status", "odd", "true"): "--status: 'odd' is none of failed, successful",
    ("run", "--output", "-", "true"): "--output: - is no file; where it may be one, write ./-",
    ("run", "--ws-token=", "true"): "--ws-token: the token is empty",
    ("run", "--max-clients", "0", "true"): "--max-clients: '0' is no whole number from 1 on",
    ("run", "--mode", "counts", "--backend", "ptrace", "true"): (
        "--mode counts needs eBPF, and --backend asks for ptrace"
    ),
    ("run", "--children", "--no-children", "true"): (
        "--children and --no-children contradict each other"
    ),
    ("attach", "--wait", "1"): "--wait is for a NAME; others must be there already",
    ("attach", "--", "-1"): "invalid PID '-1'",
    ("attach", "0"): "invalid PID '0'",
    ("attach", ""): "the NAME to attach to is empty",
    ("discover", "web", "db"): "discover takes one NAME only; quote a name that has blanks",
    ("discover", "web", "-a"): "-a must stand before web: options come first",
    ("doctor", "web"): "doctor takes no argument: 'web'",
    ("attach",): "attach needs a PID, a NAME, --cgroup PATH or --all",
    ("attach", "--all", "web"): "--all takes no PID, no NAME and nothing else",
    ("attach", _DIGITS): f"invalid PID '{_DIGITS}'",
    ("attach", "1", f"-{_LONG_NAME}"): f"-{_LONG_NAME} must stand before 1: options come first",
    ("run", "--cwd", "/none", "true"): "--cwd: there is no directory /none",
    ("run", "-e", "", "true"): "The filter is empty; use trace=all, or trace=none.",
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
    **{
        ("run", flag, _LONG_NAME, "true"): f"{flag}: {_LONG_NAME}: File name too long"
        for flag in ("--cwd", "--output", "--report", "--record")
    },
    ("run", "--report", f"{LOG}/x", "true"): f"--report: {LOG}/x: Not a directory",
    **{
        ("top", url): f"top needs the URL of a server: '{url}' is none"
        for url in ("", "ftp://web", "a b", "http://me@web", "web?q", "wéb", "a" * 254)
    },
    **{
        ("stats", "--allow-host", name, str(LOG)): (
            f"--allow-host: '{name}' is no name of a host; it has no scheme or port"
        )
        for name in ("", "http://web", "web:80", "a b")
    },
}


class OptionsFirstTests(SynchronousTestCase):
    """Options behind what they are about."""

    def test_too_late(self) -> None:
        """It is said where they belong."""
        for words in (
            ("stats", str(LOG), "--serve", ":0"),
            ("attach", "1", "--serve", ":0"),
            ("top", "localhost:1", "--http-token", "sesame"),
        ):
            result = run([*SYSWATCH, *words], timeout=PATIENCE_S)

            sentence = f"syswatch: {words[2]} must stand before {words[1]}: options come first\n"
            self.assertEqual((2, sentence), (result.returncode, result.stderr))

    def test_of_the_command(self) -> None:
        """Those behind a command are the command's, however they look."""
        result = run([*SYSWATCH, "run", "echo", "--serve", ":0"], timeout=PATIENCE_S)

        self.assertEqual((0, "--serve :0\n"), (result.returncode, result.stdout))


class MistakeTests(SynchronousTestCase):
    """Values that mean nothing."""

    def test_said(self) -> None:
        """Each is one sentence that says what would be right."""
        said: list[str] = []
        self.patch(plugin, "announce", said.append)
        for words, sentence in _MISTAKES.items():
            end = self.assertRaises(SystemExit, plugin.Options().parseOptions, list(words))
            self.assertEqual((2, sentence), (end.code, said.pop()))

    def test_no_proc(self) -> None:
        """Where the kernel cannot be asked, that is what is said."""
        said: list[str] = []
        self.patch(plugin, "announce", said.append)
        self.patch(checks, "PROC", Path(self.mktemp()))
        for words in (["run", "true"], ["attach", "1"], ["stats", str(LOG)], ["discover", "x"]):
            end = self.assertRaises(SystemExit, plugin.Options().parseOptions, words)
            self.assertEqual(2, end.code)
            self.assertIn("/proc is not mounted here", said.pop())

    def test_no_mistake(self) -> None:
        """Names of hosts may be addresses."""
        for name in ("web.example.org", "WEB", "::1", "10.0.0.1"):
            options = plugin.Options()
            options.parseOptions(["stats", "--serve", ":0", "--allow-host", name, str(LOG)])
            assert isinstance(options.checked, Config)
            assert options.checked.serving is not None
            self.assertEqual({name.lower()}, options.checked.serving.access.allowed_hosts)


class ReadOnlyTests(SynchronousTestCase):
    """A file system that nobody can write to, such as that of a container."""

    def test_said(self) -> None:
        """It is named as the reason, and not some right that would not help."""
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
            sentence = f"syswatch: {flag}: {file} cannot be written: the file system is read-only\n"
            self.assertEqual((2, sentence), (result.returncode, result.stderr))


class EarlyTests(SynchronousTestCase):
    """The time before the first statement of ours, in which Ctrl+C is a traceback."""

    def test_loaded(self) -> None:
        """Nothing else of ours is loaded in it."""
        code = "import syswatch.app.cli, sys; print(*(n for n in sys.modules if 'syswatch' in n))"
        result = run([sys.executable, "-c", code])
        ours = {name for name in result.stdout.split() if not name.startswith("__editable__")}
        self.assertEqual({"syswatch", "syswatch.app", "syswatch.app.cli"}, ours)


class HelpTests(SynchronousTestCase):
    """`--help`, for readers who have enough of it soon."""

    def test_not_read(self) -> None:
        """A reader that has gone is no error."""
        for words in (["--help"], ["run", "--help"]):
            with subprocess.Popen(
                [*SYSWATCH, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE
            ) as program:
                assert program.stdout is not None
                program.stdout.close()
                assert program.stderr is not None
                self.assertEqual(b"", program.stderr.read())
                self.assertEqual(0, program.wait(PATIENCE_S))
