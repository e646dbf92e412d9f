"""
Ending on Ctrl+C at any moment, also within a library that does not return for minutes.

Python handles a signal only between its own instructions, so a thread waits for signals, removes
files that are not complete, and lets the process die of the signal.
"""

import os
import signal
from pathlib import Path
from threading import Thread

_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
_unfinished: set[Path] = set()


def end_on_signals() -> None:
    """Have signals remove unfinished files and end the process; call this before other threads."""
    awaited = {each for each in _SIGNALS if signal.getsignal(each) is not signal.SIG_IGN}
    for number in awaited:
        signal.signal(number, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_BLOCK, awaited)
    Thread(target=_end, args=(awaited,), daemon=True).start()


def note_unfinished(path: Path) -> None:
    """Have a file removed if a signal ends the process."""
    _unfinished.add(path)


def note_finished(path: Path) -> None:
    """Leave a file alone from now on."""
    _unfinished.discard(path)


def _end(awaited: set[signal.Signals]) -> None:
    number = signal.sigwait(awaited)
    for path in list(_unfinished):
        path.unlink(missing_ok=True)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {number})
    os.kill(os.getpid(), number)
