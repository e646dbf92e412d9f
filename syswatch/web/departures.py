"""The tide of clients: when many have gone, what they have used is given back."""

from collections.abc import Callable

import attrs
from twisted.internet.interfaces import IReactorTime

from syswatch.service.memory import give_back

# They had some 9 MB.  For fewer, holding up the rest for a moment is not worth it.
MANY = 1000
# Who goes seldom goes alone: one that gives back waits for the others.
_WAIT_S = 1.0


@attrs.define
class Tide:
    """Watches how many clients there are."""

    _clock: IReactorTime
    _ebb: Callable[[], None] = give_back
    _clients: int = attrs.field(default=0, init=False)
    _most: int = attrs.field(default=0, init=False)
    _is_waiting: bool = attrs.field(default=False, init=False)

    def see(self, clients: int) -> None:
        """Take note of how many there are now."""
        self._clients = clients
        self._most = max(self._most, clients)
        if self._most - clients >= MANY and not self._is_waiting:
            self._is_waiting = True
            self._clock.callLater(_WAIT_S, self._fall)

    def _fall(self) -> None:
        self._is_waiting = False
        self._most = self._clients
        self._ebb()
