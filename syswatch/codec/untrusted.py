"""
Messages and answers that somebody else has made: recordings, and what other servers say.

Which of their fields hold texts is read off their types, so that no field can be forgotten, and
no time is spent on numbers.
"""

import types
from collections.abc import Callable, Mapping
from functools import cache
from typing import Any, TypeVar, Union, get_args, get_origin, get_type_hints

import attrs
import msgspec

from syswatch.base.text import inert

T = TypeVar("T")
Change = Callable[[Any], Any]

# Ours are shorter: arguments of 4096 bytes, of which each may be escaped with four characters.
LONGEST_TEXT = 4 * 4096 + 3


def escape_texts(value: T) -> T:
    """Return an object with every text in it escaped, and cut where it is too long to be ours."""
    kind: Any = type(value)
    change = _change_of(kind)
    return change(value) if change else value


def _text(text: str) -> str:
    shown = inert(text[: LONGEST_TEXT + 1])
    return shown if len(shown) <= LONGEST_TEXT else f"{shown[: LONGEST_TEXT - 3]}..."


@cache
def _change_of(kind: Any) -> Change | None:
    """Return what makes the texts of a type inert; None for a type that has none."""
    origin, arguments = get_origin(kind), get_args(kind)
    if kind is str:
        return _text
    if origin in (Union, types.UnionType):
        return _change_of_union(arguments)
    if origin in (tuple, list):
        change = _change_of(arguments[0])
        return change and (lambda values: origin(map(change, values)))
    if origin in (dict, Mapping):
        return _change_of_map(*arguments)
    if isinstance(kind, type) and (attrs.has(kind) or issubclass(kind, msgspec.Struct)):
        return _change_of_object(kind)
    return None


def _change_of_union(kinds: tuple[Any, ...]) -> Change | None:
    changes = {kind: change for kind in kinds if (change := _change_of(kind))}

    def changed(value: Any) -> Any:
        for kind, change in changes.items():
            if isinstance(value, get_origin(kind) or kind):
                return change(value)
        return value

    return changed if changes else None


def _change_of_map(key_kind: Any, value_kind: Any) -> Change | None:
    change_key = _change_of(key_kind) or _unchanged
    change_value = _change_of(value_kind) or _unchanged
    if change_key is change_value is _unchanged:
        return None

    def changed(values: Mapping[Any, Any]) -> Mapping[Any, Any]:
        sums: dict[Any, Any] = {}
        for key, value in values.items():
            shown, new = change_key(key), change_value(value)
            # Two that look the same now are one, with the numbers of both.
            sums[shown] = sums[shown] + new if shown in sums else new
        return sums

    return changed


def _change_of_object(kind: type) -> Change | None:
    hints = get_type_hints(kind).items()
    changes = {name: change for name, hint in hints if (change := _change_of(hint))}
    replace: Any = msgspec.structs.replace if issubclass(kind, msgspec.Struct) else attrs.evolve
    if not changes:
        return None
    return lambda value: replace(
        value, **{name: change(getattr(value, name)) for name, change in changes.items()}
    )


def _unchanged(value: Any) -> Any:
    return value
