"""How far the reading of a log is."""

import attrs


@attrs.frozen
class Reading:
    """
    What became of the lines read so far.

    Every line is one of: a whole record, a half of one (unfinished or resumed), a note
    (signal, exit, stack, table, strace's own words), or a line for the ledger.
    """

    bytes: int = 0
    lines: int = 0
    records: int = 0
    halves: int = 0
    notes: int = 0

    def __add__(self, other: "Reading") -> "Reading":
        """Sum two readings."""
        return Reading(
            self.bytes + other.bytes,
            self.lines + other.lines,
            self.records + other.records,
            self.halves + other.halves,
            self.notes + other.notes,
        )
