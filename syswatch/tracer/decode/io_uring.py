"""io_uring: the parameters of a ring, and what is registered with it."""

import struct

from syswatch.model.catalog import ArgumentKind as Kind
from syswatch.model.symbols import flags

from .descriptors import descriptor
from .names_misc import IO_URING_OPERATION
from .numbers import hexadecimal
from .structures import Structure, listed, structure
from .traced_call import Printers, TracedCall, UnreadableError, follow

_SETUP = flags(
    "IORING_SETUP_???",
    """
    IORING_SETUP_IOPOLL=1 IORING_SETUP_SQPOLL=2 IORING_SETUP_SQ_AFF=4 IORING_SETUP_CQSIZE=8
    IORING_SETUP_CLAMP=0x10 IORING_SETUP_ATTACH_WQ=0x20 IORING_SETUP_R_DISABLED=0x40
    IORING_SETUP_SUBMIT_ALL=0x80 IORING_SETUP_COOP_TASKRUN=0x100
    IORING_SETUP_TASKRUN_FLAG=0x200 IORING_SETUP_SQE128=0x400 IORING_SETUP_CQE32=0x800
    IORING_SETUP_SINGLE_ISSUER=0x1000 IORING_SETUP_DEFER_TASKRUN=0x2000
    """,
)
_FEATURES = flags(
    "IORING_FEAT_???",
    """
    IORING_FEAT_SINGLE_MMAP=1 IORING_FEAT_NODROP=2 IORING_FEAT_SUBMIT_STABLE=4
    IORING_FEAT_RW_CUR_POS=8 IORING_FEAT_CUR_PERSONALITY=0x10 IORING_FEAT_FAST_POLL=0x20
    IORING_FEAT_POLL_32BITS=0x40 IORING_FEAT_SQPOLL_NONFIXED=0x80 IORING_FEAT_EXT_ARG=0x100
    IORING_FEAT_NATIVE_WORKERS=0x200 IORING_FEAT_RSRC_TAGS=0x400 IORING_FEAT_CQE_SKIP=0x800
    IORING_FEAT_LINKED_FILE=0x1000
    """,
)
# struct io_uring_params up to its two structures of offsets.
_PARAMETERS = struct.Struct("<10I")
_ATTACH_WQ = _SETUP["IORING_SETUP_ATTACH_WQ"]
_SQ_OFFSETS = structure(
    "<7I", head=str, tail=str, ring_mask=str, ring_entries=str, flags=str, dropped=str, array=str
)
_CQ_OFFSETS = structure(
    "<7I", head=str, tail=str, ring_mask=str, ring_entries=str, overflow=str, cqes=str, flags=str
)
_RESERVED = struct.Struct("<IQ")
_IOVEC = structure("<QQ", iov_base=lambda value: f"{value:#x}" if value else "NULL", iov_len=str)
_FD = struct.Struct("<i")
_BUFFERS = IO_URING_OPERATION["IORING_REGISTER_BUFFERS"]
_DESCRIPTORS = IO_URING_OPERATION.numbers(
    "IORING_REGISTER_FILES IORING_REGISTER_EVENTFD IORING_REGISTER_EVENTFD_ASYNC"
)


def _offsets(call: TracedCall, address: int, which: Structure) -> str:
    parts = which.parts(call.read(address, which.size))
    reserved = zip(("resv1", "resv2"), call.unpack(_RESERVED, address + which.size), strict=True)
    parts += [f"{name}={value:#x}" for name, value in reserved if value]
    return f"{{{', '.join(parts)}}}"


def _parameters(call: TracedCall, _index: int, address: int) -> str:
    submitted, completed, bits, cpu, idle, features, shared, *reserved = call.unpack(
        _PARAMETERS, address
    )
    parts = [
        f"flags={_SETUP(bits)}",
        f"sq_thread_cpu={hexadecimal(cpu)}",
        f"sq_thread_idle={idle}",
    ]
    if bits & _ATTACH_WQ:
        parts.append(f"wq_fd={descriptor(call, shared)}")
    if any(reserved):
        parts.append(f"resv=[{', '.join(map(hexadecimal, reserved))}]")
    if not call.failed:
        completions = address + _PARAMETERS.size + _SQ_OFFSETS.size + _RESERVED.size
        parts += [
            f"sq_entries={submitted}",
            f"cq_entries={completed}",
            f"features={_FEATURES(features)}",
            f"sq_off={_offsets(call, address + _PARAMETERS.size, _SQ_OFFSETS)}",
            f"cq_off={_offsets(call, completions, _CQ_OFFSETS)}",
        ]
    return f"{{{', '.join(parts)}}}"


def _registered(call: TracedCall, index: int, address: int) -> str:
    operation = call.unsigned_int(index - 1)
    count = call.unsigned_int(index + 1)
    if operation == _BUFFERS:
        return listed(call, address, count, _IOVEC.size, _IOVEC.text)
    if operation in _DESCRIPTORS:
        return listed(
            call, address, count, _FD.size, lambda data: descriptor(call, _FD.unpack(data)[0])
        )
    raise UnreadableError


PRINTERS = Printers(
    at_entry={Kind.IO_URING_REGISTERED_IN: follow(_registered)},
    at_exit={Kind.IO_URING_PARAMS_INOUT: follow(_parameters)},
)
