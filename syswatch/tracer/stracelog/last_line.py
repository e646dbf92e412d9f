"""The last line of a log: strace writes the beginning of a call before it waits for its end."""

from .grammar import UNFINISHED, UnfinishedCall, UnknownLine, end_of_arguments, parse_line


def as_begun(line: bytes) -> bytes:
    """
    Return a last line without a newline as strace ends it when another thread makes a call.

    A line that is cut off within a string is none that strace has left so.
    """
    if not isinstance(parse_line(line), UnknownLine):
        return line
    ended = line + UNFINISHED
    match parse_line(ended):
        case UnfinishedCall(text=text) if end_of_arguments(text + b")") == len(text):
            return ended
    return line
