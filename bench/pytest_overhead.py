"""
Measure what the pytest plugin adds to a test suite: not used, and with every test watched.

    python bench/pytest_overhead.py [--tiny] [--with PACKAGE]... [PROJECT]

PROJECT is installed from the package index in a fresh environment, with syswatch as it is in this
checkout, and the tests of its source distribution run there.  Without one, the tests are made here,
and nothing is downloaded.
"""

import ctypes
import os
import re
import resource
import subprocess
import sys
import tarfile
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

import attrs
import common

from syswatch.machine.capabilities import read_facts
from syswatch.machine.doctor import backend_verdict
from syswatch.model.backends import BACKENDS

ROOT = Path(__file__).parents[1]
_PR_SET_CHILD_SUBREAPER = 36
# Gives every test the marker, with limits that none exceeds.
_WATCH_ALL = """
import pytest

def pytest_collection_modifyitems(items):
    for item in items:
        item.add_marker(pytest.mark.syscalls(max={"all": 10_000_000}))
"""
_MADE = """
import json
import pytest

@pytest.mark.parametrize("number", range({count}))
def test_file(number, tmp_path):
    file = tmp_path / "numbers.json"
    file.write_text(json.dumps(list(range(number * 100))))
    assert len(json.loads(file.read_text())) == number * 100
"""
_TWO = ("-p", "xdist", "-n", "2")
_PASSED = re.compile(r"(\d+) passed")


@attrs.frozen
class Suite:
    """Tests, and the interpreter that runs them."""

    python: str
    folder: Path
    plugins: Sequence[str]

    def run(self, *words: str) -> tuple[float, float, int]:
        """Run all tests; return CPU time and elapsed time in seconds, and how many passed."""
        environment = {
            **os.environ,
            "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",
            "PYTHONPATH": os.pathsep.join(filter(None, (str(self.folder.parent), _own_path(self)))),
        }
        before_s, began_s = _children_s(), time.monotonic()
        done = subprocess.run(
            [self.python, "-m", "pytest", "-q", *self.plugins, *words, "tests"],
            cwd=self.folder,
            env=environment,
            capture_output=True,
            text=True,
            check=False,
        )
        elapsed_s = time.monotonic() - began_s
        _await_orphans()
        passed = _PASSED.search(done.stdout)
        if done.returncode or passed is None:
            sys.exit(f"the tests failed:\n{done.stdout}{done.stderr}")
        return _children_s() - before_s, elapsed_s, int(passed[1])


def _own_path(suite: Suite) -> str:
    """Return where this interpreter finds syswatch; a fresh environment has its own."""
    return str(ROOT) if suite.python == sys.executable else ""


def _children_s() -> float:
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def _await_orphans() -> None:
    """Wait for the watchers, so that their CPU time counts: this process has adopted them."""
    while True:
        try:
            os.waitpid(-1, 0)
        except ChildProcessError:
            return


def made_suite(folder: Path, count: int) -> Suite:
    """Return tests that are made here, for this interpreter."""
    tests = folder / "suite" / "tests"
    tests.mkdir(parents=True)
    (tests / "test_made.py").write_text(_MADE.format(count=count))
    return Suite(sys.executable, tests.parent, ())


def suite_of(project: str, others: Sequence[str], folder: Path) -> Suite:
    """Return the tests of a project, in a fresh environment."""
    subprocess.run([sys.executable, "-m", "venv", folder / "venv"], check=True)
    python = str(folder / "venv" / "bin" / "python")
    pip = [python, "-m", "pip", "--disable-pip-version-check", "-q"]
    own = [f"{ROOT}[pytest]", "pytest-xdist", project, *others]
    subprocess.run([*pip, "install", *own], check=True)
    source = ["download", "--no-deps", "--no-binary", ":all:", "-d", str(folder), project]
    subprocess.run([*pip, *source], check=True)
    (archive,) = folder.glob("*.tar.gz")
    with tarfile.open(archive) as packed:
        packed.extractall(folder, filter="data")
    version = subprocess.run(
        [python, "-m", "pip", "list", "--format", "freeze"],
        capture_output=True,
        text=True,
        check=True,
    )
    names = "syswatch|pytest|" + re.escape(project)
    print("  " + ", ".join(re.findall(rf"(?im)^(?:{names})==.*$", version.stdout)))
    return Suite(python, folder / archive.name.removesuffix(".tar.gz"), ())


def usable_backends() -> list[str]:
    """Return the backends that work here; print which do not."""
    facts, found = read_facts(), []
    for backend in BACKENDS:
        verdict = backend_verdict(backend, facts)
        if verdict.usable:
            found.append(backend.name)
        else:
            common.leave_out(f"watching with {backend.name}", verdict.why)
    return found


def report(what: str, result: tuple[float, float, int], base: tuple[float, float, int]) -> None:
    """Print what a run cost, and how much more than without the plugin."""
    cpu_s, elapsed_s, passed = result
    more_s = cpu_s - base[0]
    print(
        f"  {what:<28} {cpu_s:7.2f} s of CPU, {elapsed_s:7.2f} s elapsed, {passed} passed; "
        f"{1000 * more_s / passed:+.1f} ms of CPU for each test",
        flush=True,
    )


def main() -> None:
    """Measure."""
    options = common.parser("Measure what the pytest plugin adds to a test suite.")
    options.add_argument("project", nargs="?", help="a package whose source has tests/")
    options.add_argument("--with", dest="others", action="append", default=[], metavar="PACKAGE")
    chosen = options.parse_args()
    ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "watch_all.py").write_text(_WATCH_ALL)
        if chosen.project:
            suite = suite_of(chosen.project, chosen.others, folder)
        else:
            suite = made_suite(folder, 3 if chosen.tiny else 200)
        print(f"pytest, load {os.getloadavg()[0]:.1f} on {os.cpu_count()} CPUs")
        base = suite.run()
        report("without the plugin", base, base)
        base_of_two = base if chosen.tiny else suite.run(*_TWO)
        if not chosen.tiny:
            report("without the plugin, -n 2", base_of_two, base_of_two)
        ours = ("-p", "syswatch.pytest_plugin")
        report("with the plugin, not used", suite.run(*ours), base)
        for backend in usable_backends():
            watched = (*ours, "-p", "watch_all", f"--syscalls-backend={backend}")
            report(f"all watched, {backend}", suite.run(*watched), base)
            if not chosen.tiny:
                report(f"all watched, {backend}, -n 2", suite.run(*watched, *_TWO), base_of_two)


if __name__ == "__main__":
    main()
