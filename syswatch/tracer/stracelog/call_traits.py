"""What is added up of a call depends on its name: whether it may wait, and what its result is."""

from syswatch.tracer.objects.targets import Moved, target_of

from .estimated_waits import may_wait

# Bits, as in C.
MAY_WAIT, MOVES_IN, MOVES_OUT = 1, 2, 4
# A damaged log may have any number of names.
_MOST_NAMES = 4096


class Traits(dict[str, int]):
    """The traits of calls by name, as far as they were asked for."""

    def __missing__(self, name: str) -> int:
        """Find the traits of a name."""
        if len(self) >= _MOST_NAMES:
            self.clear()
        traits = self[name] = _traits_of(name)
        return traits


def _traits_of(name: str) -> int:
    moved = target_of(name).moved
    if Moved.MESSAGES in moved:
        moves = 0
    elif Moved.IN in moved:
        moves = MOVES_IN
    else:
        moves = MOVES_OUT if Moved.OUT in moved else 0
    return moves | (MAY_WAIT if may_wait(name) else 0)
