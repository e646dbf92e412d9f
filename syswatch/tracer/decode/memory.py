"""What decoding needs of the process that is traced."""

from typing import Protocol


class Memory(Protocol):
    """The memory of one process; reading it never raises, whatever the address."""

    def read(self, address: int, length: int) -> bytes:
        """Return the bytes at an address: fewer than asked for where memory ends."""

    def string(self, address: int, limit: int) -> bytes | None:
        """Return what stands before a NUL, at most `limit` bytes; None where nothing is."""

    def link(self, name: str) -> bytes:
        """Return what a link in the process's folder in /proc leads to; nothing if unknown."""

    def counted(self, address: int) -> int | None:
        """Return how many elements there are at an address, where that has been counted before."""

    def netlink(self, descriptor: int) -> int | None:
        """Return the protocol of a netlink socket; None where it is none, or not known."""
