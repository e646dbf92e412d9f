"""Reads the evidence that profiles are made of."""

import os

from syswatch.model.evidence import Evidence
from syswatch.model.ledger import Weight
from syswatch.model.messages import FilterOptions
from syswatch.tracer.inputs.input_file import InputError, InputFile
from syswatch.views.status import notes_of

from . import deltas
from .errors import SourceError
from .source import check, is_url


def read_evidence(source: str) -> tuple[Evidence, tuple[str, ...]]:
    """Return the evidence of a recording or a log of strace, and notes on what is missing."""
    if is_url(source):
        raise SourceError(f"{source}: a profile cannot be made of a running server; record it")
    check(source)
    try:
        with InputFile.open(source) as file:
            if file.is_recording:
                observed = deltas.read_recording(file)
            else:
                options = FilterOptions(profile=True)
                observed = deltas.read_log(file, os.cpu_count() or 1, options)
    except InputError as error:
        raise SourceError(str(error)) from error
    if not observed.delta.evidence:
        raise SourceError(
            f"{source}: it has no evidence for a profile; record again with --profile"
        )
    delta = observed.delta
    return delta.evidence, (*observed.notes, *notes_of(delta.ledger, Weight.LOST))
