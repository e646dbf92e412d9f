"""Queries and exports of recordings, which need no reactor."""

import resource
import shutil
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from syswatch.app.interruption import end_on_signals, note_finished, note_unfinished
from syswatch.app.output_file import Output
from syswatch.base.streams import print_message
from syswatch.base.text import escape_text
from syswatch.codec.recording import RecordingError
from syswatch.model.times import LONGEST_NS
from syswatch.options import USAGE_STATUS, UsageError
from syswatch.options.config import Export, Query, Reading
from syswatch.recording import forms
from syswatch.recording.export.formats import WRITERS as EXPORTS
from syswatch.recording.export.selection import Selection
from syswatch.recording.extra import MissingPackageError
from syswatch.recording.inputs.gathering import gathered, named, opened
from syswatch.recording.inputs.prepare import all_names, is_ready
from syswatch.recording.inputs.pruning import Columns
from syswatch.recording.manifest import Manifest
from syswatch.recording.moments import MomentError, moment
from syswatch.recording.notes import outside
from syswatch.recording.query.asking import Asked, ask
from syswatch.recording.query.database import Database
from syswatch.recording.query.errors import ParameterError, QueryError
from syswatch.recording.query.needed import needed_columns
from syswatch.recording.query.writers import WRITERS
from syswatch.recording.read.opening import Recording

_FAILED: Final = 1
_UNREADABLE: Final = 2
# Damaged files may claim to hold any amount of data.  A query has a lower limit of its own.
_MOST_MEMORY: Final = 4 << 30


def run(action: Reading) -> int:
    """Answer a query or write an export; return the exit status."""
    end_on_signals()
    _limit_memory()
    try:
        _check_terminal(action)
        if isinstance(action, Query):
            _query(action)
        else:
            _export(action)
    except BrokenPipeError:
        return 0
    except (MomentError, ParameterError, UsageError) as error:
        print_message(str(error))
        return USAGE_STATUS
    except RecordingError as error:
        print_message(str(error))
        return _UNREADABLE
    except (QueryError, MissingPackageError) as error:
        print_message(str(error))
    except MemoryError:
        print_message(f"{_name(action)}: reading it takes more than {_MOST_MEMORY >> 30} GiB")
    except OSError as error:
        print_message(f"{error.filename or action.output}: {error.strerror}")
        if is_in(error.filename, _inputs(action)):
            return _UNREADABLE
    else:
        return 0
    return _FAILED


def is_in(filename: object, inputs: Sequence[str]) -> bool:
    """Return whether the file of an error is an input, or in one."""
    return isinstance(filename, str) and any(
        Path(filename).is_relative_to(Path(each)) for each in inputs
    )


def _inputs(action: Reading) -> Sequence[str]:
    return (action.folder,) if isinstance(action, Export) else action.inputs


def _name(action: Reading) -> str:
    """Return what is read, in short."""
    first, *others = _inputs(action)
    return f"{first} and {len(others)} more" if others else first


def _limit_memory() -> None:
    most, hard = resource.getrlimit(resource.RLIMIT_DATA)
    if most == resource.RLIM_INFINITY or most > _MOST_MEMORY:
        resource.setrlimit(resource.RLIMIT_DATA, (_MOST_MEMORY, hard))


def _check_terminal(action: Reading) -> None:
    if action.format in forms.BINARY and action.output == "-" and sys.stdout.isatty():
        raise QueryError(f"{action.format} is not text: write it to a file with -o FILE")


def _query(query: Query) -> None:
    names = all_names(query.inputs)
    with _place_for(names) as place:
        recordings = gathered(names, place, query.scheduler, _needed(query, names))
        asked = _asked(query, recordings[0].about)
        database = Database.open(*recordings)
        for recording in recordings:
            for note in recording.notes:
                print_message(note if len(recordings) == 1 else f"{recording.name}: {note}")
        _write_answer(query, asked, database)


@contextmanager
def _place_for(names: Sequence[str]) -> Iterator[Path]:
    """Yield a directory for what is not read where it is; it is removed however this ends."""
    if all(map(is_ready, names)):
        yield Path()
        return
    place = Path(tempfile.mkdtemp(prefix="syswatch-query-"))
    note_unfinished(place)
    try:
        yield place
    finally:
        shutil.rmtree(place, ignore_errors=True)
        note_finished(place)


def _needed(query: Query, names: Sequence[str]) -> Columns:
    """Return what the workers of a cluster have to return; mistakes are found before they read."""
    if query.scheduler is None:
        return {}
    # Moments count from a beginning that is not known yet; that does not change the columns.
    return needed_columns(_asked(query, Manifest(0)), are_several=len(names) > 1)


def _asked(query: Query, about: Manifest) -> Asked:
    return ask(about, query.question, query.values) if query.question else Asked(query.sql, {})


def _write_answer(query: Query, asked: Asked, database: Database) -> None:
    first_line = asked.first_line(database)
    with database.run(asked.sql, asked.parameters) as result, Output(query.output) as out:
        if first_line and query.format == "table":
            out.write(f"{escape_text(first_line)}\n".encode())
        note = WRITERS[query.format](result, out)
    if note:
        print_message(note)


def _export(export: Export) -> None:
    recording = opened(export.folder)
    with named(export.folder):
        _write_export(export, recording)


def _write_export(export: Export, recording: Recording) -> None:
    begun_ns = recording.about.begun_ns
    since_ns = moment(export.since, begun_ns) if export.since else 0
    until_ns = moment(export.until, begun_ns) if export.until else LONGEST_NS
    if export.since and until_ns <= since_ns:
        raise UsageError(f"--until ({export.until}) must be later than --since ({export.since})")
    selection = Selection(recording, since_ns, until_ns)
    # What is damaged is known only when all segments have been found.
    recording.segments()
    told = recording.notes
    for note in (*told, *outside(recording.about, since_ns, until_ns)):
        print_message(note)
    with Output(export.output) as out:
        EXPORTS[export.format](selection, out)
    for note in recording.notes:
        if note not in told:
            print_message(note)
