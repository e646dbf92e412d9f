"""What decoding needs of the process that is traced."""

from typing import Protocol


class Memory(Protocol):
    """The memory of one process; reading it never raises, whatever the address."""

    @property
    def pid(self) -> int:
        """The process, for what is under its folder in /proc."""

    def read(self, address: int, length: int) -> bytes:
        """Return the bytes at an address: fewer than asked for where memory ends."""

    def string(self, address: int, limit: int) -> bytes | None:
        """Return what stands before a NUL, at most `limit` bytes; None where nothing is."""
