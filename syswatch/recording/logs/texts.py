"""Columns of text as arrays of Arrow and numbers of numpy."""

from collections.abc import Callable, Sequence
from typing import Any

from syswatch.base.text import escape_text
from syswatch.codec.log_calls import LogTexts
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
