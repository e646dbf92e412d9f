"""
Escapes the text in objects from untrusted origins: recordings, and answers of other servers.

The fields that hold text are found by their types, so that none can be forgotten and no time is
spent on numbers.
"""

import types
from collections.abc import Callable, Collection, Mapping
from functools import cache
from itertools import chain
from operator import attrgetter
from typing import Any, Protocol, TypeVar, Union, get_args, get_origin, get_type_hints

import attrs
import msgspec

from syswatch.base.classes import frozen
from syswatch.base.text import escape_text

T = TypeVar("T")

# A tracer sends at most 4096 bytes of arguments; escaping may make four characters of each.
LONGEST_TEXT = 4 * 4096 + 3


def escape_texts(value: T) -> T:
    """Return a copy with all text escaped, and cut where it is longer than a tracer sends."""
    kind: Any = type(value)
    escaper = _escaper_of(kind)
    return escaper.escape(value) if escaper else value


class _Escaper(Protocol):
    """Escapes the text in values of one type."""

    def is_clean(self, values: Collection[Any]) -> bool:
        """
        Return whether no text in any of the values has something to escape.

        A recording has many thousand texts, nearly all of them clean.  To look at all that have the
        same place at once takes a tenth of the time of looking at one after the other.
        """

    def escape(self, value: Any) -> Any:
        """Return a value with its text escaped: the same value if there was nothing to escape."""


class _Text:
    def is_clean(self, values: Collection[str]) -> bool:
        joined = "".join(values)
        return (
            joined.isascii()
            and joined.isprintable()
            and max(map(len, values), default=0) <= LONGEST_TEXT
        )

    def escape(self, value: str) -> str:
        if self.is_clean((value,)):
            return value
        shown = escape_text(value[: LONGEST_TEXT + 1])
        return shown if len(shown) <= LONGEST_TEXT else f"{shown[: LONGEST_TEXT - 3]}..."


class _Numbers:
    """Stands for everything else, where one part of a map is text."""

    def is_clean(self, _values: Collection[Any]) -> bool:
        return True

    def escape(self, value: Any) -> Any:
        return value


@frozen
class _Sequence:
    kind: type
    item: _Escaper

    def is_clean(self, values: Collection[Any]) -> bool:
        return self.item.is_clean(list(chain.from_iterable(values)))

    def escape(self, value: Any) -> Any:
        return value if self.is_clean((value,)) else self.kind(map(self.item.escape, value))


@frozen
class _Map:
    key: _Escaper
    value: _Escaper

    def is_clean(self, values: Collection[Mapping[Any, Any]]) -> bool:
        return self.key.is_clean(list(chain.from_iterable(values))) and self.value.is_clean(
            [each for value in values for each in value.values()]
        )

    def escape(self, value: Mapping[Any, Any]) -> Mapping[Any, Any]:
        if self.is_clean((value,)):
            return value
        sums: dict[Any, Any] = {}
        for key, each in value.items():
            shown, new = self.key.escape(key), self.value.escape(each)
            # Keys that are equal once they are escaped are merged.
            sums[shown] = sums[shown] + new if shown in sums else new
        return sums


@frozen
class _Union:
    kinds: Mapping[Any, _Escaper]

    def is_clean(self, values: Collection[Any]) -> bool:
        return all(
            escaper.is_clean([value for value in values if isinstance(value, kind)])
            for kind, escaper in self.kinds.items()
        )

    def escape(self, value: Any) -> Any:
        for kind, escaper in self.kinds.items():
            if isinstance(value, kind):
                return escaper.escape(value)
        return value


@frozen
class _Object:
    """Objects with fields."""

    fields: Mapping[str, _Escaper]
    replace: Callable[..., Any]

    def is_clean(self, values: Collection[Any]) -> bool:
        return all(
            escaper.is_clean(list(map(attrgetter(name), values)))
            for name, escaper in self.fields.items()
        )

    def escape(self, value: Any) -> Any:
        changed = {}
        for name, escaper in self.fields.items():
            old = getattr(value, name)
            new = escaper.escape(old)
            if new is not old:
                changed[name] = new
        return self.replace(value, **changed) if changed else value


_TEXT, _NUMBERS = _Text(), _Numbers()


@cache
def _escaper_of(kind: Any) -> _Escaper | None:
    """Return what escapes all text in values of a type; None if there is none."""
    origin, arguments = get_origin(kind), get_args(kind)
    if kind is str:
        return _TEXT
    if origin in (Union, types.UnionType):
        found = _escapers({get_origin(each) or each: each for each in arguments})
        return _Union(found) if found else None
    if origin in (tuple, list):
        item = _escaper_of(arguments[0])
        return item and _Sequence(origin, item)
    if origin in (dict, Mapping):
        key, value = map(_escaper_of, arguments)
        return _Map(key or _NUMBERS, value or _NUMBERS) if key or value else None
    return _escaper_of_class(kind) if isinstance(kind, type) else None


def _escaper_of_class(kind: Any) -> _Escaper | None:
    replace: Callable[..., Any]
    if issubclass(kind, msgspec.Struct):
        replace = msgspec.structs.replace
    elif attrs.has(kind):
        replace = attrs.evolve
    elif issubclass(kind, tuple) and hasattr(kind, "_fields"):
        replace = kind._replace
    else:
        return None
    fields = _escapers(get_type_hints(kind))
    return _Object(fields, replace) if fields else None


def _escapers(kinds: Mapping[Any, Any]) -> dict[Any, _Escaper]:
    return {name: found for name, kind in kinds.items() if (found := _escaper_of(kind))}
