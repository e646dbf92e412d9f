"""
Ending on Ctrl+C at any moment, also within a library that does not return for minutes.

Python handles a signal only between its own instructions, so a thread waits for signals, removes
files that are not complete, and lets the process die of the signal.
"""

import os
import shutil
import signal
from contextlib import suppress
from pathlib import Path
from threading import Lock, Thread

_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
_ATTEMPTS = 100
_unfinished: set[Path] = set()
# Held from a signal on: whoever fails because its files are gone must not say so.
_removing = Lock()


def end_on_signals() -> None:
    """Have signals remove unfinished files and end the process; call this before other threads."""
    awaited = {each for each in _SIGNALS if signal.getsignal(each) is not signal.SIG_IGN}
    for number in awaited:
        signal.signal(number, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_BLOCK, awaited)
    Thread(target=_end, args=(awaited,), daemon=True).start()


def note_unfinished(path: Path) -> None:
    """Have a file, or a directory, removed if a signal ends the process."""
    _unfinished.add(path)


def note_finished(path: Path) -> None:
    """Leave a file alone from now on; this does not return while a signal ends the process."""
    with _removing:
        _unfinished.discard(path)


def _end(awaited: set[signal.Signals]) -> None:
    number = signal.sigwait(awaited)
    _removing.acquire()
    for path in list(_unfinished):
        if path.is_dir():
            _remove(path)
        else:
            with suppress(OSError):
                path.unlink()
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {number})
    os.kill(os.getpid(), number)


def _remove(folder: Path) -> None:
    """Remove a directory to which another thread may be writing."""
    for _ in range(_ATTEMPTS):
        shutil.rmtree(folder, ignore_errors=True)
        if not folder.exists():
            return
