"""
Everything that uses the private API of Textual: methods overridden, attributes read or replaced.

It was tried with the versions in `TRIED_VERSIONS`.  The tests of this module compare the lists of
methods and attributes below with the installed version, and check the behaviour relied on.
"""

import asyncio
import codecs
import locale
import os
import select
import signal
from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import partial
from io import TextIOWrapper
from typing import Any, cast

from textual.app import App, ReturnType
from textual.drivers.linux_driver import LinuxDriver

from syswatch.base.classes import define
from syswatch.base.streams import write_all

TRIED_VERSIONS = ("8.2.0", "8.2.8")
# Methods that are overridden or called, with their parameters.
PRIVATE_METHODS: Mapping[str, tuple[str, ...]] = {
    "textual.app:App._print_error_renderables": ("self",),
    "textual.drivers.linux_driver:LinuxDriver.__init__": ("self", "app", "debug", "mouse", "size"),
    "textual.drivers.linux_driver:LinuxDriver._get_terminal_size": ("self",),
    "textual.drivers.linux_driver:LinuxDriver.disable_input": ("self",),
    "textual.drivers.linux_driver:LinuxDriver.run_input_thread": ("self",),
    "textual.drivers.linux_driver:LinuxDriver.start_application_mode": ("self",),
}
# Attributes that an instance sets in `__init__`, and that are read or replaced here.
PRIVATE_ATTRIBUTES: Mapping[str, tuple[str, ...]] = {
    "textual.app:App": ("_exception", "_exit_renderables"),
    "textual.drivers.linux_driver:LinuxDriver": ("_file", "fileno", "input_tty", "exit_event"),
    "textual.driver:Driver": ("_app",),
}

# Replacements, equally wide, for encodings without blocks, arrows and Greek letters.
_ASCII = str.maketrans("▁▂▃▄▅▆▇█▓▒░│▲▼△■●·…–µ↑↓←→↵└≤≥✕×", "_..--==#%:.|^v!*o.~-u^v<><`<>xx")  # noqa: RUF001  a table of look-alikes
# The kernel sends SIGHUP within this time when a controlling terminal goes away.
_HANGUP_GRACE_S = 0.5


class QuietApp(App[ReturnType]):
    """An app whose caller reports the error that ended it."""

    @property
    def fatal_error(self) -> Exception | None:
        """The error that ended this app."""
        return self._exception

    def _print_error_renderables(self) -> None:
        """Print no traceback."""
        self._exit_renderables.clear()


@define
class ScreenFile:
    """A terminal as the file that a driver writes to; ignores that the terminal is gone."""

    descriptor: int
    encoding: str

    def write(self, text: str) -> int:
        """Write a whole text, in the encoding of the terminal."""
        with suppress(OSError):  # A terminal that is gone: SIGHUP reports it.
            write_all(self.descriptor, encode_for_terminal(text, self.encoding))
        return len(text)

    def flush(self) -> None:
        """Do nothing, as nothing is buffered."""

    def fileno(self) -> int:
        """Return the descriptor."""
        return self.descriptor


def encode_for_terminal(text: str, encoding: str) -> bytes:
    """Encode a text, with ASCII characters in place of those that an encoding lacks."""
    if codecs.lookup(encoding).name == "utf-8":
        return text.encode(errors="replace")
    return text.translate(_ASCII).encode(encoding, errors="replace")


def driver_on(keyboard: int, screen: int) -> type[LinuxDriver]:
    """Return a driver class for two descriptors; Textual's own uses 0 and 2, redirected here."""
    encoding = locale.getpreferredencoding(do_setlocale=False)

    class TerminalDriver(LinuxDriver):
        """Reads keys from one descriptor and draws on another."""

        def __init__(
            self,
            app: App[object],
            *,
            debug: bool = False,
            mouse: bool = True,
            size: tuple[int, int] | None = None,
        ) -> None:
            super().__init__(app, debug=debug, mouse=mouse, size=size)
            self._file = cast("TextIOWrapper[Any]", ScreenFile(screen, encoding))
            self.fileno = keyboard
            self.input_tty = True

        def start_application_mode(self) -> None:
            """Start, and watch for the end of the terminal, which makes it readable."""
            super().start_application_mode()
            asyncio.get_running_loop().add_reader(keyboard, self._exit_if_gone)

        def disable_input(self) -> None:
            """Stop reading keys."""
            asyncio.get_running_loop().remove_reader(keyboard)
            super().disable_input()

        def run_input_thread(self) -> None:
            """Read keys until the terminal is gone."""
            with suppress(OSError):
                super().run_input_thread()

        def _exit_if_gone(self) -> None:
            poll = select.poll()
            poll.register(keyboard, 0)
            if poll.poll(0):
                asyncio.get_running_loop().remove_reader(keyboard)
                self.exit_event.set()  # Or the thread would read the end in a busy loop.
                # The kernel sends SIGHUP only for the controlling terminal.
                self._app.set_timer(_HANGUP_GRACE_S, partial(os.kill, os.getpid(), signal.SIGHUP))

        def _get_terminal_size(self) -> tuple[int, int]:
            return terminal_size(screen)

    return TerminalDriver


def terminal_size(
    descriptor: int, ask: Callable[[int], os.terminal_size] = os.get_terminal_size
) -> tuple[int, int]:
    """Return columns and lines, 80 and 24 if unknown."""
    try:
        size = ask(descriptor)
    except OSError:
        return 80, 24
    return size.columns or 80, size.lines or 24
