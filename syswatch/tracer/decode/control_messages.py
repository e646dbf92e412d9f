"""What travels beside the bytes of a message: descriptors, credentials."""

import struct

from .descriptors import descriptor
from .names_sockets import SOCKET_LEVEL
from .symbols import enumeration
from .traced_call import TracedCall, UnreadableError

_HEADERS = {8: struct.Struct("<Qii"), 4: struct.Struct("<Iii")}
_CREDENTIALS = struct.Struct("<iII")
_TYPES = enumeration(
    "SCM_???",
    "SCM_RIGHTS=1 SCM_CREDENTIALS SCM_SECURITY SCM_TIMESTAMP_OLD=29 SCM_TIMESTAMPNS_OLD=35",
)
_SOL_SOCKET = 1
_RIGHTS = 1
_CREDENTIALS_TYPE = 2
# More than the kernel lets anybody send.
_LONGEST = 4096


def control_messages(call: TracedCall, address: int, length: int) -> str:
    """Return all control messages of a message."""
    try:
        data = call.read(address, min(length, _LONGEST))
    except UnreadableError:
        return f"{address:#x}" if address else "NULL"
    texts = []
    word = call.settings.word_size
    while len(data) >= _HEADERS[word].size:
        size, level, kind = _HEADERS[word].unpack_from(data)
        if size < _HEADERS[word].size:
            break
        texts.append(_message(call, size, level, kind, data[_HEADERS[word].size : size]))
        data = data[(size + word - 1) // word * word :]
    return f"[{', '.join(texts)}]" if texts else f"{address:#x}"


def _message(call: TracedCall, size: int, level: int, kind: int, data: bytes) -> str:
    text = f"cmsg_len={size}, cmsg_level={SOCKET_LEVEL(level)}"
    if level != _SOL_SOCKET:
        return f"{{{text}, cmsg_type={kind & 0xFFFFFFFF:#x}}}"
    text += f", cmsg_type={_TYPES(kind)}"
    if kind == _RIGHTS:
        numbers = struct.unpack_from(f"<{len(data) // 4}i", data)
        shown = ", ".join(descriptor(call, number) for number in numbers)
        text += f", cmsg_data=[{shown}]"
    elif kind == _CREDENTIALS_TYPE and len(data) >= _CREDENTIALS.size:
        pid, uid, gid = _CREDENTIALS.unpack_from(data)
        text += f", cmsg_data={{pid={pid}, uid={uid}, gid={gid}}}"
    return f"{{{text}}}"
