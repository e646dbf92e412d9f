"""Text from outside that becomes a part of a name."""

from syswatch.base.text import escape_text
from syswatch.model.delta import PATH_BYTES
from syswatch.tracer.collector import cut

# What is left out of a long path.
_CUT = "..."


def bounded(text: str | bytes) -> str:
    """Return text from outside, escaped and cut to the length that is kept of a path."""
    return cut(escape_text(text))


def bounded_path(path: bytes) -> str:
    """
    Return a path, escaped.

    Of a long one the last parts are kept, so that the files in a deep directory are told apart.
    """
    text = escape_text(path)
    if cut(text) == text:
        return text
    end = text.encode()[len(_CUT) - PATH_BYTES :].decode(errors="ignore")
    return _CUT + end[max(end.find("/"), 0) :]
