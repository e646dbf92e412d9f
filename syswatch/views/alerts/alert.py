"""Alerts and the rules that find them."""

import enum
from collections.abc import Callable, Iterable
from typing import Self

from syswatch.base.classes import frozen
from syswatch.model.snapshot import Snapshot


class Severity(enum.IntEnum):
    """
    How much an alert matters; the most severe comes first.

    Each has a sign, since no view may show it by colour alone, and a style: the class in CSS and
    the colour in the terminal.
    """

    sign: str
    style: str
    meaning: str

    def __new__(cls, rank: int, sign: str, style: str, meaning: str) -> Self:
        """Keep the facts beside the rank, which is the value."""
        member = int.__new__(cls, rank)
        member._value_ = rank
        member.sign, member.style, member.meaning = sign, style, meaning
        return member

    CRITICAL = 0, "✕", "failing", "a resource is exhausted or broken"
    WARNING = 1, "▲", "slow", "something fails or is slow that should not be"
    NOTICE = 2, "●", "dim", "worth a look"

    @property
    def label(self) -> str:
        """The name in JSON, CSS and text."""
        return self.name.lower()


@frozen
class Alert:
    """
    Something unusual; `why` explains it, and when it is harmless.

    `call` is the system call that it is about; `calls` are all that it concerns, if several.  A
    `harmless` one is known to be so whatever else happens; that text is how it is named in a list.
    """

    severity: Severity
    kind: str
    title: str
    why: str
    call: str = ""
    path: str = ""
    calls: tuple[str, ...] = ()
    object: int = 0
    harmless: str = ""

    def concerns(self, call: str) -> bool:
        """Return whether the page of a call should show this alert."""
        return call in (self.call, *self.calls)


@frozen
class Rule:
    """One kind of alert: its name in JSON, what triggers it, when it is harmless, the search."""

    kind: str
    severities: tuple[Severity, ...]
    trigger: str
    harmless: str
    find: Callable[[Snapshot], Iterable[Alert]]
