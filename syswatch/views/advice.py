"""One sentence from the catalog: when a failing or a slow call is harmless, and when not."""

import re

from syswatch.model.catalog import Syscall, lookup

# A full stop inside a name, as in ld.so, is followed by no space.
_SENTENCE_END = re.compile(r"(?<=\.)\s+")
_ABOUT_TIME = re.compile(r"\b(?:slow|long|wait\w*|idle|time)\b", re.IGNORECASE)
# What is said first of an errno is no part of what is said of slow calls.
_FIRST_OF_AN_ERRNO = re.compile(r"E[A-Z0-9]{3,} [^;]*; (?=.)")

# The kernel's own words for a call that a signal interrupts; no program gets to see them.
RESTARTED = frozenset({"ERESTARTNOHAND", "ERESTARTNOINTR", "ERESTARTSYS", "ERESTART_RESTARTBLOCK"})


def of_errno(name: str, errno: str) -> str:
    """Return what an errno means for a call: advice that names it, else its plain meaning."""
    if errno in RESTARTED:
        return (
            f"{errno}: a signal cut the wait short; the kernel starts the call again, or turns "
            "this into EINTR."
        )
    entry = lookup(name)
    if entry is None:
        return f"Nothing is known about {errno} of {name}."
    named = re.compile(rf"\b{re.escape(errno)}\b")
    return (
        _sentence(entry, named)
        or _meaning(entry, errno)
        or f"{errno} is not usual here. {_sentence(entry, re.compile(''))}".strip()
    )


def is_harmless(name: str, errno: str) -> bool:
    """Return whether the catalog counts an errno of a call among its normal work."""
    entry = lookup(name)
    notes = entry.errnos if entry else ()
    return any(note.name == errno and note.is_harmless for note in notes)


def of_slowness(name: str) -> str:
    """Return what long durations of a call mean."""
    entry = lookup(name)
    known = entry and (_sentence(entry, _ABOUT_TIME) or _sentence(entry, re.compile("")))
    if known and (about_errno := _FIRST_OF_AN_ERRNO.match(known)):
        rest = known[about_errno.end() :]
        return rest[0].upper() + rest[1:]
    return known or "A call that waits for nobody should take microseconds: look at the device."


def _sentence(entry: Syscall, about: re.Pattern[str]) -> str:
    sentences = _SENTENCE_END.split(entry.advice)
    return next((sentence for sentence in sentences if about.search(sentence)), "")


def _meaning(entry: Syscall, errno: str) -> str:
    meaning = next((note.meaning for note in entry.errnos if note.name == errno), "")
    return f"{errno}: {meaning}." if meaning else ""
