"""Which processes were met before, however many they are."""

import attrs

# The kernel gives no process a higher number.
_HIGHEST_PID = 1 << 22


@attrs.define
class SeenProcesses:
    """One bit for each pid: half a megabyte at most."""

    _bits: bytearray = attrs.field(factory=bytearray, init=False)

    def meet(self, pid: int) -> bool:
        """Take note of a process; say whether it is met for the first time."""
        if not 0 <= pid <= _HIGHEST_PID:
            return False
        byte, bit = pid >> 3, 1 << (pid & 7)
        if byte >= len(self._bits):
            self._bits.extend(bytes(byte + 1 - len(self._bits)))
        is_new = not self._bits[byte] & bit
        self._bits[byte] |= bit
        return is_new
