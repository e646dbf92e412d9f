"""An alert: one thing that stands out."""

import enum
from collections.abc import Mapping

import attrs


class Severity(enum.IntEnum):
    """How much an alert matters; the gravest first."""

    CRITICAL = 0
    WARNING = 1
    NOTICE = 2


# A severity is never told by its colour alone: its sign, and what it means, in every view.
SIGNS: Mapping[Severity, tuple[str, str]] = {
    Severity.CRITICAL: ("✕", "something is used up or broken"),
    Severity.WARNING: ("▲", "something fails or is slow that should not"),
    Severity.NOTICE: ("●", "worth a look"),
}


class Kind(enum.IntEnum):
    """What sort of thing stands out, in the order in which it is shown."""

    EXHAUSTED = 0
    FAILING = 1
    STORM = 2
    RATE = 3
    SLOW = 4
    PATH = 5


@attrs.frozen
class Alert:
    """
    One thing that stands out; `why` says when it is harmless and when it is not.

    `call` is what it is about; `calls` are all that it concerns, where those are several.
    """

    severity: Severity
    kind: Kind
    title: str
    why: str
    call: str = ""
    path: str = ""
    calls: tuple[str, ...] = ()

    @property
    def sign(self) -> str:
        """Return the sign of its severity."""
        return SIGNS[self.severity][0]

    def concerns(self, call: str) -> bool:
        """Return whether the page of a call should show it."""
        return call in (self.call, *self.calls)
