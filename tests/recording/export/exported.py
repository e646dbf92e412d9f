"""Exports of recordings for tests."""

import io
from pathlib import Path

from syswatch.model.times import LONGEST_NS
from syswatch.recording.export.formats import WRITERS
from syswatch.recording.export.selection import Selection
from syswatch.recording.read.opening import Recording


def exported(folder: Path, form: str, since_ns: int = 0, until_ns: int = LONGEST_NS) -> bytes:
    """Return what is written for a recording."""
    out = io.BytesIO()
    WRITERS[form](Selection(Recording.open(folder), since_ns, until_ns), out)
    return out.getvalue()
