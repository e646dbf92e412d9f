"""A cluster for tests."""

import logging
from functools import cache

import dask
from distributed import LocalCluster

# It lives longer than the tests that use it, and would look at itself some hundred times a second.
# Textual takes a process as idle only if it uses the CPU for less than 1 of 20 ms: each key that a
# test presses would take a second.
_QUIET = {
    "distributed.worker.profile.enabled": False,
    "distributed.worker.memory.monitor-interval": "10s",
    "distributed.admin.system-monitor.interval": "10s",
    "distributed.admin.tick.interval": "10s",
}


@cache
def two_workers() -> LocalCluster:
    """Return a cluster for all tests of this process, which ends with it."""
    # For good: a worker that is started again has the settings of then.
    dask.config.set(_QUIET)
    return LocalCluster(
        n_workers=2,
        threads_per_worker=1,
        host="127.0.0.1",
        dashboard_address="127.0.0.1:0",
        silence_logs=logging.CRITICAL,
    )
