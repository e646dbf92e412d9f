"""Command lines, parsed as the program does."""

from syswatch.options import UsageError, action
from syswatch.options.config import Answer, Config


def error_of(*words: str) -> str:
    """Return the error for a command line, or an empty string if it is accepted."""
    try:
        action(list(words))
    except UsageError as error:
        return str(error)
    return ""


def config_of(*words: str) -> Config:
    """Return the configuration that a command line stands for."""
    found = action(list(words))
    assert isinstance(found, Config), found
    return found


def text_of(*words: str) -> str:
    """Return what a command line prints."""
    found = action(list(words))
    assert isinstance(found, Answer), found
    return found.text
