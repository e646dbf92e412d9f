"""
Filter expressions, in the syntax of strace's -e trace=: `%file,openat,/^get,!futex`.

All of strace's expressions mean the same here.  In addition, `!` may exclude a single item, and
`all` and `none` may be among the items.
"""

import re
from collections.abc import Set as AbstractSet
from functools import cache

from syswatch.model.catalog import class_names, in_class, names

# For compatibility, strace accepts these classes without the % sign.
_BARE_CLASSES = frozenset({"desc", "file", "ipc", "memory", "network", "process", "signal"})
# 64-bit programs may also make 32-bit calls, some of which have names of their own.
_ALSO_RUNS = {"x86_64": "i386"}
_QUALIFIED = re.compile(r"([A-Za-z][\w-]*)=(.*)", re.DOTALL)
_WATCHES_ONLY = "syswatch observes system calls and does not change them"
_NO_CHOICE = "the format of arguments cannot be set for single calls"
_NO_DUMPS = "data is not dumped (use --string-limit to show more of it)"
# Other qualifiers of strace's -e, each with the alternative or why there is none.
_QUALIFIERS = {
    "abbrev": _NO_CHOICE,
    "decode-fd": "use --decode-fds",
    "decode-fds": "use --decode-fds",
    "decode-pid": "PIDs are shown as numbers",
    "decode-pids": "PIDs are shown as numbers",
    "fault": _WATCHES_ONLY,
    "inject": _WATCHES_ONLY,
    "kvm": "exits of virtual CPUs are not traced",
    "namespace": "namespaces are not shown",
    "quiet": "there are no messages to suppress",
    "raw": f"{_NO_CHOICE}; --no-args shows those of all calls as numbers",
    "read": _NO_DUMPS,
    "reads": _NO_DUMPS,
    "secontext": "security contexts are not shown",
    "signal": "signals are not traced",
    "signals": "signals are not traced",
    "silence": "there are no messages to suppress",
    "silent": "there are no messages to suppress",
    "status": "use --status failed or --status successful",
    "trace-fds": "use -P PATH for calls that name a path",
    "verbose": _NO_CHOICE,
    "write": _NO_DUMPS,
    "writes": _NO_DUMPS,
}
_SHORT = {"a": "abbrev", "q": "quiet", "r": "read", "s": "signal", "v": "verbose"}
_SHORT |= {"w": "write", "x": "raw", "z": "status"}


class FilterError(Exception):
    """An invalid filter; the message is for the user."""


def traced_names(expression: str, architecture: str) -> frozenset[str] | None:
    """Return the names that a filter selects, or None if it selects all."""
    everything = _known_names(architecture)
    text = _value(expression.strip())
    inverted = False
    while text.startswith("!"):
        inverted = not inverted
        text = text[1:]
    chosen = _union(text, architecture, items_may_be_negated=not inverted)
    if inverted:
        chosen = everything - chosen
    return None if chosen == everything else chosen


def _value(expression: str) -> str:
    """Return the part after `trace=`; other qualifiers are errors."""
    match = _QUALIFIED.fullmatch(expression)
    if match is None:
        return expression
    qualifier, value = match.groups()
    if qualifier in {"trace", "t"}:
        return value
    name = _SHORT.get(qualifier, qualifier)
    if name in _QUALIFIERS:
        raise FilterError(f"{qualifier}= is not supported: {_QUALIFIERS[name]}")
    raise FilterError(f"unknown qualifier '{qualifier}=' (expected system calls, as in trace=file)")


def _union(text: str, architecture: str, *, items_may_be_negated: bool) -> frozenset[str]:
    """Return the union of the items, without those that have a `!`."""
    chosen: set[str] = set()
    excluded: set[str] = set()
    items = [item.strip() for item in text.split(",")]
    if not any(items):
        raise FilterError("the filter is empty (use trace=all or trace=none)")
    for item in filter(None, items):
        bare = item.lstrip("!")
        # After a `!` that inverts the whole filter, another one has no effect.
        negative = items_may_be_negated and (len(item) - len(bare)) % 2 == 1
        (excluded if negative else chosen).update(_item(bare, architecture))
    return frozenset(chosen - excluded)


def _item(item: str, architecture: str) -> frozenset[str]:
    """Return the names of one item; an optional one may match nothing."""
    optional = item.startswith("?")
    item = item.removeprefix("?")
    found = _matching(item, architecture)
    if found is None:
        if optional:
            return frozenset()
        raise FilterError(_error(item, architecture))
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
        raise FilterError(f"invalid regular expression '{pattern}': {problem}") from None
    return frozenset(filter(search, everything)) or None


def _error(item: str, architecture: str) -> str:
    if item.startswith("/"):
        return f"no system call matches '{item}'"
    if item.startswith("%"):
        return _unknown("class of system calls", item, {f"%{name}" for name in class_names()})
    return _unknown("system call", item, _known_names(architecture))


def _unknown(what: str, item: str, accepted: AbstractSet[str]) -> str:
    import difflib

    near = difflib.get_close_matches(item, sorted(accepted), n=3, cutoff=0.65)
    hint = f"; did you mean {' or '.join(near)}?" if near else ""
    return f"unknown {what} '{item}'{hint}"


@cache
def _known_names(architecture: str) -> frozenset[str]:
    """Return every call of the architecture, and of the 32-bit one that it also runs."""
    known = set(names(architecture).values())
    if architecture in _ALSO_RUNS:
        known.update(names(_ALSO_RUNS[architecture]).values())
    return frozenset(known)
