"""Patterns with which people declare waits idle or blocked: `--idle` and `--blocked`."""

import difflib
import re

from syswatch.model.catalog import names
from syswatch.model.catalog.entries import lookup
from syswatch.model.objects import ObjectKind
from syswatch.model.preferences import WaitPattern

_KINDS = {each.value: each for each in ObjectKind if each is not ObjectKind.NONE}
# A word is a call or a kind; anything else is a pattern of an object.
_WORD = re.compile(r"\w+")


class PatternError(Exception):
    """An invalid pattern; the message is for the user."""


def wait_patterns(option: str, text: str, *, is_idle: bool) -> tuple[WaitPattern, ...]:
    """
    Return the patterns of a list with commas.

    Each one is a call, a kind of object, a pattern of an object as a shell has it, or `CALL@OBJECT`
    with any of the latter two.
    """
    items = [item.strip() for item in text.split(",")]
    if not any(items):
        raise PatternError("the pattern is empty (expected a call, a kind or an object)")
    return tuple(_pattern(f"{option} {item}", item, is_idle) for item in items if item)


def _pattern(given: str, item: str, is_idle: bool) -> WaitPattern:  # noqa: FBT001
    call, at, rest = item.partition("@")
    # The name of an abstract Unix socket begins with an @.
    if not at or not call:
        if item not in _KINDS and lookup(item) is not None:
            return WaitPattern(is_idle, given, call=item)
        kind, name = _object(item)
        return WaitPattern(is_idle, given, kind=kind, name=name)
    if lookup(call) is None:
        raise PatternError(_unknown("system call", call, _calls()))
    if not rest:
        raise PatternError(f"the object is missing in '{item}' (expected CALL@OBJECT)")
    kind, name = _object(rest)
    return WaitPattern(is_idle, given, call=call, kind=kind, name=name)


def _object(text: str) -> tuple[ObjectKind | None, str]:
    """Return the kind, or the pattern of an object, that a text stands for."""
    if text in _KINDS:
        return _KINDS[text], ""
    if _WORD.fullmatch(text):
        kinds = f" (the kinds are {', '.join(_KINDS)})"
        raise PatternError(_unknown("call or kind of object", text, {*_calls(), *_KINDS}) + kinds)
    return None, text


def _calls() -> set[str]:
    return set(names("x86_64").values())


def _unknown(what: str, word: str, accepted: set[str]) -> str:
    near = difflib.get_close_matches(word, sorted(accepted), n=1)
    hint = f"; did you mean '{near[0]}'?" if near else ""
    return f"unknown {what} '{word}'{hint}"
