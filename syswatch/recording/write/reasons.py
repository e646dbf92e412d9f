"""Which reasons to save a flight recorder are noted, until it is saved."""

from collections.abc import Iterable
from typing import Final

import attrs

from syswatch.base.classes import define

from .triggers import Found

# A save has what happened in this time after its reason as well.
AFTER_S: Final = 1.0
_MOST_SHOWN: Final = 3


@define
class Pending:
    """A save that has been requested, or that a trigger has caused."""

    name: str
    due_s: float
    reasons: list[str] = attrs.field(factory=list)
    request: int = 0

    @property
    def sentence(self) -> str:
        """The reasons, of which only the first ones are shown."""
        shown, more = self.reasons[:_MOST_SHOWN], len(self.reasons[_MOST_SHOWN:])
        return "; ".join((*shown, f"and {more} more") if more else shown)


@define
class Reasons:
    """
    Notes reasons to save; what is kept is divided into parts, which are counted up.

    As long as the part is kept in which a trigger was a reason, it is no reason again.
    """

    pending: Pending | None = attrs.field(default=None, init=False)
    # In which part each trigger was a reason last.
    _triggered: dict[str, int] = attrs.field(factory=dict, init=False)

    def note(self, found: Iterable[Found], part: int, now_s: float, request: int = 0) -> None:
        """Note reasons in a part."""
        for each in found:
            if each.trigger in self._triggered:
                continue
            if each.trigger:
                self._triggered[each.trigger] = part
            if self.pending is None:
                self.pending = Pending(each.name, now_s + AFTER_S)
            if each.reason not in self.pending.reasons:
                self.pending.reasons.append(each.reason)
            self.pending.request = max(request, self.pending.request)

    def has(self, trigger: str) -> bool:
        """Return whether a trigger was a reason in a part that is kept."""
        return trigger in self._triggered

    def hurry(self, now_s: float) -> None:
        """Make the save without delay: a second later there may be no room."""
        if self.pending is not None:
            self.pending.due_s = now_s

    def is_due(self, now_s: float) -> bool:
        """Return whether it is time to save."""
        return self.pending is not None and now_s >= self.pending.due_s

    def take(self) -> Pending | None:
        """Return the save whose time has come, and forget it."""
        pending, self.pending = self.pending, None
        return pending

    def forget(self, oldest: int) -> None:
        """Forget the triggers in parts before the oldest one that is kept."""
        for trigger, part in list(self._triggered.items()):
            if part < oldest:
                del self._triggered[trigger]
