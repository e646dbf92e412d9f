"""Child processes that continue with what this one has imported."""

import os
import sys
from collections.abc import Callable


def fork_to(run: Callable[[], int]) -> int:
    """
    Fork a child that calls a function and ends with the status that it returns; return its PID.

    This process must have one thread.
    """
    pid = os.fork()
    if pid == 0:
        status = 1
        try:
            status = run()
        except BaseException:  # noqa: BLE001  nothing may return into the code of the parent
            sys.excepthook(*sys.exc_info())
        finally:
            os._exit(status)
    return pid
