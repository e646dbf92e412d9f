"""
The pytest plugin: limits for the system calls of tests.

Everything else is imported when the first test uses it, so that other test runs pay for this file
only.
"""

import hashlib
import os
import re
import sys
import threading
from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

import pytest

if TYPE_CHECKING:
    from syswatch.watching import Completed, Seen
    from syswatch.watching.limits import Limits

_MARKER = "syscalls"
_HELP = (
    "syscalls(max={}, max_errors={}, max_bytes_in={}, max_bytes_out={}, max_waiting={}, tolerance,"
    " forbid=[], forbid_paths=[], forbid_peers=[], forbid_programs=[], allow=[], allow_paths=[],"
    " allow_peers=[], allow_programs=[], baseline=False): fail the test if it makes more or other"
    " system calls"
)
_WITHOUT_RIGHTS = "syscalls_without_rights"
_CHOICES = ("skip", "error")
_PREFIX = "syscalls: "
# A function, or a method of a class: its name begins with an upper-case letter and ends before `_`.
_PLAIN_TEST = re.compile(r"[^A-Z:][^:]*$|[A-Z][^_:]*::[^:]*$")
# In bytes: a file system takes 255, of which a hash and the suffix need some.
_LONGEST_NAME = 200
_HARNESS = pytest.StashKey[tuple[int, ...]]()


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the options."""
    group = parser.getgroup("syswatch", "system calls (syswatch)")
    group.addoption(
        "--syscalls-update",
        action="store_true",
        help="write the baselines of system calls instead of comparing with them",
    )
    group.addoption(
        "--syscalls-backend",
        choices=("auto", "ebpf", "ptrace"),
        default="auto",
        help="how system calls are traced (default: as the rights of this user allow)",
    )
    parser.addini(
        _WITHOUT_RIGHTS,
        "what happens to tests that need system calls where these may not be traced: skip or error",
        default="skip",
    )


def pytest_configure(config: pytest.Config) -> None:
    """Declare the marker."""
    config.addinivalue_line("markers", _HELP)
    if config.getini(_WITHOUT_RIGHTS) not in _CHOICES:
        value = config.getini(_WITHOUT_RIGHTS)
        raise pytest.UsageError(f"{_WITHOUT_RIGHTS}: {value!r} is not one of {', '.join(_CHOICES)}")


def pytest_sessionstart(session: pytest.Session) -> None:
    """Note the threads of the test runner, such as those of xdist: they are not tested."""
    session.config.stash[_HARNESS] = tuple(
        thread.native_id
        for thread in threading.enumerate()
        if thread is not threading.main_thread() and thread.native_id is not None
    )


@pytest.hookimpl(wrapper=True, trylast=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None, Any, Any]:
    """Watch a test with the marker; this is the innermost hook, so little else is in the block."""
    markers = list(item.iter_markers(_MARKER))
    if not markers:
        return (yield)
    limited = [_limits(marker) for marker in markers]
    syscalls = Syscalls(item)
    with syscalls.watch() as seen:
        result = yield
    for limits, has_baseline in limited:
        syscalls.check_limits(seen, limits)
        if has_baseline:
            syscalls.check_baseline(seen)
    return result


def pytest_terminal_summary(terminalreporter: Any) -> None:
    """Print why tests were skipped: their limits were not checked."""
    reasons: dict[str, int] = {}
    for report in terminalreporter.stats.get("skipped", ()):
        reason = report.longrepr[-1] if isinstance(report.longrepr, tuple) else ""
        _, found, reason = reason.partition(_PREFIX)
        if found:
            reasons[reason] = reasons.get(reason, 0) + 1
    for reason, count in reasons.items():
        tests = f"{count} test{'' if count == 1 else 's'}"
        terminalreporter.write_line(f"syscalls: {tests} skipped: {reason}", yellow=True)


@pytest.fixture
def syscalls(request: pytest.FixtureRequest) -> "Syscalls":
    """Run commands and blocks of a test, and see their system calls."""
    return Syscalls(request.node)


class Syscalls:
    """What a test can do with system calls."""

    def __init__(self, item: pytest.Item) -> None:
        self._item = item
        self._config = item.config
        self._backend = item.config.getoption("syscalls_backend")

    @contextmanager
    def watch(self) -> "Iterator[Seen]":
        """Watch a block of this process, with the threads and processes that it starts."""
        from syswatch.watching import watch

        harness = self._config.stash.get(_HARNESS, ())
        block = watch(backend=self._backend, without_threads=harness)
        with self._explained():
            seen = block.__enter__()
        try:
            yield seen
        except BaseException as error:
            block.__exit__(type(error), error, error.__traceback__)
            raise
        with self._explained():
            block.__exit__(None, None, None)

    def run(self, args: Any, **options: Any) -> "Completed":
        """Run a command, with the options of `subprocess.run`."""
        from syswatch.watching import run

        with self._explained():
            return run(args, backend=self._backend, **options)

    def check(self, seen: "Seen", **limits: Any) -> None:
        """Fail the test if limits are exceeded, given as to the marker."""
        __tracebackhide__ = True
        self.check_limits(seen, _made(limits))

    def check_limits(self, seen: "Seen", limits: "Limits") -> None:
        """Fail the test if limits are exceeded."""
        __tracebackhide__ = True
        exceeded = limits.exceeded(seen)
        if exceeded:
            self._fail(seen, exceeded)

    def check_baseline(self, seen: "Seen", name: str = "") -> None:
        """Fail the test if calls changed since its baseline, or write that with the option."""
        __tracebackhide__ = True
        from syswatch.watching.baselines import compare, read, written

        if not seen.is_exact:
            self._fail(seen, (f"not comparable with a baseline: {', '.join(seen.doubts)}",))
        file = self._baseline(name)
        shown = os.path.relpath(file, self._config.rootpath)
        counts = seen.counts(self._places())
        try:
            if self._config.getoption("syscalls_update"):
                file.parent.mkdir(parents=True, exist_ok=True)
                file.write_text(written(counts, self._item.nodeid), "utf-8")
                return
            with self._explained():
                before = read(file)
        except FileNotFoundError:
            self._fail(seen, (f"there is no baseline {shown}: pytest --syscalls-update writes it",))
        except OSError as error:
            self._fail(seen, (f"{shown}: {error.strerror}",))
        findings = [each.text for each in compare(before, counts).findings]
        if findings:
            first, *rest = findings
            hint = f"since {shown}; if that is intended: pytest --syscalls-update"
            self._fail(seen, ("\n".join((first, *(f"  {each}" for each in (*rest, hint)))),))

    def _baseline(self, name: str) -> Path:
        """Return the file of a baseline: next to that of the test, in a directory for all."""
        test = self._item.nodeid.partition("::")[2] + (f"-{name}" if name else "")
        plain = re.sub(r"[^\w.\[\]-]+", "_", test)
        short = plain.encode()[:_LONGEST_NAME].decode(errors="ignore")
        if short != test.replace("::", "_") or not _PLAIN_TEST.match(test):
            # Two tests may differ in other characters only, or in where the name of a class ends.
            short = f"{short}-{hashlib.sha256(test.encode()).hexdigest()[:8]}"
        return self._item.path.parent / "__syscalls__" / self._item.path.stem / f"{short}.toml"

    def _places(self) -> dict[str, str]:
        """Return the directories that differ by machine, with their names in baselines."""
        places = {
            os.path.realpath(sys.base_prefix): "‹python›",
            os.path.realpath(sys.prefix): "‹environment›",
            os.path.realpath(self._config.rootpath): "‹project›",
        }
        factory = getattr(self._config, "_tmp_path_factory", None)
        if factory is not None:
            places[os.path.realpath(factory.getbasetemp())] = "‹tmp›"
        return places

    @contextmanager
    def _explained(self) -> Iterator[None]:
        """Fail the test if it cannot be watched; skip it if that is for want of a right."""
        from syswatch.watching import NotPermittedError, WatchError

        __tracebackhide__ = True
        try:
            yield
        except WatchError as error:
            reason = f"{_PREFIX}{error}"
            is_refused = isinstance(error, NotPermittedError)
            if is_refused and self._config.getini(_WITHOUT_RIGHTS) == "skip":
                raise pytest.skip.Exception(reason) from None
            raise pytest.fail.Exception(reason, pytrace=False) from None

    def _fail(self, seen: "Seen", sentences: Sequence[str]) -> NoReturn:
        """Fail the test; the first line says what was exceeded, and where."""
        __tracebackhide__ = True
        first, *rest = sentences
        what, *details = first.splitlines()
        lines = (f"{what} ({self._item.nodeid})", *details, *rest, f"  seen with {seen.backend}")
        pytest.fail("\n".join(lines), pytrace=False)


def _limits(marker: pytest.Mark) -> "tuple[Limits, bool]":
    """Return the limits of a marker, and whether there is a baseline."""
    given = dict(marker.kwargs)
    has_baseline = bool(given.pop("baseline", False))
    if marker.args:
        pytest.fail(f"syscalls: there are no positional arguments: {marker.args}", pytrace=False)
    return _made(given), has_baseline


def _made(given: dict[str, Any]) -> "Limits":
    """Return limits; a mistyped call or argument fails the test, as it would limit nothing."""
    from syswatch.watching import WatchError
    from syswatch.watching.limits import Limits

    mistake = ""
    try:
        return Limits(**given)
    except (TypeError, WatchError) as error:
        mistake = str(error).replace("Limits.__init__() ", "")
    pytest.fail(f"syscalls: {mistake}", pytrace=False)
