"""Reads the evidence that profiles are made of."""

import os
from collections.abc import Iterator, Sequence
from functools import reduce
from operator import add

import attrs
import msgspec

from syswatch.model.evidence import NATIVE
from syswatch.model.ledger import Ledger, Weight
from syswatch.model.messages import FilterOptions
from syswatch.profiles.basis import Basis
from syswatch.profiles.formats.json_form import read_basis
from syswatch.profiles.formats.outcome import FormatError
from syswatch.recording.recorded_evidence import RecordedEvidence
from syswatch.settings.access import Token
from syswatch.tracer.inputs.input_file import InputError, InputFile
from syswatch.tracer.inputs.selected_calls import output_of_reader
from syswatch.tracer.stracelog.log_evidence import only_architecture
from syswatch.views.status import notes_of

from . import deltas
from .errors import SourceError
from .source import body_of, check, is_url, url_of

_READER = "syswatch.recording.read.evidence"
_PATH = "api/profile?format=json"

_PROGRAMS = (b"\x7fELF", b"#!")
_WITHOUT_CALLS = "this profile does not contain the calls that it was made of"
_UNSURE = (
    "it has 32-bit calls; unless the messages of strace are in the log, too, they are told from"
    " others only by names that the machine itself does not have"
)


def read_all_evidence(
    sources: Sequence[str], token: Token | None = None, scheduler: str | None = None
) -> Iterator[Basis]:
    """Yield the evidence of each source; with a scheduler, the workers of its cluster read."""
    if scheduler is None:
        return (read_evidence(each, token) for each in sources)
    from .cluster import read_evidence_on_cluster

    return iter(read_evidence_on_cluster(sources, scheduler, token))


def read_evidence(source: str, token: Token | None = None) -> Basis:
    """Return the evidence of a recording, a log of strace, a JSON profile or a running server."""
    check(source)
    if is_url(source):
        return _of_server(source, token)
    try:
        with InputFile.open(source) as file:
            if not file.is_recording and file.peek().lstrip().startswith(b"{"):
                return _of_document(body_of(file, "profile"), source)
            if not file.is_recording and file.peek().startswith(_PROGRAMS):
                raise SourceError(
                    f"{source}: it is a program; to trace it: syswatch profile -- {source}"
                )
            found = _of_file(file)
            # Which has calls, too.
            is_folder = file.is_folder
        if not found.evidence and is_folder:
            recorded = _of_calls(source)
            cut = notes_of(Ledger(untracked_evidence=recorded.cut), Weight.LOST)
            found = attrs.evolve(
                found,
                evidence=dict(recorded.rows),
                # The notes of the calls say as well which part was kept.
                notes=tuple(dict.fromkeys((*found.notes, *recorded.notes, *cut))),
            )
    except InputError as error:
        raise SourceError(str(error)) from error
    if not found.evidence:
        raise SourceError(
            f"{source}: it has no calls that a profile can be made of; record again with --profile"
        )
    return found


def sum_of(found: list[Basis]) -> Basis:
    """Return the sum of what was found in several sources."""
    return reduce(add, found, Basis())


def _of_file(file: InputFile) -> Basis:
    """Return what the sums of a recording, or the lines of a log, tell."""
    if file.is_recording:
        observed = deltas.read_recording(file, samples=True)
    else:
        options = FilterOptions(profile=True)
        observed = deltas.read_log(file, os.cpu_count() or 1, options, samples=True)
    found = Basis.of(observed.delta)
    is_unsure = not file.is_recording and any(
        key.architecture != NATIVE and only_architecture(key.call) == key.architecture
        for key in found.evidence
    )
    unsure = (_UNSURE,) if is_unsure else ()
    notes = (*observed.notes, *found.notes, *unsure)
    return attrs.evolve(found, notes=notes, only=observed.started.only)


def _of_calls(folder: str) -> RecordedEvidence:
    """Return the evidence of every call of a recording."""
    blocks = output_of_reader(_READER, folder, timeout_s=deltas.NO_TIMEOUT_S)
    return msgspec.msgpack.decode(b"".join(block for block, _ in blocks), type=RecordedEvidence)


def _of_server(source: str, token: Token | None) -> Basis:
    # Files do without all that this imports.
    from .server import fetch

    url = url_of(source)
    return _of_document(fetch(url, token, _PATH), url, "no call has been seen yet")


def _of_document(body: bytes, name: str, if_empty: str = _WITHOUT_CALLS) -> Basis:
    try:
        basis = read_basis(body)
    except FormatError as error:
        raise SourceError(f"{name}: {error}") from error
    if not basis.evidence:
        raise SourceError(f"{name}: {if_empty}")
    return basis
