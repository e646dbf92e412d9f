"""keyctl, which manages the keys that the kernel keeps: its arguments by operation."""

from collections.abc import Mapping

from syswatch.model.argument_names import KEYCTL_OPERATION
from syswatch.model.errnos import NAMES
from syswatch.model.symbols import enumeration, flags

from .iovecs import from_caller, vectors
from .numbers import hexadecimal, key_serial, signed_32, unsigned_64, user
from .strings import buffer_text, string_text
from .structures import structure
from .traced_call import Printer, TracedCall, UnreadableError, address_text

_PERMISSIONS = flags(
    "KEY_???",
    """
    KEY_POS_VIEW=0x1000000 KEY_POS_READ=0x2000000 KEY_POS_WRITE=0x4000000 KEY_POS_SEARCH=0x8000000
    KEY_POS_LINK=0x10000000 KEY_POS_SETATTR=0x20000000 KEY_USR_VIEW=0x10000 KEY_USR_READ=0x20000
    KEY_USR_WRITE=0x40000 KEY_USR_SEARCH=0x80000 KEY_USR_LINK=0x100000 KEY_USR_SETATTR=0x200000
    KEY_GRP_VIEW=0x100 KEY_GRP_READ=0x200 KEY_GRP_WRITE=0x400 KEY_GRP_SEARCH=0x800
    KEY_GRP_LINK=0x1000 KEY_GRP_SETATTR=0x2000 KEY_OTH_VIEW=1 KEY_OTH_READ=2 KEY_OTH_WRITE=4
    KEY_OTH_SEARCH=8 KEY_OTH_LINK=0x10 KEY_OTH_SETATTR=0x20
    """,
)
_DEFAULTS = enumeration(
    "KEY_REQKEY_DEFL_???",
    """
    KEY_REQKEY_DEFL_NO_CHANGE=-1 KEY_REQKEY_DEFL_DEFAULT KEY_REQKEY_DEFL_THREAD_KEYRING
    KEY_REQKEY_DEFL_PROCESS_KEYRING KEY_REQKEY_DEFL_SESSION_KEYRING
    KEY_REQKEY_DEFL_USER_KEYRING KEY_REQKEY_DEFL_USER_SESSION_KEYRING
    KEY_REQKEY_DEFL_GROUP_KEYRING KEY_REQKEY_DEFL_REQUESTOR_KEYRING
    """,
)
_MOVES = flags("KEYCTL_MOVE_???", "KEYCTL_MOVE_EXCL=1")
_QUERY = structure(
    "<IIHHHH",
    supported_ops=hexadecimal,
    key_size=str,
    max_data_size=str,
    max_sig_size=str,
    max_enc_size=str,
    max_dec_size=str,
)


def _default(call: TracedCall, index: int) -> str:
    value = signed_32(call.argument(index))
    return _DEFAULTS.name(value) or f"{value} /* KEY_REQKEY_DEFL_??? */"


def _text(call: TracedCall, index: int) -> str:
    address = call.argument(index)
    return string_text(call, address) if address else "NULL"


def _given(call: TracedCall, index: int) -> str:
    address, length = call.argument(index), unsigned_64(call.argument(index + 1))
    return buffer_text(call, address, length) if address else "NULL"


def _answer(call: TracedCall, index: int) -> str:
    address = call.argument(index)
    if call.failed or not address:
        return address_text(address)
    size = unsigned_64(call.argument(index + 1))
    return buffer_text(call, address, min(max(call.ret, 0), size))


def _vectors(call: TracedCall, index: int) -> str:
    count = unsigned_64(call.argument(index + 1))
    return vectors(call, call.argument(index), count, from_caller(call))


def _query(call: TracedCall, index: int) -> str:
    address = call.argument(index)
    return address_text(address) if call.failed or not address else _QUERY.show(call, 0, address)


def _error(call: TracedCall, index: int) -> str:
    number = call.unsigned_int(index)
    return NAMES.get(number, str(number))


# Printers of arguments, each with a letter for `_ARGUMENTS`.
_LETTERS: Mapping[str, Printer] = {
    "a": _answer,
    "d": lambda call, index: str(signed_32(call.argument(index))),
    "D": _default,
    "e": _error,
    "g": _given,
    "k": lambda call, index: key_serial(call.argument(index)),
    "m": lambda call, index: _MOVES(call.argument(index)),
    "p": lambda call, index: _PERMISSIONS(call.argument(index)),
    "q": _query,
    "s": _text,
    "u": lambda call, index: str(call.unsigned_int(index)),
    "U": lambda call, index: user(call.argument(index)),
    "v": _vectors,
    "x": lambda call, index: hexadecimal(unsigned_64(call.argument(index))),
    "z": lambda call, index: str(unsigned_64(call.argument(index))),
}
_ARGUMENTS = KEYCTL_OPERATION.by_number(
    {
        "KEYCTL_GET_KEYRING_ID": "kd",
        "KEYCTL_JOIN_SESSION_KEYRING": "s",
        "KEYCTL_UPDATE": "kgz",
        "KEYCTL_REVOKE KEYCTL_CLEAR KEYCTL_ASSUME_AUTHORITY KEYCTL_INVALIDATE": "k",
        "KEYCTL_CHOWN": "kUU",
        "KEYCTL_SETPERM": "kp",
        "KEYCTL_DESCRIBE KEYCTL_READ KEYCTL_GET_SECURITY": "kaz",
        "KEYCTL_LINK KEYCTL_UNLINK": "kk",
        "KEYCTL_SEARCH": "kssk",
        "KEYCTL_INSTANTIATE": "kgzk",
        "KEYCTL_NEGATE": "kuk",
        "KEYCTL_SET_REQKEY_KEYRING": "D",
        "KEYCTL_SET_TIMEOUT": "ku",
        "KEYCTL_SESSION_TO_PARENT": "",
        "KEYCTL_REJECT": "kuek",
        "KEYCTL_INSTANTIATE_IOV": "kvzk",
        "KEYCTL_GET_PERSISTENT": "Uk",
        "KEYCTL_PKEY_QUERY": "kxsq",
        "KEYCTL_PKEY_ENCRYPT KEYCTL_PKEY_DECRYPT KEYCTL_PKEY_SIGN KEYCTL_PKEY_VERIFY": "xsxx",
        "KEYCTL_RESTRICT_KEYRING": "kss",
        "KEYCTL_MOVE": "kkkm",
    }
)


def keyctl(call: TracedCall, texts: list[str]) -> list[str]:
    """Print the arguments that the operation takes."""
    operation = call.unsigned_int(0)
    letters = _ARGUMENTS.get(operation)
    if letters is None:
        return texts
    shown = (_shown(call, letter, index) for index, letter in enumerate(letters, 1))
    return [texts[0], *shown]


def _shown(call: TracedCall, letter: str, index: int) -> str:
    try:
        return _LETTERS[letter](call, index)
    except UnreadableError:
        return address_text(call.argument(index))
