"""Tests of what each command imports: that is most of the time that it takes to start."""

import subprocess
import sys
from pathlib import Path

from twisted.trial.unittest import SynchronousTestCase

from tests.system.servers import LOG

# Each takes as long to import as a short command takes in all.
_HEAVY = frozenset(
    (
        "asyncio",
        "autobahn",
        "cbor2",
        "cryptography",
        "duckdb",
        "email",
        "klein",
        "msgspec",
        "numpy",
        "OpenSSL",
        "prometheus_client",
        "pyarrow",
        "pytest",
        "ssl",
        "syswatch.app.tracing",
        "syswatch.comparison.sources",
        "syswatch.machine.capabilities",
        "syswatch.machine.discover",
        "syswatch.model.catalog",
        "syswatch.model.delta",
        "syswatch.profiles.making",
        "syswatch.terminal.summary",
        "syswatch.tracer",
        "syswatch.views.formats",
        "syswatch.views.records",
        "syswatch.views.report",
        "syswatch.web.site",
        "textual",
        "tomllib",
        "twisted.internet.reactor",
        "twisted.web.client",
        "twisted.web.server",
        "urllib.request",
    )
)
_PROGRAM = """
import sys
from syswatch.app import cli, starting

def trace(*_):
    print(*sys.modules, file=open("forked", "w"))
    return 1

def record(_):
    print(*sys.modules, file=open("recorder", "w"))
    return 1

if sys.argv[1] == "--forked":
    del sys.argv[1]
    starting._prepare, starting._trace, starting._record = (lambda _: None), trace, record
try:
    cli.main(sys.argv[1:])
except SystemExit:
    pass
finally:
    # Standard output and standard error are the command's.
    print(*sys.modules, file=open("modules", "w"))
"""
# The interpreter warns, since 3.12, where a process with threads is forked.
_NO_THREADS = ("-W", "always:This process")
_FORMATS = {"msgspec", "syswatch.model.catalog", "syswatch.model.delta"}
_TWISTED = {"asyncio", "email", "ssl", "twisted.internet.reactor"}
_SUMMARY = "syswatch.terminal.summary"
# What parses the documentation of calls.
_TEXTS = "tomllib"
_TRACING = {
    *_FORMATS,
    *_TWISTED,
    _TEXTS,
    "syswatch.app.tracing",
    "syswatch.views.formats",
    _SUMMARY,
}
_RECORDS = "syswatch.views.records"
_SERVER = {_RECORDS, "syswatch.web.site", "twisted.web.server"}


def _heavy(names: str) -> set[str]:
    """Return what is heavy of the names of modules."""
    imported = set(names.split())
    # What measures coverage imports it.
    return set(_HEAVY & imported - ({"tomllib"} if "coverage" in imported else set()))


class ImportTests(SynchronousTestCase):
    """What each command imports."""

    def _imported(self, *words: str, listed: str = "modules") -> set[str]:
        """Run a command in a process of its own; return what it has imported of what is heavy."""
        folder = Path(self.mktemp())
        folder.mkdir()
        done = subprocess.run(
            [sys.executable, *_NO_THREADS, "-c", _PROGRAM, *words],
            cwd=folder,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            check=False,
        )
        names = folder / listed
        self.assertTrue(names.exists(), done.stderr.decode())
        self.assertNotIn(b"multi-threaded", done.stderr)
        return _heavy(names.read_text("utf-8"))

    def _assert_within(self, allowed: set[str], *words: str) -> None:
        found = self._imported(*words)
        self.assertLessEqual(found, allowed, f"{words} imports {sorted(found - allowed)}")

    def test_help(self) -> None:
        """The help, the version and mistakes need the tables of options alone."""
        for words in (
            ["--help"],
            ["--version"],
            ["run", "--help"],
            ["help", "diff"],
            ["--bad"],
            ["rum", "ls"],
        ):
            self._assert_within(set(), *words)

    def test_machine(self) -> None:
        """Looking at the machine needs nothing that traces or serves."""
        self._assert_within({"syswatch.machine.capabilities"}, "doctor")
        self._assert_within({"syswatch.machine.discover"}, "discover", "no-such-name")

    def test_without_reactor(self) -> None:
        """Comparing runs needs no reactor; the parser of logs is the tracer's."""
        budget = {*_FORMATS, _TEXTS, "syswatch.comparison.sources", "syswatch.tracer"}
        self._assert_within(budget, "diff", str(LOG), str(LOG))

    def test_log(self) -> None:
        """Reading a log without a server needs nothing of the web, and of the records for JSON."""
        self._assert_within(_TRACING, "stats", str(LOG))
        self._assert_within({*_TRACING, _RECORDS}, "stats", "--format", "json", str(LOG))

    def test_served(self) -> None:
        """A server is imported where there is one; the budget would notice if it were not."""
        budget = {*_TRACING, *_SERVER, "OpenSSL", "cryptography", "urllib.request"}
        words = ("stats", "--serve", "tcp:0:interface=no-such-address", str(LOG))
        found = self._imported(*words)
        self.assertLessEqual(found, budget, sorted(found - budget))
        self.assertLessEqual(_SERVER, found)

    def test_served_without_tls(self) -> None:
        """A server without TLS needs no cryptography, whatever Autobahn imports for WAMP."""
        # No machine has this address, which is reserved for documentation.
        words = ("stats", "--serve", "192.0.2.1:0", str(LOG))
        found = self._imported(*words)
        budget = {*_TRACING, *_SERVER, "urllib.request"} - {_SUMMARY}
        self.assertLessEqual(found, budget, sorted(found - budget))
        self.assertLessEqual(_SERVER, found)

    def test_forked(self) -> None:
        """The tracer is forked before anything is imported that only the other process needs."""
        for words in (["run", "-c", "--", "true"], ["attach", "1"], ["stats", str(LOG)]):
            for served in ([], ["--serve", "127.0.0.1:0"]):
                words[1:1] = served
                found = self._imported("--forked", *words, listed="forked")
                self.assertEqual(set(), found, words)

    def test_recorder(self) -> None:
        """The recorder of a log is forked before threads are started, and Twisted is imported."""
        words = ("--forked", "stats", "--record", "new", str(LOG))
        found = self._imported(*words, listed="recorder")
        budget = {*_FORMATS, "email"}
        self.assertLessEqual(found, budget, sorted(found - budget))

    def test_tracer(self) -> None:
        """The tracer never imports Twisted, whatever its backend."""
        for backend in ("ebpf", "ptrace"):
            modules = (
                "syswatch.tracer.__main__",
                "syswatch.tracer.driver",
                f"syswatch.tracer.{backend}.backend",
            )
            program = f"import {', '.join(modules)}, sys; print(*sys.modules)"
            names = subprocess.run(
                [sys.executable, "-c", program], capture_output=True, check=True, text=True
            ).stdout
            budget = {*_FORMATS, "syswatch.tracer", "syswatch.machine.capabilities"}
            found = _heavy(names)
            self.assertLessEqual(found, budget, sorted(found - budget))
            self.assertNotIn("twisted", names.split())

    def test_terminal_ui(self) -> None:
        """A tracer can begin before Textual is imported, and the first screen needs one list."""
        program = """
import sys
import syswatch.app.ui_controller
print(*sys.modules)
import syswatch.terminal.ui.app
from syswatch.terminal.ui.lists import LISTS
LISTS["calls"]
print(*sys.modules)
"""
        words = [sys.executable, "-c", program]
        output = subprocess.run(words, capture_output=True, check=True, text=True).stdout
        begun, drawn = (set(line.split()) for line in output.splitlines())
        self.assertTrue({"rich", "textual"}.isdisjoint(begun))
        self.assertIn("textual", drawn)
        package = "syswatch.terminal.ui"
        lists = {name for name in drawn if name.startswith(f"{package}.lists.")}
        own = {f"{package}.lists.{name}" for name in ("calls", "cells", "empty")}
        self.assertEqual(lists, own)
        self.assertNotIn(f"{package}.details.call", drawn)
