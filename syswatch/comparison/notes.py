"""What has to be known of the runs of a comparison before its numbers are believed."""

import math
from collections.abc import Iterable, Iterator, Sequence

from syswatch.base.text import escape_text

from .run import Run


def notes_on(before: Sequence[Run], after: Sequence[Run], shift: float) -> Iterator[str]:
    """
    Yield a sentence for each thing that is missing, estimated or different in kind.

    `shift` is the logarithm of how much slower most calls are after.
    """
    for run in (*before, *after):
        for note in run.notes:
            yield f"{escape_text(run.name)}: {note}"
    differently = _on_tracing(_backends(before), _backends(after))
    if differently:
        yield differently
    if shift:
        side = "after" if shift > 0 else "before"
        why = (
            "which the different tracing may explain"
            if differently
            else "so the machine was slower or had more to do"
        )
        yield (
            f"most calls took {math.exp(abs(shift)):.1f} times as long {side}, {why}; calls that"
            " are only that much slower are not reported"
        )


def _backends(runs: Iterable[Run]) -> tuple[str, ...]:
    """Return how the runs were traced, as far as that is known."""
    return tuple(sorted({run.backend for run in runs if run.backend}))


def _on_tracing(before: Sequence[str], after: Sequence[str]) -> str:
    if not before or not after or before == after:
        return ""
    return (
        f"the runs were traced differently (before: {' and '.join(before)}, after:"
        f" {' and '.join(after)}); names of files and other objects, how processes ended and times"
        " may differ because of that alone"
    )
