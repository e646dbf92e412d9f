"""Tracers that are started before there is a reactor."""

from syswatch.codec.frames import Job
from syswatch.service.early_start import EarlyTracer
from syswatch.tracer.__main__ import main as trace


def early_tracer(job: Job, *, is_held: bool = False, records: bool = False) -> EarlyTracer:
    """Start one, and let it begin a job."""
    early = EarlyTracer.fork(lambda: None, trace)
    assert early is not None
    assert early.begin(job, is_held=is_held, records=records)
    return early
