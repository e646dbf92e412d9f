"""How a thread is given time."""

from syswatch.model.catalog import ArgumentKind as Kind

from .names_processes import SCHED_POLICY
from .structures import structure
from .symbols import flags
from .traced_call import Printer, TracedCall, UnreadableError, follow, follow_on_success

_FLAGS = flags(
    "SCHED_FLAG_???",
    """
    SCHED_FLAG_RESET_ON_FORK=1 SCHED_FLAG_RECLAIM=2 SCHED_FLAG_DL_OVERRUN=4
    SCHED_FLAG_KEEP_POLICY=8 SCHED_FLAG_KEEP_PARAMS=0x10 SCHED_FLAG_UTIL_CLAMP_MIN=0x20
    SCHED_FLAG_UTIL_CLAMP_MAX=0x40
    """,
    bits=64,
)
_BASIC = structure(
    "<IIQiIQQQ",
    size=str,
    sched_policy=SCHED_POLICY,
    sched_flags=_FLAGS,
    sched_nice=str,
    sched_priority=str,
    sched_runtime=str,
    sched_deadline=str,
    sched_period=str,
)
_WITH_CLAMPS = structure("<II", sched_util_min=str, sched_util_max=str)
_KNOWN = _BASIC.size + _WITH_CLAMPS.size


def _attributes(call: TracedCall, address: int, size: int) -> str:
    if size < _BASIC.size:
        raise UnreadableError
    parts = _BASIC.parts(call.read(address, _BASIC.size))
    if size >= _KNOWN:
        parts += _WITH_CLAMPS.parts(call.read(address + _BASIC.size, _WITH_CLAMPS.size))
    if size > _KNOWN:
        parts.append("...")
    return f"{{{', '.join(parts)}}}"


def _given(call: TracedCall, _index: int, address: int) -> str:
    # The kernel takes none for the first size that there was.
    return _attributes(call, address, call.integer(address, signed=False) or _BASIC.size)


def _answer(call: TracedCall, index: int, address: int) -> str:
    room = call.unsigned_int(index + 1)
    return _attributes(call, address, min(room, call.integer(address, signed=False)))


AT_ENTRY: dict[Kind, Printer] = {Kind.SCHED_ATTRIBUTES_IN: follow(_given)}
AT_EXIT: dict[Kind, Printer] = {Kind.SCHED_ATTRIBUTES_OUT: follow_on_success(_answer)}
