"""Numbers that need no table of names: integers, modes, devices, users, keys."""

from syswatch.model.catalog import ArgumentKind as Kind
from syswatch.model.symbols import enumeration

from .register_pairs import has_64_bit_offsets
from .traced_call import Printers, TracedCall, address_text

_SIGN_32 = 1 << 31
_SIGN_64 = 1 << 63
_MASK_32 = 0xFFFFFFFF
_MASK_64 = 0xFFFFFFFFFFFFFFFF
_S_IFMT = 0o170000
_S_IFCHR, _S_IFBLK = 0o020000, 0o060000
_FILE_TYPES = {
    0o140000: "S_IFSOCK",
    0o120000: "S_IFLNK",
    0o100000: "S_IFREG",
    _S_IFBLK: "S_IFBLK",
    0o040000: "S_IFDIR",
    _S_IFCHR: "S_IFCHR",
    0o010000: "S_IFIFO",
}
_SPECIAL_BITS = ((0o4000, "S_ISUID"), (0o2000, "S_ISGID"), (0o1000, "S_ISVTX"))
_SPECIAL_MASK = 0o7000
# mode_t of the kernel has 16 bits.
_MODE_T = 0xFFFF
_KEY_SERIALS = enumeration(
    "",
    """
    KEY_SPEC_THREAD_KEYRING=-1 KEY_SPEC_PROCESS_KEYRING=-2 KEY_SPEC_SESSION_KEYRING=-3
    KEY_SPEC_USER_KEYRING=-4 KEY_SPEC_USER_SESSION_KEYRING=-5 KEY_SPEC_GROUP_KEYRING=-6
    KEY_SPEC_REQKEY_AUTH_KEY=-7 KEY_SPEC_REQUESTOR_KEYRING=-8
    """,
)


def signed_32(value: int) -> int:
    """Return the lower half of a register as a C `int`."""
    return ((value & _MASK_32) ^ _SIGN_32) - _SIGN_32


def unsigned_32(value: int) -> int:
    """Return the lower half of a register as a C `unsigned int`."""
    return value & _MASK_32


def signed_64(value: int) -> int:
    """Return a register as a C `long`."""
    return ((value & _MASK_64) ^ _SIGN_64) - _SIGN_64


def unsigned_64(value: int) -> int:
    """Return a register as a C `unsigned long`."""
    return value & _MASK_64


def is_device(mode: int) -> bool:
    """Return whether a mode is that of a character or block device."""
    return mode & _S_IFMT in {_S_IFCHR, _S_IFBLK}


def permissions(value: int) -> str:
    """Return mode bits in octal, with at least three digits."""
    return f"0{value:o}".zfill(3)


def file_mode(value: int) -> str:
    """Return the type of a file and its permissions."""
    kind = value & _S_IFMT
    if kind and kind not in _FILE_TYPES:
        return permissions(value)
    texts = [_FILE_TYPES[kind]] if kind else []
    texts += [name for bit, name in _SPECIAL_BITS if value & bit]
    return "|".join([*texts, permissions(value & ~_S_IFMT & ~_SPECIAL_MASK)])


def device(value: int) -> str:
    """Return the major and the minor number of a device."""
    major = (value >> 8 & 0xFFF) | (value >> 32 & 0xFFFFF000)
    minor = (value & 0xFF) | (value >> 12 & 0xFFFFFF00)
    return f"makedev({major:#x}, {minor:#x})".replace("0x0,", "0,").replace("0x0)", "0)")


def hexadecimal(value: int) -> str:
    """Return a number as C prints it in hexadecimal."""
    return f"{value:#x}" if value else "0"


def user(value: int) -> str:
    """Return a user or group ID; the highest number stands for none."""
    value = unsigned_32(value)
    return "-1" if value == _MASK_32 else str(value)


def _key(value: int) -> str:
    value = unsigned_32(value)
    return f"{value:#x}" if value else "IPC_PRIVATE"


def key_serial(value: int) -> str:
    """Return a key serial number, or the name of a special keyring."""
    return _KEY_SERIALS.name(value) or str(signed_32(value))


def _word_long(call: TracedCall, index: int) -> str:
    value = call.argument(index)
    return str(signed_64(value) if call.settings.is_64_bit else signed_32(value))


def _offset(call: TracedCall, index: int) -> str:
    value = call.argument(index)
    return str(
        signed_64(value) if has_64_bit_offsets(call.name, call.settings) else signed_32(value)
    )


PRINTERS = Printers(
    numbers={
        Kind.INT: lambda value: str(signed_32(value)),
        Kind.UINT: lambda value: str(unsigned_32(value)),
        Kind.SIZE: lambda value: str(unsigned_64(value)),
        Kind.HEX: lambda value: hexadecimal(unsigned_64(value)),
        Kind.HEX_IN: lambda value: hexadecimal(unsigned_64(value)),
        Kind.POINTER: address_text,
        Kind.OPAQUE_IN: address_text,
        Kind.MODE: lambda value: permissions(value & _MODE_T),
        Kind.FILE_MODE: lambda value: file_mode(value & _MODE_T),
        Kind.DEVICE: lambda value: device(unsigned_32(value)),
        Kind.PID: lambda value: str(signed_32(value)),
        Kind.UID: user,
        Kind.IPC_KEY: _key,
        Kind.KEY_SERIAL: key_serial,
    },
    registers={Kind.LONG: _word_long, Kind.OFFSET: _offset},
)
