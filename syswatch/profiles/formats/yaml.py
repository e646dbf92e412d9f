"""
The part of YAML that manifests of profiles are written in: nested blocks with plain values.

Maps and lists in blocks, words, numbers, quoted text, and comments. No anchors, no folded text, no
flow style but an empty list or map.
"""

import json
import re
from collections.abc import Iterator, Sequence
from typing import Any, Final

_PLAIN: Final = re.compile(r"[A-Za-z_./][\w./-]*")
_NUMBER: Final = re.compile(r"-?\d+")
_KEY: Final = re.compile(r"""([\w./-]+|"[^"]*"|'[^']*'):(?:\s+(.*))?$""")
_WORDS: Final = {"true": True, "false": False, "null": None, "~": None, "": None}
_EMPTY: Final[dict[str, Any]] = {"[]": [], "{}": {}}
_DEEPEST: Final = 50


class YamlError(Exception):
    """Text that is not in this part of YAML; the message is a sentence."""


def write(value: Any, indent: str = "") -> Iterator[str]:
    """Yield the lines of nested dictionaries and lists, none of which is empty."""
    if isinstance(value, dict):
        for key, each in value.items():
            if isinstance(each, dict | list):
                yield f"{indent}{key}:"
                yield from write(each, f"{indent}  ")
            else:
                yield f"{indent}{key}: {_scalar(each)}"
        return
    for each in value:
        first, *rest = write(each, f"{indent}  ") if isinstance(each, dict) else [_scalar(each)]
        yield f"{indent}- {first.strip()}"
        yield from rest


def read(text: str) -> Any:
    """Return the value of a document; raise YamlError."""
    lines = [
        (len(line) - len(line.lstrip(" ")), line.strip(), number)
        for number, line in enumerate(text.splitlines(), 1)
        if line.strip() and not line.lstrip().startswith("#") and line.strip() != "---"
    ]
    if not lines:
        raise YamlError("it is empty")
    reader = _Reader(lines)
    value = reader.block(lines[0][0], 0)
    if reader.position < len(lines):
        raise YamlError(f"line {lines[reader.position][2]} is indented wrongly")
    return value


def _scalar(value: object) -> str:
    if isinstance(value, str) and _PLAIN.fullmatch(value) and value.lower() not in _RESERVED:
        return value
    return json.dumps(value)


_RESERVED: Final = frozenset({"true", "false", "null", "yes", "no", "on", "off", "y", "n"})


class _Reader:
    def __init__(self, lines: Sequence[tuple[int, str, int]]) -> None:
        self._lines = list(lines)
        self.position = 0

    def block(self, indent: int, depth: int) -> Any:
        """Return the value of the lines from here that are indented so far."""
        if depth > _DEEPEST:
            raise YamlError("it is nested too deeply")
        if self._lines[self.position][1].startswith(("- ", "-\n")) or self._is_dash():
            return list(self._items(indent, depth))
        return dict(self._entries(indent, depth))

    def _is_dash(self) -> bool:
        return self._lines[self.position][1] == "-"

    def _items(self, indent: int, depth: int) -> Iterator[Any]:
        while self._is_at(indent) and (self._text.startswith("- ") or self._is_dash()):
            text = self._text
            rest = text[1:].lstrip()
            if rest and not _KEY.match(rest):
                self.position += 1
                yield _value(rest)
            elif rest:
                # The entries of a map begin behind the dash.
                inner = indent + len(text) - len(rest)
                self._lines[self.position] = (inner, rest, self._number)
                yield self.block(inner, depth + 1)
            else:
                self.position += 1
                yield self._nested(indent, depth)

    def _entries(self, indent: int, depth: int) -> Iterator[tuple[str, Any]]:
        while self._is_at(indent):
            match = _KEY.match(self._text)
            if not match:
                raise YamlError(f"line {self._number} is neither 'key: value' nor '- value'")
            key, rest = match.groups()
            self.position += 1
            rest = (rest or "").strip()
            if rest and not rest.startswith("#"):
                yield key.strip("\"'"), _value(rest)
            else:
                yield key.strip("\"'"), self._nested(indent, depth)

    def _nested(self, indent: int, depth: int) -> Any:
        """Return the value below a key; lists may be indented as far as their key."""
        if self.position == len(self._lines):
            return None
        inner = self._lines[self.position][0]
        if inner > indent or (inner == indent and self._text.startswith("- ")):
            return self.block(inner, depth + 1)
        return None

    def _is_at(self, indent: int) -> bool:
        return self.position < len(self._lines) and self._lines[self.position][0] == indent

    @property
    def _text(self) -> str:
        return self._lines[self.position][1]

    @property
    def _number(self) -> int:
        return self._lines[self.position][2]


def _value(text: str) -> Any:
    if text in _EMPTY:
        return type(_EMPTY[text])()
    if text.startswith('"'):
        return _quoted(text)
    if text.startswith("'"):
        match = _SINGLE_QUOTED.fullmatch(text)
        if match is None:
            raise YamlError(f"{text[:20]} is not a quoted text")
        return match[1].replace("''", "'")
    if text[0] in "[{&*!|>%@`":
        raise YamlError(f"{text[:20]} is not supported")
    text = text.partition(" #")[0].strip()
    if _NUMBER.fullmatch(text) and len(text) < _LONGEST_NUMBER:
        return int(text)
    return _WORDS.get(text.lower(), text)


_LONGEST_NUMBER: Final = 25
_SINGLE_QUOTED: Final = re.compile(r"'((?:[^']|'')*)'(?: *| +#.*)")


def _quoted(text: str) -> Any:
    try:
        value, _ = json.JSONDecoder().raw_decode(text)
    except ValueError as error:
        raise YamlError(f"{text[:20]} is not a quoted text") from error
    return value
