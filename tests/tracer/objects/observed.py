"""Calls as a tracer observes them, made by hand."""

from collections.abc import Mapping, Sequence

import attrs

from syswatch.tracer.objects.addresses import Address

TID = 7


@attrs.frozen
class Call:
    """A call whose arguments are given as a source would read them."""

    name: str
    result: int = 0
    numbers: Sequence[int] = ()
    texts: Mapping[int, bytes] = attrs.field(factory=dict)
    fds: Sequence[int] = ()
    at: Address | None = None
    flags: int = 0
    data: int = 0
    tid: int = TID
    pid: int = TID
    comm: str = "cat"
    directory: bytes = b"/home"

    def number(self, index: int) -> int:
        """Return an argument."""
        return self.numbers[index] if index < len(self.numbers) else 0

    def text(self, index: int) -> bytes:
        """Return a string."""
        return self.texts.get(index, b"")

    def base(self, _index: int) -> bytes:
        """Return the directory."""
        return self.directory

    def flags_field(self, _index: int) -> int:
        """Return the flags of the structure."""
        return self.flags

    def address(self, _index: int) -> Address | None:
        """Return the socket address."""
        return self.at

    def destinations(self) -> Sequence[Address]:
        """Return the address of the only message."""
        return () if self.at is None else (self.at,)

    def descriptors(self, _index: int) -> Sequence[int]:
        """Return the new descriptors."""
        return self.fds

    def received(self, _index: int) -> Sequence[int]:
        """Return the descriptors of the message."""
        return self.fds

    def event(self, _index: int) -> int:
        """Return the data of the event."""
        return self.data
