"""Reads sources in processes of their own."""

import ctypes
import multiprocessing
import os
import signal
from collections.abc import Sequence
from contextlib import ExitStack
from multiprocessing.connection import Connection

from syswatch.comparison.run import Run
from syswatch.settings.access import Token

from .errors import SourceError
from .source import STDIN, read

_PR_SET_PDEATHSIG = 1


def read_in_processes(
    sources: Sequence[str], shares: Sequence[Sequence[int]], token: Token | None
) -> list[Run]:
    """Return the runs of all sources, of which each share has a process of its own."""
    forking = multiprocessing.get_context("fork")
    found: dict[int, Run | SourceError] = {}
    with ExitStack() as stack:
        results: list[Connection] = []
        for share in shares:
            receiver, sender = forking.Pipe(duplex=False)
            process = forking.Process(
                target=_work,
                args=(sender, os.getpid(), [sources[at] for at in share], token),
                daemon=True,
            )
            process.start()
            sender.close()
            stack.callback(process.join)
            stack.callback(process.kill)
            results.append(receiver)
        # Standard input is that of this process.
        for at, source in enumerate(sources):
            if source == STDIN:
                found[at] = read(source, token)
        for share, receiver in zip(shares, results, strict=True):
            for at in share:
                found[at] = _received(receiver, sources[at])
    return [_checked(found[at]) for at in range(len(sources))]


def _received(results: Connection, source: str) -> Run | SourceError:
    try:
        result: Run | SourceError = results.recv()
    except EOFError:
        return SourceError(f"{source}: the process that read it was killed")
    return result


def _checked(result: Run | SourceError) -> Run:
    if isinstance(result, SourceError):
        raise result
    return result


def _work(out: Connection, parent: int, sources: Sequence[str], token: Token | None) -> None:
    """Run in a worker process: send the run of each source, or its error."""
    _end_with(parent)
    for source in sources:
        try:
            out.send(read(source, token, workers=1).without_origin())
        except SourceError as error:
            out.send(error)


def _end_with(parent: int) -> None:
    """End on the signals that the parent handles in a thread, and when the parent ends."""
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    signal.pthread_sigmask(signal.SIG_SETMASK, ())
    if os.getppid() != parent:
        os._exit(1)
