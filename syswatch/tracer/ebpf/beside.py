"""Doing something in another thread, while this one does something else."""

from collections.abc import Callable
from threading import Thread
from typing import TypeVar

from syswatch.tracer.dispositions import reserved_signals_kept

_Result = TypeVar("_Result")


def run_beside(
    work: Callable[[], _Result],
    meanwhile: Callable[[], object],
    discard: Callable[[_Result], object],
) -> _Result:
    """
    Return the result of `work`, which another thread does, or raise its error.

    If `meanwhile` fails, its error is raised, and what `work` has made is discarded.
    """
    results: list[_Result] = []
    errors: list[BaseException] = []

    def do() -> None:
        try:
            results.append(work())
        except BaseException as error:  # noqa: BLE001  raised again by the thread that waits
            errors.append(error)

    thread = Thread(target=do)
    with reserved_signals_kept():
        try:
            thread.start()
        except RuntimeError:  # There are as many threads as the user may have.
            do()
        try:
            meanwhile()
        except BaseException as error:  # noqa: BLE001  raised again when the thread has ended
            errors.insert(0, error)
        if thread.ident is not None:
            thread.join()
    if errors:
        for each in results:
            discard(each)
        raise errors[0]
    return results[0]
