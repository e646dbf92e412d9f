"""The objects that a tracer has come across."""

from collections.abc import Callable, Iterable, Mapping
from collections.abc import Set as AbstractSet

import attrs

from syswatch.base.classes import define
from syswatch.model.activity import TRACKED_OBJECTS
from syswatch.model.objects import ObjectInfo, ObjectKind, other_object

from . import describe
from .hosts import HostNames
from .masking import show_all
from .texts import bounded


@define
class KnownObjects:
    """
    Gives objects their IDs, and collects the descriptions that have not been sent yet.

    Beyond the limit, the ID is the one that stands for all others of the kind.  `mask` returns what
    may be shown of an object, and `hosts` has the names of peers.
    """

    limit: int = TRACKED_OBJECTS
    mask: Callable[[ObjectInfo], ObjectInfo] = show_all
    hosts: HostNames = attrs.field(factory=HostNames)
    _infos: dict[int, ObjectInfo] = attrs.field(factory=dict, init=False)
    _unsent: dict[int, ObjectInfo] = attrs.field(factory=dict, init=False)
    _untracked: int = attrs.field(default=0, init=False)
    _has_forgotten: bool = attrs.field(default=False, init=False)

    def add(self, info: ObjectInfo) -> int:
        """Add what is known of an object; return its ID."""
        info = self.mask(info)
        number = info.id
        known = self._infos.get(number)
        if known is None:
            if self.is_full:
                return self.add_other(info.kind)
            if address := describe.peer_ip(info):
                info = self._named(info, self.hosts.name_of(address))
        elif known == info:
            return number
        else:
            info = known + info
            if info == known:
                return number
        self._infos[number] = self._unsent[number] = info
        return number

    @property
    def numbers(self) -> AbstractSet[int]:
        """The IDs of all known objects."""
        return self._infos.keys()

    @property
    def is_full(self) -> bool:
        """Return whether no more objects are kept."""
        return len(self._infos) >= self.limit

    def add_other(self, kind: ObjectKind) -> int:
        """Add an object of which it is known that it is not kept."""
        self._untracked += 1
        return other_object(kind)

    def info(self, number: int) -> ObjectInfo | None:
        """Return what is known of an object."""
        return self._infos.get(number)

    def forget(self, numbers: Iterable[int]) -> None:
        """Forget objects that are not used any more, to make room for others."""
        for number in numbers:
            if self._infos.pop(number, None) is not None:
                self._has_forgotten = True

    def take(self, used: Iterable[int] = ()) -> Mapping[int, ObjectInfo]:
        """
        Return what is new since the last time.

        If there were more objects than are kept, the receiver may have forgotten some as well: then
        those in use are described every time.
        """
        self._name_hosts()
        unsent, self._unsent = self._unsent, {}
        if self._has_forgotten:
            for number in used:
                if number in self._infos:
                    unsent[number] = self._infos[number]
        return unsent

    def take_untracked(self) -> int:
        """Return how many times an object was not kept since the last time."""
        untracked, self._untracked = self._untracked, 0
        return untracked

    def _name_hosts(self) -> None:
        """Add the names of hosts that have been learnt to the objects that have none."""
        names = self.hosts.take()
        if names:
            for number, info in self._infos.items():
                named = self._named(info, names.get(describe.peer_ip(info), ""))
                if named is not info:
                    self._infos[number] = self._unsent[number] = named

    def _named(self, info: ObjectInfo, host: str) -> ObjectInfo:
        if info.host or not host:
            return info
        return self.mask(attrs.evolve(info, host=bounded(host)))
