"""
The format of pprof: the message `Profile` of profile.proto, gzipped.

Only the required fields are written: sample types, samples, locations, functions and the string
table.  A location is a function at a line; its id is also its address.
"""

import gzip
from collections.abc import Iterable, Mapping, Sequence

import attrs

from syswatch.base.classes import define, frozen

_VARINT, _BYTES = 0, 2
_SEVEN_BITS, _MORE = 0x7F, 0x80


@frozen
class Frame:
    """A function and a line number."""

    function: str
    file: str
    line: int


Stack = tuple[Frame, ...]
"""Frames, innermost first."""


@frozen
class ValueType:
    """The type of a sample value, such as `cpu` in `nanoseconds`."""

    name: str
    unit: str


def encode(
    types: Sequence[ValueType],
    samples: Mapping[Stack, Sequence[int]],
    *,
    time_ns: int,
    duration_ns: int = 0,
    period: int = 1,
) -> bytes:
    """Return a profile; each sample has one value per type."""
    tables = _Tables()
    parts = [_message(1, _value_type(each, tables)) for each in types]
    for stack, values in samples.items():
        locations = [tables.location(frame) for frame in stack]
        parts.append(_message(2, _packed(1, locations) + _packed(2, values)))
    parts += [_message(4, location) for location in tables.location_messages()]
    parts += [_message(5, function) for function in tables.function_messages()]
    parts.append(_number(9, time_ns) + _number(10, duration_ns))
    parts.append(_message(11, _value_type(types[-1], tables)) + _number(12, period))
    parts += [_message(6, text.encode()) for text in tables.strings]
    return gzip.compress(b"".join(parts), mtime=0)


@define
class _Tables:
    """Tables that number strings, functions and locations."""

    strings: dict[str, int] = attrs.field(factory=lambda: {"": 0}, init=False)
    _locations: dict[Frame, int] = attrs.field(factory=dict, init=False)
    _functions: dict[tuple[str, str], int] = attrs.field(factory=dict, init=False)

    def string(self, text: str) -> int:
        return self.strings.setdefault(text, len(self.strings))

    def location(self, frame: Frame) -> int:
        self._functions.setdefault((frame.function, frame.file), len(self._functions) + 1)
        return self._locations.setdefault(frame, len(self._locations) + 1)

    def location_messages(self) -> Iterable[bytes]:
        for frame, number in self._locations.items():
            function = self._functions[frame.function, frame.file]
            line = _number(1, function) + _number(2, frame.line)
            yield _number(1, number) + _number(3, number) + _message(4, line)

    def function_messages(self) -> Iterable[bytes]:
        for (name, file), number in self._functions.items():
            text = self.string(name)
            yield (
                _number(1, number)
                + _number(2, text)
                + _number(3, text)
                + _number(4, self.string(file))
            )


def _value_type(each: ValueType, tables: _Tables) -> bytes:
    return _number(1, tables.string(each.name)) + _number(2, tables.string(each.unit))


def _number(tag: int, value: int) -> bytes:
    return _varint(tag << 3 | _VARINT) + _varint(value)


def _message(tag: int, content: bytes) -> bytes:
    return _varint(tag << 3 | _BYTES) + _varint(len(content)) + content


def _packed(tag: int, values: Iterable[int]) -> bytes:
    return _message(tag, b"".join(map(_varint, values)))


def _varint(value: int) -> bytes:
    out = bytearray()
    while value > _SEVEN_BITS:
        out.append((value & _SEVEN_BITS) | _MORE)
        value >>= 7
    out.append(value)
    return bytes(out)
