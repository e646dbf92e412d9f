"""Makes a recording in a directory of an input that is elsewhere, or a log."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from syswatch.codec.recording import RecordingError
from syswatch.recording import manifest, segments
from syswatch.recording.query.views import TABLES
from syswatch.tracer.inputs.input_file import InputError, InputFile
from syswatch.tracer.inputs.remote import RemoteError, RemoteFolder, expanded, is_remote

from .log_import import import_log

_SUMS = "{}: it has sums, and not every call; 'syswatch stats' reads it"
_PRIVATE = 0o700


def is_ready(name: str) -> bool:
    """Return whether an input is a directory, which is read where it is."""
    return not is_remote(name) and Path(name).is_dir()


def all_names(names: tuple[str, ...]) -> tuple[str, ...]:
    """Return the inputs with those that the patterns of URLs match."""
    found: list[str] = []
    for name in names:
        with _named(name):
            found += expanded(name) if is_remote(name) else (name,)
    return tuple(found)


def prepare(name: str, folder: Path) -> None:
    """Write the recording of an input; raise RecordingError, with its name, if that fails."""
    with _named(name), InputFile.open(name) as file:
        if file.is_folder:
            _fetch(RemoteFolder.of(name), folder)
        elif file.is_recording:
            raise RecordingError(_SUMS.format(name))
        else:
            import_log(file, folder)


@contextmanager
def _named(name: str) -> Iterator[None]:
    """Raise errors of reading an input as RecordingError."""
    try:
        yield
    except InputError as error:
        raise RecordingError(str(error)) from error
    except RemoteError as error:
        raise RecordingError(f"{name}: {error.strerror}") from error


def _fetch(remote: RemoteFolder, folder: Path) -> None:
    """Copy the files that queries read; a name that is not that of such a file is left alone."""
    folder.mkdir(mode=_PRIVATE)
    present = remote.names()
    for name in (manifest.NAME, *(f"{table}.parquet" for table in TABLES)):
        if name in present:
            remote.fetch(name, folder / name)
    for kind in (segments.CALLS, segments.LOSSES):
        if kind not in present:
            continue
        (folder / kind).mkdir(mode=_PRIVATE)
        for name in sorted(filter(segments.is_segment, remote.names(kind))):
            remote.fetch(f"{kind}/{name}", folder / kind / name)
