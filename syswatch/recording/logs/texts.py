"""Columns of text, one value a line, as arrays of Arrow and numbers of numpy."""

from collections.abc import Callable, Sequence
from typing import Any

from syswatch.base.text import escape_text
from syswatch.recording.extra import load

_NEWLINE = 10
_PRINTABLE = range(0x20, 0x7F)


def texts_of(joined: bytes, count: int) -> Any:
    """Return so many lines as an array of bytes."""
    numpy = load("numpy")
    return _array(joined, count, numpy.flatnonzero(numpy.frombuffer(joined, "u1") == _NEWLINE))


def shown(joined: bytes, count: int) -> Any:
    """Return so many lines as an array of strings, with what is not printable escaped."""
    numpy, arrow = load("numpy"), load("pyarrow")
    raw = numpy.frombuffer(joined, "u1")
    # A byte below the first of the printable ones becomes a large number.
    ends = numpy.flatnonzero(raw - numpy.uint8(_PRINTABLE.start) >= len(_PRINTABLE))
    if not (raw[ends] == _NEWLINE).all():
        return arrow.array(list(map(escape_text, joined.split(b"\n"))), "string")
    return _array(joined, count, ends).view(arrow.string())


def _array(joined: bytes, count: int, ends: Any) -> Any:
    """Return lines as an array of bytes; `ends` are the places of the newlines."""
    numpy, arrow = load("numpy"), load("pyarrow")
    offsets = numpy.zeros(count + 1, "i4")
    offsets[1:-1] = ends - numpy.arange(count - 1)
    offsets[-1] = len(joined) - len(ends)
    # Several times as fast as selecting the other bytes in numpy.
    data = joined.replace(b"\n", b"")
    buffers = [None, arrow.py_buffer(offsets), arrow.py_buffer(data)]
    return arrow.Array.from_buffers(arrow.binary(), count, buffers)


def encoded(texts: Any) -> tuple[Any, Sequence[bytes]]:
    """Return for each text which one of the different texts it is, and these."""
    encoding = texts.dictionary_encode()
    return encoding.indices.to_numpy(zero_copy_only=False), encoding.dictionary.to_pylist()


def numbers(texts: Any, number_of: Callable[[bytes], int]) -> Any:
    """Return the number that each text stands for; each different text is parsed once."""
    numpy = load("numpy")
    codes, different = encoded(texts)
    return numpy.array([number_of(each) for each in different], "i8")[codes]


def fractions(texts: Any, number_of: Callable[[bytes], int]) -> Any:
    """Return numbers as `numbers` does, faster if all of them have the same number of digits."""
    numpy = load("numpy")
    _, offsets, digits = texts.buffers()
    count = len(texts)
    lengths = numpy.diff(numpy.frombuffer(offsets, "i4")[: count + 1])
    width = int(lengths[0])
    if not (1 <= width <= 9 and (lengths == width).all()):  # noqa: PLR2004  nanoseconds
        return numbers(texts, number_of)
    places = numpy.frombuffer(digits, "u1")[: count * width].reshape(count, width)
    values = numpy.zeros(count, "i8")
    for place in range(width):
        values = values * 10 + (places[:, place] - ord("0"))
    return values * 10 ** (9 - width)
