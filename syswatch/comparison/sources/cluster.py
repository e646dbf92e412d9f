"""Reads sources on the workers of a Dask cluster."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, TypeVar

from distributed import Client

from syswatch.comparison.run import Run
from syswatch.model.messages import ReadLogs
from syswatch.profiles.basis import Basis
from syswatch.settings.access import Token
from syswatch.tracer.cluster import tasks
from syswatch.tracer.cluster.connection import ClusterError, connected, failure
from syswatch.tracer.cluster.piece import added
from syswatch.tracer.cluster.submission import Future, Submission
from syswatch.tracer.cluster.tasks import Plan

from .deltas import observed_on_cluster
from .errors import SourceError
from .evidence import read_evidence
from .source import is_url, read, run_of_sums

_RETRIES = 3
T = TypeVar("T")


def read_on_cluster(
    sources: Sequence[str], scheduler: str, token: Token | None, workers: int
) -> list[Run]:
    """
    Return the runs of all sources; raise the SourceError of the first.

    A log that so many processes of this machine would read in parts is read in the same parts.
    """
    try:
        with connected(scheduler) as client:
            on_workers = [each for each in dict.fromkeys(sources) if not is_url(each)]
            found = dict(zip(on_workers, _mapped(client, _read, on_workers, workers), strict=True))
            runs = {
                name: _in_parts(client, _job(name, workers), each)
                if isinstance(each, Plan)
                else each
                for name, each in found.items()
            }
            # This process has the token, and servers may know it only.
            return [_checked(runs[each]) if each in runs else read(each, token) for each in sources]
    except ClusterError as error:
        raise SourceError(str(error)) from error


def read_evidence_on_cluster(
    sources: Sequence[str], scheduler: str, token: Token | None
) -> list[Basis]:
    """Return the evidence of all sources, with notes; raise the SourceError of the first."""
    try:
        with connected(scheduler) as client:
            on_workers = [each for each in dict.fromkeys(sources) if not is_url(each)]
            found = dict(zip(on_workers, _mapped(client, _evidence, on_workers), strict=True))
            return [
                _checked(found[each]) if each in found else read_evidence(each, token)
                for each in sources
            ]
    except ClusterError as error:
        raise SourceError(str(error)) from error


def _mapped(
    client: Client, task: Callable[..., T], sources: Sequence[str], *arguments: object
) -> list[T]:
    """Return what a task returns for each source."""
    futures = [
        client.submit(task, each, *arguments, pure=False, retries=_RETRIES) for each in sources
    ]
    names = {str(future.key): each for future, each in zip(futures, sources, strict=True)}
    return [_result(future, names) for future in futures]


def _result(future: Future, names: dict[str, str]) -> Any:
    try:
        return future.result()
    except Exception as error:
        raise failure(error, names) from error


def _checked(result: T | SourceError) -> T:
    if isinstance(result, SourceError):
        raise result
    return result


def _job(source: str, workers: int) -> ReadLogs:
    return ReadLogs((source,), workers, scheduler="")


def _read(source: str, workers: int) -> Run | Plan | SourceError:
    """Run on a worker: return the run of a source, or how to divide it."""
    plan = tasks.plan(_job(source, workers), source)
    if isinstance(plan, Plan) and plan.ranges:
        return plan
    try:
        return read(source, workers=1).without_origin()
    except SourceError as error:
        return error


def _evidence(source: str) -> Basis | SourceError:
    """Run on a worker: return the evidence of a source."""
    try:
        return read_evidence(source)
    except SourceError as error:
        return error


def _in_parts(client: Client, job: ReadLogs, plan: Plan) -> Run | SourceError:
    """Return the run of a large log."""
    name = job.files[0]
    submission = Submission(client, job, [(name, plan)], lambda *_: None)
    # All at once: it is one log.
    answers = list(submission.answers())
    result = partial(_result, names=submission.names)
    try:
        return run_of_sums(observed_on_cluster(added(map(result, answers)), name), name)
    except SourceError as error:
        return error
