"""An alert: one thing that stands out."""

import enum

import attrs


class Severity(enum.IntEnum):
    """How much an alert matters; the gravest first."""

    CRITICAL = 0
    WARNING = 1
    NOTICE = 2


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
    """One thing that stands out; `why` says when it is harmless and when it is not."""

    severity: Severity
    kind: Kind
    title: str
    why: str
    call: str = ""
    path: str = ""
