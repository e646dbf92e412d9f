"""Connections to Dask: to a scheduler that runs, or to a cluster of this machine."""

import logging
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any

import dask.config
from distributed import Client, LocalCluster
from distributed.comm.core import CommClosedError
from distributed.scheduler import KilledWorker

from syswatch.base.text import escape_text
from syswatch.settings.engine import OWN_CLUSTER
from syswatch.tracer.errors import TraceError

from . import tasks

VERSION = tasks.about_worker()
_CONNECT_S = 10
_FIRST_WORKER_S = 60
# Any port for the status of a scheduler or a worker, which is not used.
_LOOPBACK = "127.0.0.1:0"
_CLOSE_S = 5


class ClusterError(TraceError):
    """The cluster cannot do its work; the message is one sentence for the user."""


@contextmanager
def connected(scheduler: str) -> Iterator[Client]:
    """Yield a client whose workers have this version of syswatch."""
    # What concerns the user is reported in sentences; all else would be in the middle of them.
    before = logging.root.manager.disable
    logging.disable(logging.CRITICAL)
    try:
        with _own_cluster() if scheduler == OWN_CLUSTER else _client_of(scheduler) as client:
            _check_workers(client, scheduler)
            yield client
    finally:
        logging.disable(before)


@contextmanager
def _own_cluster() -> Iterator[Client]:
    """Yield the client of a cluster that has a worker for each CPU and ends with this process."""
    quiet = {"logging.distributed": "critical"}
    with dask.config.set({**quiet, "distributed.worker.daemon": True}):
        try:
            cluster = LocalCluster(
                n_workers=os.cpu_count() or 1,
                threads_per_worker=1,
                processes=True,
                host="127.0.0.1",
                # Other users of this machine could run what they like on an open port.
                security=True,
                dashboard_address=_LOOPBACK,
                worker_dashboard_address=_LOOPBACK,
                scheduler_kwargs={"dashboard": False},
                silence_logs=logging.CRITICAL,
            )
        except (OSError, RuntimeError, TimeoutError) as error:
            raise ClusterError(f"cannot start a Dask cluster: {_reason(error)}") from error
        try:
            with _closing(Client(cluster, timeout=_CONNECT_S)) as client:
                yield client
        finally:
            with suppress(Exception):
                cluster.close(timeout=_CLOSE_S)


@contextmanager
def _client_of(scheduler: str) -> Iterator[Client]:
    try:
        client = Client(scheduler, timeout=_CONNECT_S)
    except Exception as error:
        raise ClusterError(
            f"cannot connect to the Dask scheduler {scheduler}: {_reason(error)}"
        ) from error
    with _closing(client):
        yield client


@contextmanager
def _closing(client: Client) -> Iterator[Client]:
    try:
        yield client
    finally:
        with suppress(Exception):
            client.close(timeout=_CLOSE_S)


def _check_workers(client: Client, scheduler: str) -> None:
    """Refuse a cluster without a worker, or with workers that have another version."""
    where = f"the Dask cluster {scheduler}" if scheduler else "the Dask cluster of this machine"
    try:
        client.wait_for_workers(1, timeout=_FIRST_WORKER_S)
    except TimeoutError as error:
        raise ClusterError(f"{where} has no workers") from error
    for worker, found in client.run(tasks.about_worker, on_error="return").items():
        if isinstance(found, CommClosedError):
            continue  # It has ended meanwhile, as it may later: others do its tasks.
        if isinstance(found, Exception):
            raise ClusterError(
                f"the worker {worker} cannot import syswatch {VERSION}: {_reason(found)}"
                " (install it on all workers)"
            )
        if found != VERSION:
            raise ClusterError(
                f"the worker {worker} has syswatch {found}, and this is {VERSION}:"
                " install the same version on all workers"
            )


def threads_of(client: Client) -> int:
    """Return how many tasks the workers can do at a time."""
    try:
        return sum(client.nthreads().values())
    except OSError as error:
        raise ClusterError(
            f"the connection to the Dask scheduler was lost: {_reason(error)}"
        ) from error


def failure(error: Exception, names: dict[str, str]) -> ClusterError:
    """Return the error that reports why a task failed; `names` has the inputs of tasks."""
    if isinstance(error, KilledWorker):
        name = names.get(str(error.task), "an input")
        return ClusterError(
            f"{name}: the workers that read it were killed {error.allowed_failures + 1} times"
            " (it may need more memory than they have)"
        )
    return ClusterError(f"a task of the Dask cluster failed: {_reason(error)}")


def _reason(error: Any) -> str:
    """Return why something failed, in one line."""
    lines = str(error).strip().splitlines()
    return escape_text(lines[0]) if lines else type(error).__name__
