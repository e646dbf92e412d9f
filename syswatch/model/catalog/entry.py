"""The entries of the catalog, and the notation of its tables."""

import re
from collections.abc import Mapping

import attrs

from syswatch.model.catalog.category import Category
from syswatch.model.catalog.kinds import ArgumentKind

# A parameter's name is the last identifier of its declaration, before array brackets.
_PARAMETER_NAME = re.compile(r"(\w+)(?:\[\d*\])?$")


@attrs.frozen
class Argument:
    """One argument: its name in the signature, and how it is printed."""

    name: str
    kind: ArgumentKind


@attrs.frozen
class ErrnoNote:
    """
    An error that this call is known for, and what it means here.

    A harmless one is part of normal work wherever this call returns it.
    """

    name: str
    meaning: str
    is_harmless: bool = False


@attrs.frozen
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


def call(  # noqa: PLR0913 - an entry states this many facts
    name: str,
    category: Category,
    summary: str,
    signature: str,
    *,
    kinds: tuple[ArgumentKind, ...] = (),
    returns: str,
    errnos: Mapping[str, str] | None = None,
    harmless: tuple[str, ...] = (),
    can_wait: bool = False,
    opens: bool = False,
    advice: str,
) -> Syscall:
    """
    Return the entry of a documented call; argument names come from the signature.

    The signature is that of the kernel's entry point, which may have more arguments than the
    function of the C library, because a tracer sees the former.
    """
    names = parameter_names(signature)
    if len(names) != len(kinds):
        raise ValueError(f"{name}: {len(names)} arguments, but {len(kinds)} kinds")
    errnos = errnos or {}
    if unknown := set(harmless) - errnos.keys():
        raise ValueError(f"{name}: no meaning is given for {unknown}")
    return Syscall(
        name=name,
        category=category,
        summary=summary,
        signature=signature,
        arguments=tuple(map(Argument, names, kinds)),
        returns=returns,
        errnos=tuple(
            ErrnoNote(errno, meaning, errno in harmless) for errno, meaning in errnos.items()
        ),
        advice=advice,
        can_wait=can_wait,
        opens=opens,
    )


def parameter_names(signature: str) -> tuple[str, ...]:
    """Return the parameter names of a C prototype that has no function pointer in it."""
    inside = signature[signature.index("(") + 1 : signature.rindex(")")]
    if inside == "void":
        return ()
    if inside == "...":  # Manual pages write this for arguments on the stack.
        return ("frame",)
    return tuple(_parameter_name(parameter) for parameter in inside.split(","))


def _parameter_name(parameter: str) -> str:
    match = _PARAMETER_NAME.search(parameter)
    if match is None:
        raise ValueError(f"no name in parameter {parameter!r}")
    return match.group(1)
