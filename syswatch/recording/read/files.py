"""Checks of the folders of a recording, and what errors say about its files."""

import stat
from pathlib import Path

from syswatch.base.text import escape_text
from syswatch.codec.recording import RecordingError


def check_folder(path: Path) -> None:
    """Raise RecordingError unless this is a directory, and not a link to one."""
    try:
        mode = path.lstat().st_mode
    except FileNotFoundError:
        return
    except OSError as error:
        raise RecordingError(f"{path.name}: {error.strerror}") from error
    if not stat.S_ISDIR(mode):
        raise RecordingError(f"the recording is damaged: {path.name} is not a directory")


def reason_of(error: BaseException) -> str:
    """Return what an error says, in one short line."""
    text = getattr(error, "strerror", None) or str(error) or type(error).__name__
    return escape_text(text.partition("\n")[0][:200]).rstrip(".")
