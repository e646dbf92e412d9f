"""Textual's driver, on the descriptors that are the screen and the keyboard here."""

import asyncio
import codecs
import locale
import os
import select
import signal
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from io import TextIOWrapper
from typing import Any, cast

import attrs
from textual.app import App
from textual.drivers.linux_driver import LinuxDriver

# What is drawn where an encoding has no blocks, arrows and Greek letters: as wide, and less fine.
_PLAIN = str.maketrans("▁▂▃▄▅▆▇█▲▼△■●·…–µ↑↓←→↵└≤", "_..--==#^v!*o.~-u^v<><`<")

# When the kernel tells of the end of a terminal it has done so by then.
_GRACE_S = 0.5


@attrs.define
class Canvas:
    """A screen as a file; one that has gone swallows what is written."""

    descriptor: int
    encoding: str

    def write(self, text: str) -> int:
        """Write all of a text, in the encoding of the terminal."""
        rest = memoryview(encoded(text, self.encoding))
        with suppress(OSError):  # Gone: whoever runs us is told by a SIGHUP.
            while rest:
                rest = rest[os.write(self.descriptor, rest) :]
        return len(text)

    def flush(self) -> None:
        """Hold nothing back, so that there is nothing to do."""

    def fileno(self) -> int:
        """Return the descriptor."""
        return self.descriptor


def encoded(text: str, encoding: str) -> bytes:
    """Encode a text, with plain signs where there are no others."""
    if codecs.lookup(encoding).name == "utf-8":
        return text.encode(errors="replace")
    return text.translate(_PLAIN).encode(encoding, errors="replace")


def driver_on(keyboard: int, screen: int) -> type[LinuxDriver]:
    """Return the driver of a terminal."""
    encoding = locale.getpreferredencoding(do_setlocale=False)

    class TerminalDriver(LinuxDriver):
        """Reads and draws on descriptors of its own; 0 to 2 are somewhere else by now."""

        def __init__(
            self,
            app: App[object],
            *,
            debug: bool = False,
            mouse: bool = True,
            size: tuple[int, int] | None = None,
        ) -> None:
            super().__init__(app, debug=debug, mouse=mouse, size=size)
            self._file = cast("TextIOWrapper[Any]", Canvas(screen, encoding))
            self.fileno = keyboard
            self.input_tty = True

        def start_application_mode(self) -> None:
            """Begin, and be told when there is something to read: an end, too, is read."""
            super().start_application_mode()
            asyncio.get_running_loop().add_reader(keyboard, self._leave_if_gone)

        def disable_input(self) -> None:
            """Read no more keys."""
            asyncio.get_running_loop().remove_reader(keyboard)
            super().disable_input()

        def run_input_thread(self) -> None:
            """Read keys, while there are any to come."""
            with suppress(OSError):
                super().run_input_thread()

        def _leave_if_gone(self) -> None:
            poll = select.poll()
            poll.register(keyboard, 0)
            if poll.poll(0):
                asyncio.get_running_loop().remove_reader(keyboard)
                self.exit_event.set()  # Or the thread would read the end again and again.
                # The kernel tells only those who have it as the terminal of their session.
                self._app.set_timer(_GRACE_S, partial(os.kill, os.getpid(), signal.SIGHUP))

        def _get_terminal_size(self) -> tuple[int, int]:
            width, height = terminal_size(screen, os.get_terminal_size)
            return width, height

    return TerminalDriver


def terminal_size(descriptor: int, ask: Callable[[int], os.terminal_size]) -> tuple[int, int]:
    """Return columns and lines; those of the first terminals where they are not known."""
    try:
        size = ask(descriptor)
    except OSError:
        return 80, 24
    return size.columns or 80, size.lines or 24
