"""
Escapes the text in objects from untrusted origins: recordings, and answers of other servers.

The fields that hold text are found by their types, so that none can be forgotten and no time is
spent on numbers.
"""

import types
from collections.abc import Callable, Mapping
from functools import cache
from typing import Any, TypeVar, Union, get_args, get_origin, get_type_hints

import attrs
import msgspec

from syswatch.base.text import escape_text

T = TypeVar("T")
Escaper = Callable[[Any], Any]

# A tracer sends at most 4096 bytes of arguments; escaping may make four characters of each.
LONGEST_TEXT = 4 * 4096 + 3


def escape_texts(value: T) -> T:
    """Return a copy with all text escaped, and cut where it is longer than a tracer sends."""
    kind: Any = type(value)
    escape = _escaper_of(kind)
    return escape(value) if escape else value


def _text(text: str) -> str:
    # Nearly all of many thousand texts have nothing to escape.
    if text.isascii() and text.isprintable() and len(text) <= LONGEST_TEXT:
        return text
    shown = escape_text(text[: LONGEST_TEXT + 1])
    return shown if len(shown) <= LONGEST_TEXT else f"{shown[: LONGEST_TEXT - 3]}..."


@cache
def _escaper_of(kind: Any) -> Escaper | None:
    """Return a function that escapes all text in values of a type; None if there is none."""
    origin, arguments = get_origin(kind), get_args(kind)
    if kind is str:
        return _text
    if origin in (Union, types.UnionType):
        return _escaper_of_union(arguments)
    if origin in (tuple, list):
        escape = _escaper_of(arguments[0])
        return escape and (lambda values: origin(map(escape, values)))
    if origin in (dict, Mapping):
        return _escaper_of_map(*arguments)
    return _escaper_of_class(kind) if isinstance(kind, type) else None


def _escaper_of_class(kind: type) -> Escaper | None:
    if attrs.has(kind) or issubclass(kind, msgspec.Struct):
        return _escaper_of_object(kind)
    if issubclass(kind, tuple) and hasattr(kind, "_fields"):
        return _escaper_of_named_tuple(kind)
    return None


def _escaper_of_union(kinds: tuple[Any, ...]) -> Escaper | None:
    escapers = {kind: escape for kind in kinds if (escape := _escaper_of(kind))}

    def escaped(value: Any) -> Any:
        for kind, escape in escapers.items():
            if isinstance(value, get_origin(kind) or kind):
                return escape(value)
        return value

    return escaped if escapers else None


def _escaper_of_map(key_kind: Any, value_kind: Any) -> Escaper | None:
    escape_key = _escaper_of(key_kind) or _same
    escape_value = _escaper_of(value_kind) or _same
    if escape_key is escape_value is _same:
        return None

    def escaped(values: Mapping[Any, Any]) -> Mapping[Any, Any]:
        sums: dict[Any, Any] = {}
        for key, value in values.items():
            shown, new = escape_key(key), escape_value(value)
            # Keys that are equal once they are escaped are merged.
            sums[shown] = sums[shown] + new if shown in sums else new
        return sums

    return escaped


def _escaper_of_named_tuple(kind: type) -> Escaper | None:
    hints = get_type_hints(kind).items()
    escapers = {name: escape for name, hint in hints if (escape := _escaper_of(hint))}
    return _escaper_of_fields(escapers, lambda value, changed: value._replace(**changed))


def _escaper_of_object(kind: type) -> Escaper | None:
    hints = get_type_hints(kind).items()
    escapers = {name: escape for name, hint in hints if (escape := _escaper_of(hint))}
    replace: Any = msgspec.structs.replace if issubclass(kind, msgspec.Struct) else attrs.evolve
    return _escaper_of_fields(escapers, lambda value, changed: replace(value, **changed))


def _escaper_of_fields(
    escapers: Mapping[str, Escaper], replaced: Callable[[Any, Mapping[str, Any]], Any]
) -> Escaper | None:
    """Return a function that escapes these fields, and copies only what has something to escape."""
    if not escapers:
        return None

    def escaped(value: Any) -> Any:
        changed = {}
        for name, escape in escapers.items():
            old = getattr(value, name)
            new = escape(old)
            if new is not old:
                changed[name] = new
        return replaced(value, changed) if changed else value

    return escaped


def _same(value: Any) -> Any:
    return value
