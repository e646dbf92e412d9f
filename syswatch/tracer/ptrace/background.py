"""Processes that outlive the tracer, to undo what it leaves behind if it is killed."""

import os
import signal
from collections.abc import Callable

_IGNORED = (signal.SIGTERM, signal.SIGHUP, signal.SIGALRM)


def run_in_background(run: Callable[[], None]) -> None:
    """
    Run a function in a process of its own session, which ignores the signals of the tracer.

    The process is forked twice: the tracer waits for all of its children, so this must not be one.
    """
    child = os.fork()
    if child == 0:
        if os.fork() == 0:
            try:
                os.setsid()
                for number in _IGNORED:
                    signal.signal(number, signal.SIG_IGN)
                run()
            finally:
                os._exit(0)
        os._exit(0)
    os.waitpid(child, 0)
