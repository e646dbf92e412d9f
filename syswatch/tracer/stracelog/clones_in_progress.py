"""
The clones of a log that have not returned, and their children.

The first lines of a child may be before the line on which its parent's clone returns.  If just one
clone can have made it, the child inherits at once.  Otherwise what it does with its descriptors is
kept until a clone returns its PID: it then inherits, and the same is done again.
"""

from collections.abc import Callable, Mapping

import attrs

from syswatch.base.classes import define

from .logged_arguments import LoggedArguments

CLONES = frozenset({"clone", "clone3", "fork", "vfork"})
# Only a damaged log has more children that no clone returns.
_MOST_CHILDREN = 1000
_MOST_EFFECTS = 10_000
# Changes the descriptors of a process.
Effect = Callable[[], None]


@define
class EarlyChild:
    """A child that was seen before its clone has returned."""

    has_inherited: bool = False
    has_ended: bool = False
    effects: list[Effect] = attrs.field(factory=list)


@define
class ClonesInProgress:
    """Keeps the first halves of clones, and the children that were seen in the meantime."""

    calls: dict[int, LoggedArguments] = attrs.field(factory=dict, init=False)
    # The callers whose child is not known.
    _waiting: set[int] = attrs.field(factory=set, init=False)
    children: dict[int, EarlyChild] = attrs.field(factory=dict, init=False)

    def begin(self, call: LoggedArguments) -> None:
        """Note the first half of a clone."""
        self.calls[call.pid] = call
        self._waiting.add(call.pid)

    def meet(self, pid: int) -> LoggedArguments | None:
        """Note a new process; return the clone that has made it, None if several may have."""
        if not self._waiting or pid in self.calls:
            return None
        if len(self._waiting) > 1 or not all(each.has_inherited for each in self.children.values()):
            self._add(pid, EarlyChild())
            return None
        self._add(pid, EarlyChild(has_inherited=True))
        return self.calls[self._waiting.pop()]

    def note(self, pid: int, effect: Effect) -> None:
        """Note what a process has done with its descriptors, as far as it is needed."""
        child = self.children.get(pid)
        if child is not None and not child.has_inherited:
            child.effects.append(effect)
            if len(child.effects) > _MOST_EFFECTS:
                # Its descriptors are what it has opened itself.
                child.has_inherited = True
                child.effects.clear()

    def end(self, pid: int) -> None:
        """Note the end of a process, which may be in a clone, or whose clone may not have ended."""
        self._forget_call(pid)
        child = self.children.get(pid)
        if child is not None:
            child.has_ended = True
            child.effects.clear()

    def complete(self, pid: int, child_pid: int) -> EarlyChild | None:
        """Note that a clone has returned; return the child if it was seen before."""
        child = self.children.pop(child_pid, None)
        self._forget_call(pid)
        return child

    def add_part(self, calls: Mapping[int, LoggedArguments], children: frozenset[int]) -> None:
        """Add what is in progress at the end of the next part of a log."""
        for call in calls.values():
            self.begin(call)
        self.children.clear()
        for pid in children if self.calls else ():
            # What descriptors refer to is not known then.
            self._add(pid, EarlyChild(has_inherited=True))

    def _forget_call(self, pid: int) -> None:
        self.calls.pop(pid, None)
        self._waiting.discard(pid)
        if not self.calls:
            self.children.clear()

    def _add(self, pid: int, child: EarlyChild) -> None:
        self.children.pop(pid, None)
        self.children[pid] = child
        if len(self.children) > _MOST_CHILDREN:
            del self.children[next(iter(self.children))]
