"""One source, whatever it is."""

import os
import re
from contextlib import suppress
from pathlib import Path

import attrs

from syswatch.codec.recording import DELTAS, NO_DELTAS
from syswatch.comparison.of_delta import run_of_delta
from syswatch.comparison.of_json import SummaryError, is_summary, run_of_json
from syswatch.comparison.run import Run
from syswatch.settings.access import Token
from syswatch.settings.url import UrlError, server_url
from syswatch.tracer.inputs.input_file import InputError, InputFile
from syswatch.tracer.inputs.remote import is_remote

from . import deltas
from .errors import LARGEST_SUMMARY, SourceError

STDIN = "-"
_WITH_SCHEME = re.compile(r"https?://")
_HOST_AND_PORT = re.compile(r"(?:[\w.-]+|\[[0-9a-fA-F:.]+\])?:\d{1,5}(?:/\S*)?\Z", re.ASCII)


def read(source: str, token: Token | None = None, *, workers: int | None = None) -> Run:
    """
    Return the run that a source holds: a recording, a log, a JSON summary, a URL; `-` is stdin.

    Large logs are read by this many processes, by default one for each CPU.
    """
    check(source)
    if is_url(source):
        return _run_of_server(source, token)
    try:
        with InputFile.open(source) as file:
            return _run_of_file(file, workers or os.cpu_count() or 1)
    except InputError as error:
        raise SourceError(str(error)) from error


def check(source: str) -> None:
    """Raise SourceError if it is clear from its name that a source cannot be read."""
    if is_url(source):
        url_of(source)
    elif is_remote(source):
        return  # Opening it tells.
    elif source != STDIN and not os.path.lexists(source):
        raise SourceError(f"{source}: no such file, recording or URL")
    elif Path(source).is_dir():
        try:
            (Path(source) / DELTAS).lstat()
        except FileNotFoundError:
            raise SourceError(f"{source}: {NO_DELTAS}") from None
        except OSError as error:
            raise SourceError(f"{source}: {error.strerror}") from error


def is_url(source: str) -> bool:
    """Return whether a source is a server; a file with such a name comes first."""
    if _WITH_SCHEME.match(source):
        return True
    return _HOST_AND_PORT.match(source) is not None and not os.path.lexists(source)


def size_of(source: str) -> int:
    """Return how many bytes are to be read, as far as that is known."""
    if is_url(source):
        return 0
    path = Path(source)
    with suppress(OSError):
        return (path / DELTAS if path.is_dir() else path).stat().st_size
    return 0


def _run_of_server(source: str, token: Token | None) -> Run:
    # Files do without all that this imports.
    from .server import fetch

    url = url_of(source)
    body = fetch(url, token)
    try:
        return run_of_json(body, source)
    except SummaryError as error:
        raise SourceError(f"{url} is not a syswatch server: {error}") from error


def url_of(source: str) -> str:
    """Return the whole URL of a server; raise SourceError."""
    try:
        return server_url(source)
    except UrlError as error:
        raise SourceError(str(error)) from error


def _run_of_file(file: InputFile, workers: int) -> Run:
    if file.is_recording:
        return run_of_sums(deltas.read_recording(file), file.name)
    if is_summary(file.peek()):
        return _run_of_document(file)
    return run_of_sums(deltas.read_log(file, workers), file.name)


def _run_of_document(file: InputFile) -> Run:
    try:
        return run_of_json(body_of(file, "summary"), file.name)
    except SummaryError as error:
        raise SourceError(f"{file.name}: {error}") from error


def body_of(file: InputFile, what: str) -> bytes:
    """Return the whole file; raise SourceError if it is too large."""
    body = bytearray()
    for block, _ in file.blocks(deltas.NO_TIMEOUT_S):
        body += block
        if len(body) > LARGEST_SUMMARY:
            raise SourceError(f"{file.name}: a {what} has at most {LARGEST_SUMMARY >> 20} MiB")
    return bytes(body)


def run_of_sums(observed: deltas.Observed, name: str) -> Run:
    """Return the run of what a log or a recording holds."""
    run = run_of_delta(observed.delta, name, started=observed.started, ended=observed.ended)
    notes = (*observed.notes, *run.notes)
    return attrs.evolve(run, notes=notes, is_cut_short=observed.is_cut_short)
