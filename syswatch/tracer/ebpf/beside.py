"""Doing something in another thread, while this one does something else."""

from collections.abc import Callable
from threading import Thread
from typing import TypeVar

from syswatch.tracer.dispositions import reserved_signals_kept

_Result = TypeVar("_Result")


def run_beside(work: Callable[[], _Result], meanwhile: Callable[[], object]) -> _Result:
    """Return the result of `work`, which another thread does; raise its error, or the other's."""
    results: list[_Result] = []
    errors: list[Exception] = []

    def do() -> None:
        try:
            results.append(work())
        except Exception as error:  # noqa: BLE001  raised again by the thread that waits
            errors.append(error)

    thread = Thread(target=do)
    with reserved_signals_kept():
        try:
            thread.start()
        except RuntimeError:  # There are as many threads as the user may have.
            do()
        try:
            meanwhile()
        finally:
            if thread.ident is not None:
                thread.join()
    if errors:
        raise errors[0]
    return results[0]
