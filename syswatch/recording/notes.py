"""What is said about a recording before its numbers: what is missing, and how the trace ended."""

from collections.abc import Iterator

from syswatch.base.text import escape_text
from syswatch.model.process import describe_ending
from syswatch.model.times import SECOND_NS
from syswatch.views.budget.lines import cut_end

from .manifest import Manifest
from .query.values import time_text

_LONGEST_COMMAND = 80
# If a recording is longer, its bounds are told in whole seconds.
_LONG_NS = 60 * SECOND_NS


def losses(about: Manifest) -> Iterator[str]:
    """Yield a sentence on the calls that are missing."""
    if about.lost:
        calls = "1 call is" if about.lost == 1 else f"{about.lost:,} calls are"
        yield f"{calls} missing from the recording, which could not be written fast enough"


def stopped_early(about: Manifest) -> str:
    """Return a sentence on why recording stopped before the trace did; nothing if it did not."""
    return f"recording stopped early: {escape_text(about.trouble)}" if about.trouble else ""


def kept(about: Manifest) -> Iterator[str]:
    """Yield a sentence on which part of a trace this is, if older calls were removed."""
    if about.saved_reason and about.ended_ns is not None:
        saved = _moment(about.ended_ns)
        yield f"saved by the flight recorder at {saved}: {escape_text(about.saved_reason)}"
    if about.traced_since_ns is not None:
        began, begins = (_moment(each) for each in (about.traced_since_ns, about.begun_ns))
        yield f"the calls before {begins} were removed by --keep; the trace began {began}"


def outside(about: Manifest, since_ns: int, until_ns: int) -> Iterator[str]:
    """Yield a sentence if a range is before the recording or after it."""
    if about.ended_ns is not None and (since_ns > about.ended_ns or until_ns <= about.begun_ns):
        digits = 0 if about.ended_ns - about.begun_ns > _LONG_NS else 3
        begins, ends = (_moment(each, digits) for each in (about.begun_ns, about.ended_ns))
        yield f"that range has no calls; the recording is from {begins} to {ends}"


def _moment(time_ns: int, digits: int = 0) -> str:
    """Return a time in UTC, in which queries and exports take it."""
    return time_text(time_ns, digits)


def is_part(about: Manifest) -> bool:
    """Return whether calls before or after this part of a trace were not kept."""
    has_ending = about.exit_code is not None or bool(about.exit_signal)
    return about.traced_since_ns is not None or (bool(about.saved_reason) and not has_ending)


def being_made(about: Manifest, *, is_locked: bool) -> str:
    """Return a sentence if a recorder still writes the recording, which it locks; else nothing."""
    is_running = is_locked and about.ended_ns is None and not about.trouble
    return "the recording is still being made; this is what it holds so far" if is_running else ""


def troubles(about: Manifest, *, is_locked: bool = False) -> Iterator[str]:
    """Yield a sentence for each thing that is missing."""
    yield from losses(about)
    if unended := without_end(about, is_locked=is_locked):
        yield unended


def without_end(about: Manifest, *, is_locked: bool) -> str:
    """Return a sentence on why the end of the trace is missing; nothing if it is there."""
    if running := being_made(about, is_locked=is_locked):
        return running
    if about.trouble:
        return f"the recording is cut short: {escape_text(about.trouble)}"
    if about.ended_ns is None:
        return "the recording is cut short: the end of the trace is missing"
    return ""


def ending(about: Manifest) -> str:
    """Return a sentence on how the traced program ended; empty if that is not known."""
    if about.exit_signal:
        how = f"was {describe_ending(-about.exit_signal)}"
    elif about.exit_code is not None:
        how = describe_ending(about.exit_code)
    else:
        return ""
    return f"{cut_end(escape_text(about.command), _LONGEST_COMMAND) or 'the program'} {how}"
