"""Clocks of the kernel (`struct timex`), times of processes and times of files in seconds."""

import os
import struct

from syswatch.model.catalog import ArgumentKind as Kind
from syswatch.model.symbols import enumeration, flags

from .times import date, timeval
from .traced_call import Printers, TracedCall, UnreadableError, follow, follow_on_success

_MODES = flags(
    "ADJ_???",
    """
    ADJ_OFFSET_SS_READ=0xa001 ADJ_OFFSET_SINGLESHOT=0x8001 ADJ_OFFSET=1 ADJ_FREQUENCY=2
    ADJ_MAXERROR=4 ADJ_ESTERROR=8 ADJ_STATUS=0x10 ADJ_TIMECONST=0x20 ADJ_TAI=0x80
    ADJ_SETOFFSET=0x100 ADJ_MICRO=0x1000 ADJ_NANO=0x2000 ADJ_TICK=0x4000
    """,
)
_STATUS = flags(
    "STA_???",
    """
    STA_PLL=1 STA_PPSFREQ=2 STA_PPSTIME=4 STA_FLL=8 STA_INS=0x10 STA_DEL=0x20 STA_UNSYNC=0x40
    STA_FREQHOLD=0x80 STA_PPSSIGNAL=0x100 STA_PPSJITTER=0x200 STA_PPSWANDER=0x400
    STA_PPSERROR=0x800 STA_CLOCKERR=0x1000 STA_NANO=0x2000 STA_MODE=0x4000 STA_CLK=0x8000
    """,
)
_TIMEX = struct.Struct("<I4x4qi4x3q2q3qi4x5qi")
_TIMEX_FIELDS = (
    *("modes", "offset", "freq", "maxerror", "esterror", "status"),
    *("constant", "precision", "tolerance", "tv_sec", "tv_usec"),
    *("tick", "ppsfreq", "jitter", "shift", "stabil", "jitcnt"),
    *("calcnt", "errcnt", "stbcnt", "tai"),
)
CLOCK_STATE = enumeration("TIME_???", "TIME_OK TIME_INS TIME_DEL TIME_OOP TIME_WAIT TIME_ERROR")
_TIMES = ("tms_utime", "tms_stime", "tms_cutime", "tms_cstime")


def ticks(count: int) -> str:
    """Return a time in clock ticks, with a comment in seconds."""
    return f"{count} /* {count / os.sysconf('SC_CLK_TCK'):.2f} s */" if count else "0"


def _adjustment(call: TracedCall, _index: int, address: int) -> str:
    if not call.settings.is_64_bit:  # The layout differs.
        raise UnreadableError
    timex = dict(zip(_TIMEX_FIELDS, call.unpack(_TIMEX, address), strict=True))
    texts: dict[str, object] = timex | {
        "modes": _MODES(timex["modes"]),
        "status": _STATUS(timex["status"]),
        "tv_sec": timeval(timex["tv_sec"], timex["tv_usec"]),
    }
    parts = [
        f"{'time' if name == 'tv_sec' else name}={text}"
        for name, text in texts.items()
        if name != "tv_usec"
    ]
    return f"{{{', '.join(parts)}}}"


def _used(call: TracedCall, _index: int, address: int) -> str:
    word = call.settings.word_size
    counts = [call.integer(address + place * word, word) for place in range(len(_TIMES))]
    parts = (f"{name}={ticks(count)}" for name, count in zip(_TIMES, counts, strict=True))
    return f"{{{', '.join(parts)}}}"


def _stamps(call: TracedCall, _index: int, address: int) -> str:
    word = call.settings.word_size
    accessed, modified = (call.integer(address + place * word, word) for place in (0, 1))
    return f"{{actime={accessed}{date(accessed)}, modtime={modified}{date(modified)}}}"


PRINTERS = Printers(
    at_entry={Kind.UTIMBUF_IN: follow(_stamps)},
    at_exit={
        Kind.TIMEX_INOUT: follow_on_success(_adjustment),
        Kind.TMS_OUT: follow_on_success(_used),
    },
)
