"""Which calls a trace did not follow, so that a profile lacks them."""

from typing import Final

from syswatch.model.catalog import executes
from syswatch.model.evidence import Evidence

WITHOUT_START: Final = (
    "The start of the program was not traced: calls that it makes only then are missing."
    " To see them, start it with 'syswatch run --profile'."
)


def left_out(only: str) -> str:
    """Return what the options of a trace exclude, as a sentence."""
    return f"The trace leaves out calls ({only}), so they are missing here."


def begins_with_start(evidence: Evidence) -> bool:
    """Return whether the first call executes a program, as one that is traced from its start."""
    dated = [(tally.first_ns, key.call) for key, tally in evidence.items() if tally.first_ns]
    if not dated:
        return any(executes(key.call) for key in evidence)
    first_ns, _ = min(dated)
    return any(at_ns == first_ns and executes(call) for at_ns, call in dated)
