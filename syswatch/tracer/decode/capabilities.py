"""Capabilities of threads: capget and capset."""

import struct

from syswatch.model.catalog import ArgumentKind as Kind
from syswatch.model.symbols import FlagSet, enumeration, table

from .structures import structure
from .traced_call import Printers, TracedCall, follow, follow_on_success

_NAMES = table(
    """
    CAP_CHOWN CAP_DAC_OVERRIDE CAP_DAC_READ_SEARCH CAP_FOWNER CAP_FSETID CAP_KILL CAP_SETGID
    CAP_SETUID CAP_SETPCAP CAP_LINUX_IMMUTABLE CAP_NET_BIND_SERVICE CAP_NET_BROADCAST
    CAP_NET_ADMIN CAP_NET_RAW CAP_IPC_LOCK CAP_IPC_OWNER CAP_SYS_MODULE CAP_SYS_RAWIO
    CAP_SYS_CHROOT CAP_SYS_PTRACE CAP_SYS_PACCT CAP_SYS_ADMIN CAP_SYS_BOOT CAP_SYS_NICE
    CAP_SYS_RESOURCE CAP_SYS_TIME CAP_SYS_TTY_CONFIG CAP_MKNOD CAP_LEASE CAP_AUDIT_WRITE
    CAP_AUDIT_CONTROL CAP_SETFCAP CAP_MAC_OVERRIDE CAP_MAC_ADMIN CAP_SYSLOG CAP_WAKE_ALARM
    CAP_BLOCK_SUSPEND CAP_AUDIT_READ CAP_PERFMON CAP_BPF CAP_CHECKPOINT_RESTORE
    """
)
CAPABILITY = enumeration("CAP_???", " ".join(_NAMES))
_SET = FlagSet({f"1<<{name}": 1 << bit for name, bit in _NAMES.items()}, "CAP_???", bits=64)
_VERSION = enumeration(
    "_LINUX_CAPABILITY_VERSION_???",
    """
    _LINUX_CAPABILITY_VERSION_1=0x19980330 _LINUX_CAPABILITY_VERSION_2=0x20071026
    _LINUX_CAPABILITY_VERSION_3=0x20080522
    """,
)
# In these versions the structure stands twice, the second time with the upper halves.
_TWO_STRUCTURES = _VERSION.numbers("_LINUX_CAPABILITY_VERSION_2 _LINUX_CAPABILITY_VERSION_3")
_HEADER = structure("<Ii", version=_VERSION, pid=str)
_SETS = ("effective", "permitted", "inheritable")
_DATA = struct.Struct("<3I")


def _data(call: TracedCall, index: int, address: int) -> str:
    version = call.integer(call.argument(index - 1), signed=False)
    sets = call.unpack(_DATA, address)
    if version in _TWO_STRUCTURES:
        upper = call.unpack(_DATA, address + _DATA.size)
        sets = tuple(low | high << 32 for low, high in zip(sets, upper, strict=True))
    parts = (f"{name}={_SET(bits)}" for name, bits in zip(_SETS, sets, strict=True))
    return f"{{{', '.join(parts)}}}"


PRINTERS = Printers(
    at_entry={
        Kind.CAP_HEADER_IN: follow(_HEADER.show),
        Kind.CAP_DATA_IN: follow(_data),
    },
    at_exit={Kind.CAP_DATA_OUT: follow_on_success(_data)},
)
