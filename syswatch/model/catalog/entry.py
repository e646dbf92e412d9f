"""The entries of the catalog, and the notation of its tables."""

import re
from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from typing import Any

from syswatch.base.classes import frozen
from syswatch.model.catalog.category import Category
from syswatch.model.catalog.kinds import ArgumentKind

# A parameter's name is the last identifier of its declaration, before array brackets.
_PARAMETER_NAME = re.compile(r"(\w+)(?:\[\d*\])?$")

CATEGORIES = {category.value: category for category in Category}
_REQUIRED = {"category", "summary", "signature", "returns", "advice"}
_OPTIONAL = {"kinds", "errnos", "harmless", "can_wait", "opens"}


@frozen
class Argument:
    """One argument: its name in the signature, and how it is printed."""

    name: str
    kind: ArgumentKind


@frozen
class ErrnoNote:
    """
    An error that this call is known for, and what it means here.

    A harmless one is part of normal work wherever this call returns it.
    """

    name: str
    meaning: str
    is_harmless: bool = False


@frozen
class Syscall:
    """
    One system call; the texts are empty if it is not documented.

    `can_wait`: its purpose is, or may be, to wait for something, so that long durations are
    normal.  `opens`: it opens a file by a path, and is counted among the opened paths.
    """

    name: str
    category: Category
    summary: str = ""
    signature: str = ""
    arguments: tuple[Argument, ...] = ()
    returns: str = ""
    errnos: tuple[ErrnoNote, ...] = ()
    advice: str = ""
    can_wait: bool = False
    opens: bool = False


def entry_of(name: str, fields: Mapping[str, Any]) -> Syscall:
    """
    Return the entry of a call from its fields in a table; argument names come from the signature.

    The signature is that of the kernel's entry point, which may have more arguments than the
    function of the C library, because a tracer sees the former.
    """
    errnos, harmless = fields.get("errnos", {}), fields.get("harmless", "").split()
    _reject("missing field", _REQUIRED - fields.keys())
    _reject("unknown field", fields.keys() - _REQUIRED - _OPTIONAL)
    _reject("unknown category", {fields["category"]} - CATEGORIES.keys())
    _reject("harmless, but without a meaning", set(harmless) - errnos.keys())
    signature = _text(fields["signature"])
    return Syscall(
        name=name,
        category=CATEGORIES[fields["category"]],
        summary=_text(fields["summary"]),
        signature=signature,
        arguments=arguments_in(signature, fields.get("kinds", "").split()),
        returns=_text(fields["returns"]),
        errnos=tuple(
            ErrnoNote(errno, _text(meaning), errno in harmless) for errno, meaning in errnos.items()
        ),
        advice=_text(fields["advice"]),
        can_wait=fields.get("can_wait", False),
        opens=fields.get("opens", False),
    )


def parameter_names(signature: str) -> tuple[str, ...]:
    """Return the parameter names of a C prototype that has no function pointer in it."""
    inside = signature[signature.index("(") + 1 : signature.rindex(")")]
    if inside == "void":
        return ()
    if inside == "...":  # Manual pages write this for arguments on the stack.
        return ("frame",)
    return tuple(_parameter_name(parameter) for parameter in inside.split(","))


def _reject(problem: str, names: AbstractSet[str]) -> None:
    if names:
        raise ValueError(f"{problem}: {', '.join(sorted(names))}")


def arguments_in(signature: str, kinds: Sequence[str]) -> tuple[Argument, ...]:
    """Return the arguments of a signature, with the kinds that a table gives for them."""
    names = parameter_names(signature)
    if len(names) != len(kinds):
        raise ValueError(f"{len(names)} arguments, but {len(kinds)} kinds")
    return tuple(map(Argument, names, map(ArgumentKind, kinds)))


def _text(value: str) -> str:
    """Return a text in one line: in tables, long ones are wrapped."""
    return " ".join(value.split())


def _parameter_name(parameter: str) -> str:
    match = _PARAMETER_NAME.search(parameter)
    if match is None:
        raise ValueError(f"no name in parameter {parameter!r}")
    return match.group(1)
