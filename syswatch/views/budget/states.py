"""The states of a thread as views show them, each with its texts and colours."""

import enum
from collections.abc import Mapping
from typing import Final, NamedTuple, Self


class StateTexts(NamedTuple):
    """What views call a state: alone, in sentences, and as an explanation."""

    title: str
    phrase: str
    description: str

    @property
    def label(self) -> str:
        """The title within a line."""
        return self.title[:1].lower() + self.title[1:]


class TimeState(enum.Enum):
    """
    What a thread spends time on.

    Each state has a title, a phrase for sentences, the letter that draws it without colour, a
    description, and its colours.  Waits are split into those within a piece of work (blocked) and
    those for work (idle).
    """

    title: str
    phrase: str
    letter: str
    description: str
    light: str
    dark: str

    def __new__(  # noqa: PLR0913  one line for each state
        cls, key: str, title: str, phrase: str, letter: str, description: str, light: str, dark: str
    ) -> Self:
        """Keep the texts beside the key, which is the value."""
        member = object.__new__(cls)
        member._value_ = key
        member.title, member.phrase, member.letter = title, phrase, letter
        member.description, member.light, member.dark = description, light, dark
        return member

    BLOCKED = (
        *("blocked", "Blocked", "waiting", "B"),
        "Waiting within a piece of work: for an answer, a disk, a lock or a child process",
        *("#c2410c", "#fb8b4b"),
    )
    USER = (
        *("user", "Own code", "in its own code", "U"),
        "On a CPU, outside of system calls",
        *("#0072b2", "#56b4e9"),
    )
    WORKING = (
        *("working", "In calls", "working in calls", "W"),
        "On a CPU, in system calls",
        *("#007a5a", "#2fbf95"),
    )
    READY = (
        *("ready", "No CPU", "waiting for a free CPU", "R"),
        "Able to run, but no CPU was free",
        *("#b58900", "#f0d442"),
    )
    STOPPED = (
        *("stopped", "Stopped", "stopped", "S"),
        "Off the CPU outside of calls: page faults that read a file, job control, the tracer",
        *("#9c5c8a", "#d79ac3"),
    )
    IDLE = (
        *("idle", "Idle", "idle", "I"),
        "Waiting for work: for connections, requests, input or the next tick of a timer",
        *("#c9c5ba", "#3a4450"),
    )

    @property
    def label(self) -> str:
        """The title within a line."""
        return self.texts().label

    def texts(self, *, calls_left_out: bool = False) -> StateTexts:
        """Return its texts; those of a trace with a filter, if that leaves calls out."""
        if calls_left_out and self in _WITH_OTHER_CALLS:
            return _WITH_OTHER_CALLS[self]
        return StateTexts(self.title, self.phrase, self.description)

    @property
    def is_wait(self) -> bool:
        """Return whether the time is spent waiting, for work or within it."""
        return self in _WAITS


# Calls that a filter leaves out are not told from what a thread does otherwise.
_WITH_OTHER_CALLS: Final[Mapping[TimeState, StateTexts]] = {
    TimeState.USER: StateTexts(
        "Outside",
        "outside of the selected calls",
        "On a CPU, outside of the selected calls: in own code or other calls",
    ),
    TimeState.STOPPED: StateTexts(
        "Outside, off CPU",
        "off the CPU outside of the selected calls",
        "Off the CPU outside of the selected calls: waits in other calls, page faults that read a"
        " file, job control, the tracer",
    ),
}
_WAITS = frozenset({TimeState.BLOCKED, TimeState.IDLE})
