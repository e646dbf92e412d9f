"""Scheduling attributes of a thread (`struct sched_attr`)."""

from syswatch.model.catalog import ArgumentKind as Kind
from syswatch.model.symbols import flags

from .names_processes import SCHED_POLICY
from .structures import structure
from .traced_call import Printers, TracedCall, UnreadableError, follow, follow_on_success

_FLAGS = flags(
    "SCHED_FLAG_???",
    """
    SCHED_FLAG_RESET_ON_FORK=1 SCHED_FLAG_RECLAIM=2 SCHED_FLAG_DL_OVERRUN=4
    SCHED_FLAG_KEEP_POLICY=8 SCHED_FLAG_KEEP_PARAMS=0x10 SCHED_FLAG_UTIL_CLAMP_MIN=0x20
    SCHED_FLAG_UTIL_CLAMP_MAX=0x40
    """,
    bits=64,
)
_SCHED_ATTR = structure(
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
_UTIL_CLAMPS = structure("<II", sched_util_min=str, sched_util_max=str)
_KNOWN = _SCHED_ATTR.size + _UTIL_CLAMPS.size


def _attributes(call: TracedCall, address: int, size: int) -> str:
    if size < _SCHED_ATTR.size:
        raise UnreadableError
    parts = _SCHED_ATTR.parts(call.read(address, _SCHED_ATTR.size))
    if size >= _KNOWN:
        parts += _UTIL_CLAMPS.parts(call.read(address + _SCHED_ATTR.size, _UTIL_CLAMPS.size))
    if size > _KNOWN:
        parts.append("...")
    return f"{{{', '.join(parts)}}}"


def _given(call: TracedCall, _index: int, address: int) -> str:
    # The kernel takes zero for the size of the first version.
    return _attributes(call, address, call.integer(address, signed=False) or _SCHED_ATTR.size)


def _returned(call: TracedCall, index: int, address: int) -> str:
    size = call.unsigned_int(index + 1)
    return _attributes(call, address, min(size, call.integer(address, signed=False)))


PRINTERS = Printers(
    at_entry={Kind.SCHED_ATTRIBUTES_IN: follow(_given)},
    at_exit={Kind.SCHED_ATTRIBUTES_OUT: follow_on_success(_returned)},
)
