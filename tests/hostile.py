"""Text that would control a terminal, be invisible, or break a document; and how it is shown."""

import unicodedata
from collections.abc import Iterable, Mapping

from syswatch.model.activity import ActivityKey, Sums
from syswatch.model.calls import CallTally
from syswatch.model.delta import Delta
from syswatch.model.entries import Failure, LogEntry
from syswatch.model.messages import Started
from syswatch.model.now import Doing, Now, ThreadNow
from syswatch.model.objects import ObjectInfo, ObjectKind
from syswatch.model.process import ProcessInfo, ProcessTally
from syswatch.model.slowest import SlowCall, Slowest
from syswatch.model.threads import ThreadTally, ThreadTimes, Wait
from syswatch.model.timeline import Timeline
from syswatch.model.window import SecondTotals, Window

# Bytes that a program can choose, and how they are shown.
HOSTILE: Mapping[bytes, str] = {
    b"\x1b[31mred": "\\x1b[31mred",
    b"\x1b]0;title\x07": "\\x1b]0;title\\x07",
    b"\x1bP1$r\x1b\\": "\\x1bP1$r\\x1b\\",
    b"\x0e\x0b\x08\x1c": "\\x0e\\x0b\\x08\\x1c",
    b"\x7f": "\\x7f",
    b"a\rb\nc\td": "a\\rb\\nc\\td",
    "\x9b2J\x85".encode(): "\\u009b2J\\u0085",
    b"\x9b2J\xff\xc3(": "\\x9b2J\\xff\\xc3(",
    b"\xed\xa0\x80": "\\xed\\xa0\\x80",
    "\u202eabc\u202c".encode(): "\\u202eabc\\u202c",
    "\u2066x\u2069\u200f\u061c".encode(): "\\u2066x\\u2069\\u200f\\u061c",
    "z\u200bw\ufeff\u2060\u3164".encode(): "z\\u200bw\\ufeff\\u2060\\u3164",
    "l\u2028p\u2029".encode(): "l\\u2028p\\u2029",
    "\U000e0041".encode(): "\\U000e0041",
    b"<b>&\"'": "<b>&\"'",
}
# The length of the name that a process can give itself.
COMM_BYTES = 15
# Printable for Python, but invisible by Unicode's definition.
_UNSEEN = frozenset(
    chr(code)
    for codes in ((0x34F,), (0x115F, 0x1160), (0x17B4, 0x17B5), range(0x180B, 0x1810), (0x3164,))
    for code in codes
) | frozenset(map(chr, (*range(0xFE00, 0xFE10), 0xFFA0, *range(0xE0100, 0xE01F0))))
# Controls, formats (bidi, zero-width), surrogates, private, unassigned, separators.
_FORBIDDEN = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})


def is_inert(text: str) -> bool:
    """Return whether all characters of a text are visible and harmless."""
    return not forbidden(text) and (not text or text.isprintable())


def forbidden(text: str, but: Iterable[str] = ()) -> set[str]:
    """Return the characters of a text that must be escaped, apart from some exceptions."""
    found = set(text) - set(but)
    return {
        character
        for character in found
        if character in _UNSEEN or unicodedata.category(character) in _FORBIDDEN
    }


def delta_of(text: str) -> Delta:
    """Return a delta with a text in each of its fields."""
    tally = CallTally(count=1, errors=1, errnos={text: 1})
    info = ObjectInfo(ObjectKind.TCP, text, text, text, text, text)
    times = ThreadTimes(1, 1, 1, 1, {Wait(info.id, text): 5})
    return Delta(
        calls={text: tally},
        by_process={7: {text: tally}},
        processes={7: ProcessTally(comm=text, count=1, ending=text)},
        paths={text: 1},
        failures={text: (Failure(1, 7, text, text),)},
        log=(LogEntry(1, 7, text, text, text, text, 5, waited=True, object=info.id),),
        activity={ActivityKey(7, 7, info.id, text): Sums(count=1, waiting_ns=5, waits=1)},
        objects={info.id: info},
        threads={7: ThreadTally(7, text, times, 1)},
        timeline=Timeline({1: {7: times}}),
        now=Now(5, {7: ThreadNow(7, text, Doing.IN_CALL, text, 1, object=info.id, args=text)}),
        slowest=Slowest.of([SlowCall(5, 1, 7, 7, text, text, text, text, 5, info.id)]),
        window=Window({1: {text: SecondTotals(1)}}),
        odd_lines=(text,),
    )


def started_of(text: str) -> Started:
    """Return the first message of a trace with a text in each of its fields."""
    return Started(text, ProcessInfo(7, text, text, text, text), only=text)
