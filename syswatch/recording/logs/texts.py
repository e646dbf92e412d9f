"""Columns of text as arrays of Arrow and numbers of numpy."""

from collections.abc import Sequence
from typing import Any

from syswatch.base.text import escape_text
from syswatch.codec.log_calls import LogCodes, LogTexts
from syswatch.recording.extra import load

_PRINTABLE = range(0x20, 0x7F)


def texts_of(parts: Sequence[LogTexts]) -> Any:
    """Return the texts of several parts as an array of bytes."""
    numpy, arrow = load("numpy"), load("pyarrow")
    offsets, begin = [numpy.zeros(1, "u4")], 0
    for each in parts:
        offsets.append(numpy.frombuffer(each.ends, "u4") + numpy.uint32(begin))
        begin += len(each.texts)
    joined = numpy.concatenate(offsets)
    data = b"".join(each.texts for each in parts)
    buffers = [None, arrow.py_buffer(joined), arrow.py_buffer(data)]
    return arrow.Array.from_buffers(arrow.binary(), len(joined) - 1, buffers)


def shown(texts: Any) -> Any:
    """Return texts as strings, with what is not printable escaped."""
    numpy, arrow = load("numpy"), load("pyarrow")
    _, _, data = texts.buffers()
    # The largest and the smallest are found without another array.
    found = numpy.frombuffer(data, "u1")
    if len(found) and not (found.min() in _PRINTABLE and found.max() in _PRINTABLE):
        return arrow.array(list(map(escape_text, texts.to_pylist())), "string")
    return texts.view(arrow.string())


def decoded(parts: Sequence[LogCodes]) -> tuple[Any, Sequence[bytes]]:
    """Return for each text which one of the different texts of all parts it is, and these."""
    numpy = load("numpy")
    places: dict[bytes, int] = {}
    codes = []
    for part in parts:
        of_part = [places.setdefault(each, len(places)) for each in part.different]
        codes.append(numpy.array(of_part, "i4")[numpy.frombuffer(part.codes, "u4")])
    return numpy.concatenate(codes), list(places)


def numbers(kind: str, *parts: bytes) -> Any:
    """Return the numbers of several parts."""
    return load("numpy").frombuffer(b"".join(parts), kind)
