"""What a seccomp filter does with a call."""

import enum
from typing import Final

from syswatch.base.classes import frozen
from syswatch.model.errnos import errno_name, errno_number

_EPERM: Final = 1
_ENOSYS: Final = 38


class ActionKind(enum.StrEnum):
    """What happens to a call, by the names of libseccomp; from the strictest to the mildest."""

    KILL_PROCESS = "KILL_PROCESS"
    KILL_THREAD = "KILL_THREAD"
    TRAP = "TRAP"
    ERRNO = "ERRNO"
    NOTIFY = "NOTIFY"
    TRACE = "TRACE"
    LOG = "LOG"
    ALLOW = "ALLOW"


_CONSEQUENCES: Final = {
    ActionKind.KILL_PROCESS: "the process would be killed",
    ActionKind.KILL_THREAD: "the thread would be killed",
    ActionKind.TRAP: "the thread would get SIGSYS",
    ActionKind.NOTIFY: "a supervisor would decide",
    ActionKind.TRACE: "a tracer would decide",
    ActionKind.LOG: "it would be logged",
    ActionKind.ALLOW: "it would be made",
}
_FAILS: Final = "it would fail with "
_MILDNESS: Final = {kind: number for number, kind in enumerate(ActionKind)}
_PERMITTING: Final = frozenset({ActionKind.ALLOW, ActionKind.LOG})
_WITH_NUMBER: Final = frozenset({ActionKind.ERRNO, ActionKind.TRACE})


@frozen
class Action:
    """An action with its number: the errno that a refused call gets."""

    kind: ActionKind
    number: int = 0

    def __attrs_post_init__(self) -> None:
        """Refuse a number that the filter would not use."""
        if self.number and not self.takes_number:
            raise ValueError(f"{self.kind} does not take a number")

    @property
    def permits(self) -> bool:
        """Whether the call is made."""
        return self.kind in _PERMITTING

    @property
    def takes_number(self) -> bool:
        """Whether the number means something."""
        return self.kind in _WITH_NUMBER

    @property
    def text(self) -> str:
        """The action in the notation of logs and our own format."""
        return f"{self.kind}({self.number})" if self.takes_number else str(self.kind)

    @property
    def consequence(self) -> str:
        """What becomes of the call, in words."""
        if self.kind is ActionKind.ERRNO:
            return _FAILS + errno_name(-self.number)
        return _CONSEQUENCES[self.kind]

    @classmethod
    def of_consequence(cls, words: str) -> "Action | None":
        """Return the action with this consequence; None if these words say something else."""
        if words.startswith(_FAILS):
            number = errno_number(words.removeprefix(_FAILS))
            return None if number is None else cls(ActionKind.ERRNO, number)
        kinds = (kind for kind, consequence in _CONSEQUENCES.items() if consequence == words)
        return next(map(cls, kinds), None)

    @property
    def mildness(self) -> tuple[int, int]:
        """A key that sorts actions from the strictest to the mildest."""
        return _MILDNESS[self.kind], self.number


ALLOW: Final = Action(ActionKind.ALLOW)
LOG: Final = Action(ActionKind.LOG)
KILL_PROCESS: Final = Action(ActionKind.KILL_PROCESS)
REFUSE: Final = Action(ActionKind.ERRNO, _EPERM)
# What a kernel without the call returns, so that C libraries use the older call.
PRETEND_ABSENT: Final = Action(ActionKind.ERRNO, _ENOSYS)
