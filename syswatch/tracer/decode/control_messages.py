"""Control messages of sockets (`struct cmsghdr`): descriptors and credentials."""

import struct

from syswatch.model.argument_names import SOCKET_LEVEL
from syswatch.model.symbols import enumeration

from .descriptors import descriptor
from .numbers import unsigned_32
from .structures import UCRED
from .traced_call import TracedCall, UnreadableError

_CMSGHDR = {8: struct.Struct("<Qii"), 4: struct.Struct("<Iii")}
_SCM_TYPE = enumeration(
    "SCM_???",
    "SCM_RIGHTS=1 SCM_CREDENTIALS SCM_SECURITY SCM_TIMESTAMP_OLD=29 SCM_TIMESTAMPNS_OLD=35",
)
_SCM_RIGHTS, _SCM_CREDENTIALS = _SCM_TYPE["SCM_RIGHTS"], _SCM_TYPE["SCM_CREDENTIALS"]
_SOL_SOCKET = SOCKET_LEVEL["SOL_SOCKET"]
_INT_BYTES = 4
# More than the kernel accepts.
_MOST_READ = 4096


def control_messages(call: TracedCall, address: int, length: int) -> str:
    """Return all control messages of a message."""
    try:
        data = call.read(address, min(length, _MOST_READ))
    except UnreadableError:
        return f"{address:#x}" if address else "NULL"
    texts = []
    word = call.settings.word_size
    header = _CMSGHDR[word]
    while len(data) >= header.size:
        size, level, kind = header.unpack_from(data)
        if size < header.size:
            break
        texts.append(_message(call, size, level, kind, data[header.size : size]))
        data = data[(size + word - 1) // word * word :]
    return f"[{', '.join(texts)}]" if texts else f"{address:#x}"


def _message(call: TracedCall, size: int, level: int, kind: int, data: bytes) -> str:
    text = f"cmsg_len={size}, cmsg_level={SOCKET_LEVEL(level)}"
    if level != _SOL_SOCKET:
        return f"{{{text}, cmsg_type={unsigned_32(kind):#x}}}"
    text += f", cmsg_type={_SCM_TYPE(kind)}"
    if kind == _SCM_RIGHTS:
        numbers = struct.unpack_from(f"<{len(data) // _INT_BYTES}i", data)
        shown = ", ".join(descriptor(call, number) for number in numbers)
        text += f", cmsg_data=[{shown}]"
    elif kind == _SCM_CREDENTIALS and len(data) >= UCRED.size:
        text += f", cmsg_data={UCRED.text(data)}"
    return f"{{{text}}}"
