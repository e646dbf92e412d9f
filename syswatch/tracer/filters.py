"""
The language in which strace is told what to trace: `%file,openat,/^get,!futex`.

What strace understands means the same here.  Two things are added: a single item may be taken
out of the rest with `!`, and `all` and `none` may be items beside others.
"""

import difflib
import re
from collections.abc import Set as AbstractSet
from functools import cache

from syswatch.model.catalog import class_names, in_class, names

# These classes are known without their % sign, too; older than the sign, strace keeps them.
_BARE_CLASSES = frozenset({"desc", "file", "ipc", "memory", "network", "process", "signal"})
# A 64-bit program may call the 32-bit kernel, whose calls have names of their own.
_ALSO_RUNS = {"x86_64": "i386"}
_PREFIX = re.compile(r"(?:trace|t)=")


class FilterError(Exception):
    """A filter that cannot be understood; the message is one sentence for its writer."""


def traced_names(expression: str, architecture: str) -> frozenset[str] | None:
    """Return the names that a filter lets through, or None where it lets everything through."""
    everything = _known_names(architecture)
    text = _PREFIX.sub("", expression.strip(), count=1)
    inverted = False
    while text.startswith("!"):
        inverted = not inverted
        text = text[1:]
    chosen = _union(text, architecture, items_may_be_negated=not inverted)
    if inverted:
        chosen = everything - chosen
    return None if chosen == everything else chosen


def _union(text: str, architecture: str, *, items_may_be_negated: bool) -> frozenset[str]:
    """Return what the items name together; those with a `!` are taken out of the others."""
    chosen: set[str] = set()
    taken_out: set[str] = set()
    items = [item.strip() for item in text.split(",")]
    if not any(items):
        raise FilterError("The filter is empty; use trace=all, or trace=none.")
    for item in filter(None, items):
        bare = item.lstrip("!")
        # Behind a `!` that turns the whole filter round, a further one says the same again.
        negative = items_may_be_negated and (len(item) - len(bare)) % 2 == 1
        (taken_out if negative else chosen).update(_item(bare, architecture))
    return frozenset(chosen - taken_out)


def _item(item: str, architecture: str) -> frozenset[str]:
    """Return the names of one item; what is marked as optional may name nothing."""
    optional = item.startswith("?")
    item = item.removeprefix("?")
    found = _matching(item, architecture)
    if found is None:
        if optional:
            return frozenset()
        raise FilterError(_complaint(item, architecture))
    return found


def _matching(item: str, architecture: str) -> frozenset[str] | None:
    everything = _known_names(architecture)
    if item == "all":
        return everything
    if item == "none":
        return frozenset()
    if item.startswith("/"):
        return _matching_pattern(item[1:], everything)
    if item in _BARE_CLASSES or (item.startswith("%") and item[1:] in class_names()):
        return in_class(item.removeprefix("%")) & everything
    if item.isdecimal():
        name = names(architecture).get(int(item))
        return None if name is None else frozenset({name})
    return frozenset({item}) if item in everything else None


def _matching_pattern(pattern: str, everything: frozenset[str]) -> frozenset[str] | None:
    try:
        search = re.compile(pattern).search
    except re.error as problem:
        raise FilterError(f"/{pattern} is not a regular expression: {problem}.") from None
    return frozenset(filter(search, everything)) or None


def _complaint(item: str, architecture: str) -> str:
    if item.startswith("/"):
        return f"No system call has a name that matches {item}."
    if item.startswith("%"):
        return _unknown("class of system calls", item, {f"%{name}" for name in class_names()})
    return _unknown("system call", item, _known_names(architecture))


def _unknown(what: str, item: str, accepted: AbstractSet[str]) -> str:
    near = difflib.get_close_matches(item, sorted(accepted), n=3, cutoff=0.65)
    hint = f"; did you mean {' or '.join(near)}?" if near else "."
    return f"There is no {what} named {item}{hint}"


@cache
def _known_names(architecture: str) -> frozenset[str]:
    """Return every name that the architecture, or what it also runs, has a number for."""
    known = set(names(architecture).values())
    if architecture in _ALSO_RUNS:
        known.update(names(_ALSO_RUNS[architecture]).values())
    return frozenset(known)
