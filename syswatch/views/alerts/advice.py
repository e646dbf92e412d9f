"""Sentences from the catalog on when a failing or slow call is harmless."""

import re

from syswatch.model.catalog import Syscall
from syswatch.model.catalog.entries import lookup

# A full stop inside a name, as in ld.so, is not followed by a space.
_SENTENCE_END = re.compile(r"(?<=\.)\s+")
_ABOUT_TIME = re.compile(r"\b(?:slow|long|wait\w*|idle|time)\b", re.IGNORECASE)
# A clause on an errno does not belong to advice on slow calls.
_ERRNO_CLAUSE = re.compile(r"E[A-Z0-9]{3,} [^;]*; (?=.)")

# Codes that the kernel uses for calls that a signal interrupts; programs never get them.
RESTARTED = frozenset({"ERESTARTNOHAND", "ERESTARTNOINTR", "ERESTARTSYS", "ERESTART_RESTARTBLOCK"})


def of_errno(name: str, errno: str) -> str:
    """Return what an errno means for a call: advice that names it, else its plain meaning."""
    if errno in RESTARTED:
        return (
            f"{errno}: a signal interrupted the call; the kernel restarts it, or returns EINTR to "
            "the program."
        )
    entry = lookup(name)
    if entry is None:
        return f"Nothing is known about {errno} from {name}."
    named = re.compile(rf"\b{re.escape(errno)}\b")
    return (
        _sentence(entry, named)
        or _meaning(entry, errno)
        or f"{errno} is unusual for this call. {_sentence(entry, re.compile(''))}".strip()
    )


def is_harmless(name: str, errno: str) -> bool:
    """Return whether the catalog marks an errno as part of normal work for a call."""
    entry = lookup(name)
    notes = entry.errnos if entry else ()
    return any(note.name == errno and note.is_harmless for note in notes)


def of_slowness(name: str) -> str:
    """Return what long durations of a call mean."""
    entry = lookup(name)
    known = entry and (_sentence(entry, _ABOUT_TIME) or _sentence(entry, re.compile("")))
    if known and (clause := _ERRNO_CLAUSE.match(known)):
        rest = known[clause.end() :]
        return rest[0].upper() + rest[1:]
    return known or "A call that does not wait should take microseconds: check the device."


def _sentence(entry: Syscall, about: re.Pattern[str]) -> str:
    sentences = _SENTENCE_END.split(entry.advice)
    return next((sentence for sentence in sentences if about.search(sentence)), "")


def _meaning(entry: Syscall, errno: str) -> str:
    meaning = next((note.meaning for note in entry.errnos if note.name == errno), "")
    return f"{errno}: {meaning}." if meaning else ""
