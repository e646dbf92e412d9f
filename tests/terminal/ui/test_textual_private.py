"""
Tests of the private API of Textual that is used.

If one of them fails after an update of Textual, adapt `syswatch/terminal/ui/textual_private.py` and
add the version to `TRIED_VERSIONS`.
"""

import asyncio
import inspect
import io
import os
import pty
import signal
import sys
import termios
from importlib import import_module
from importlib.metadata import version
from pkgutil import iter_modules
from types import CodeType

from textual.app import App
from textual.driver import Driver
from textual.drivers.linux_driver import LinuxDriver
from textual.screen import ModalScreen
from textual.widget import Widget
from twisted.trial.unittest import TestCase

from syswatch.terminal import ui
from syswatch.terminal.ui.app import SyswatchApp
from syswatch.terminal.ui.controls import Exit
from syswatch.terminal.ui.textual_private import (
    PRIVATE_ATTRIBUTES,
    PRIVATE_METHODS,
    TRIED_VERSIONS,
    QuietApp,
    driver_on,
    encode_for_terminal,
    terminal_size,
)

from .harness import BUSY, Recorder, snapshot_of

VERSION = f"Textual {version('textual')} (tried: {', '.join(TRIED_VERSIONS)})"


def class_of(path: str) -> type:
    """Return a class of Textual by its module and name."""
    module, _, name = path.partition(":")
    found = getattr(import_module(module), name)
    assert isinstance(found, type)
    return found


class PrivateApiTests(TestCase):
    """Names and signatures of the installed Textual."""

    def test_methods(self) -> None:
        """Every private method exists, with the parameters that are known."""
        for path, parameters in PRIVATE_METHODS.items():
            owner, _, name = path.rpartition(".")
            with self.subTest(path):
                method = vars(class_of(owner)).get(name)
                assert method is not None, f"{path} is gone in {VERSION}"
                found = list(inspect.signature(method).parameters)
                self.assertEqual(list(parameters), found, f"{path} differs in {VERSION}")

    def test_attributes(self) -> None:
        """Every private attribute is set by the class that is known to set it."""
        for path, names in PRIVATE_ATTRIBUTES.items():
            used = vars(class_of(path))["__init__"].__code__.co_names
            for name in names:
                self.assertIn(name, used, f"{path}.{name} is not set in {VERSION}")

    def test_everything_is_listed(self) -> None:
        """No class of the UI uses a private name of Textual that is not listed."""
        listed = {path.rpartition(".")[2] for path in PRIVATE_METHODS}
        listed.update(*PRIVATE_ATTRIBUTES.values())
        driver_names = {*dir(LinuxDriver), *code_names(LinuxDriver), *code_names(Driver)}
        self.assertLessEqual(private(code_names(driver_on(0, 1)) & driver_names), listed, VERSION)
        for base in (App, ModalScreen, Widget):
            known = {*dir(base), *vars(base())}
            for own in own_subclasses(base):
                self.assertLessEqual(private(code_names(own) & known), listed, (own, VERSION))


def private(names: set[str]) -> set[str]:
    """Return the names that are private."""
    return {name for name in names if name.startswith("_") and not name.startswith("__")}


def code_names(owner: type) -> set[str]:
    """Return the names of the methods of a class, and those that they use as attributes."""
    names = set()
    for name, value in vars(owner).items():
        function = getattr(value, "fget", value)
        if inspect.isfunction(function):
            codes = [function.__code__]
            while codes:
                code = codes.pop()
                names |= {name, *code.co_names}
                codes += [each for each in code.co_consts if isinstance(each, CodeType)]
    return names


def own_subclasses(base: type) -> list[type]:
    """Return the classes of the UI that are derived from one of Textual."""
    modules = [import_module(f"{ui.__name__}.{info.name}") for info in iter_modules(ui.__path__)]
    return [
        each
        for module in modules
        for each in vars(module).values()
        if inspect.isclass(each) and each.__module__ == module.__name__ and issubclass(each, base)
    ]


class ExpectedError(Exception):
    """Raised by the application below."""


class FailingApp(QuietApp[None]):
    """An application that fails when it starts."""

    def on_mount(self) -> None:
        """Fail."""
        raise ExpectedError


class BehaviourTests(TestCase):
    """What the code relies on."""

    def setUp(self) -> None:
        """Restore the signal handlers that Textual replaces."""
        for number in (signal.SIGTSTP, signal.SIGCONT, signal.SIGWINCH):
            self.addCleanup(signal.signal, number, signal.getsignal(number))

    def open_pty(self) -> tuple[int, int]:
        """Open a pseudo-terminal."""
        master, slave = pty.openpty()
        self.addCleanup(os.close, master)
        self.addCleanup(os.close, slave)
        return master, slave

    def test_driver(self) -> None:
        """The driver draws on its descriptor in the terminal's size, and reads keys from it."""
        master, slave = self.open_pty()
        termios.tcsetwinsize(slave, (30, 100))
        drawn = bytearray()
        controls = Recorder(alive=False).controls()
        app = SyswatchApp(controls, snapshot_of(BUSY), driver_class=driver_on(slave, slave))

        def read() -> None:
            drawn.extend(os.read(master, 1 << 16))
            if b"quit" in drawn:
                os.write(master, b"q")

        async def run() -> Exit | None:
            asyncio.get_running_loop().add_reader(master, read)
            return await app.run_async()

        self.assertEqual(Exit.QUIT, asyncio.run(run()), VERSION)
        self.assertEqual((100, 30), tuple(app.size), VERSION)
        self.assertIn("nginx[42]", drawn.decode(), VERSION)

    def test_exit_event(self) -> None:
        """The event stops the thread that reads keys."""
        _, slave = self.open_pty()

        async def run() -> None:
            driver = driver_on(slave, slave)(QuietApp())
            driver.exit_event.set()
            await asyncio.wait_for(asyncio.to_thread(driver.run_input_thread), timeout=60)

        asyncio.run(run())

    def test_error(self) -> None:
        """The error that ends an application is kept, and nothing is printed."""
        stderr = io.StringIO()
        self.patch(sys, "stderr", stderr)
        self.patch(sys, "__stderr__", stderr)
        app = FailingApp()
        asyncio.run(app.run_async(headless=True))
        self.assertIsInstance(app.fatal_error, ExpectedError, VERSION)
        self.assertEqual("", stderr.getvalue(), VERSION)


class TerminalTests(TestCase):
    """Sizes and encodings of terminals."""

    def test_encoding(self) -> None:
        """An encoding without blocks and arrows gets equally wide ASCII characters."""
        self.assertEqual(
            encode_for_terminal("▁█ µs · ↵ ← → ✕ \u00d7", "ascii"), b"_# us . < < > x x"
        )
        self.assertEqual(encode_for_terminal("▁", "utf-8"), "▁".encode())

    def test_unknown_size(self) -> None:
        """A terminal that does not know its size has 80 columns and 24 lines."""

        def fail(_descriptor: int) -> os.terminal_size:
            raise OSError

        self.assertEqual((80, 24), terminal_size(0, fail))
        self.assertEqual((80, 24), terminal_size(0, lambda _: os.terminal_size((0, 0))))
        self.assertEqual((90, 20), terminal_size(0, lambda _: os.terminal_size((90, 20))))
