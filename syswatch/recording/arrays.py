"""
Arrays of Arrow in the memory of arrays of numpy.

Arrow's own conversion copies values that may be missing, and imports more of numpy.
"""

from typing import Any

from .extra import load

_LARGEST_VALUE = 8


def array_of(values: Any, missing: Any = None, *, kind: Any = None) -> Any:
    """Return values as an array, of their own type or another of the same size."""
    numpy, arrow = load("numpy"), load("pyarrow")
    kind = arrow.from_numpy_dtype(values.dtype) if kind is None else kind
    is_bool = values.dtype == bool
    data = _bits(values) if is_bool else arrow.py_buffer(numpy.ascontiguousarray(values))
    return arrow.Array.from_buffers(kind, len(values), [_validity(missing), data])


def texts_without(texts: Any, missing: Any) -> Any:
    """Return an array of texts, of which some are missing."""
    _, offsets, data = texts.buffers()
    buffers = [_validity(missing), offsets, data]
    return load("pyarrow").Array.from_buffers(texts.type, len(texts), buffers)


def nothing(count: int, kind: Any) -> Any:
    """Return so many missing values of a fixed size; they take memory only when they are read."""
    arrow = load("pyarrow")
    zeros = arrow.py_buffer(load("numpy").zeros(count * _LARGEST_VALUE, "u1"))
    return arrow.Array.from_buffers(kind, count, [zeros, zeros], null_count=count)


def _validity(missing: Any) -> Any:
    return None if missing is None else _bits(~missing)


def _bits(values: Any) -> Any:
    packed = load("numpy").packbits(values, bitorder="little")
    return load("pyarrow").py_buffer(packed)
