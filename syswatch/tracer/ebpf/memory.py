"""What a sample has brought along of the target's memory."""

from collections.abc import Sequence

import attrs


@attrs.frozen
class SampledMemory:
    """
    Pieces of memory as they were when the call ended.

    Nothing else is read: by now the target may have put something else there, and a wrong text
    is worse than an address.
    """

    pid: int
    _pieces: Sequence[tuple[int, bytes]]

    def read(self, address: int, length: int) -> bytes:
        """Return the bytes at an address: fewer than asked for where what is known ends."""
        for begin, data in self._pieces:
            if begin <= address < begin + len(data):
                return data[address - begin : address - begin + length]
        return b""

    def string(self, address: int, limit: int) -> bytes | None:
        """Return what stands before a NUL, at most `limit` bytes; None where nothing is known."""
        data = self.read(address, limit)
        return data.partition(b"\0")[0] if data else None
