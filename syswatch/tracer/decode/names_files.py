"""Names in calls about files and file systems."""

from syswatch.model.catalog import ArgumentKind as Kind
from syswatch.model.symbols import FlagSet, enumeration, flags, table

from .numbers import unsigned_32
from .traced_call import Printers, TracedCall

_O_ACCESS_MODES = ("O_RDONLY", "O_WRONLY", "O_RDWR", "O_ACCMODE")
_O_FLAGS = """
    O_CREAT=0x40 O_EXCL=0x80 O_NOCTTY=0x100 O_TRUNC=0x200 O_APPEND=0x400 O_NONBLOCK=0x800
    O_SYNC=0x101000 __O_SYNC=0x100000 O_DSYNC=0x1000 O_DIRECT=0x4000 O_LARGEFILE=0x8000
    O_NOFOLLOW=0x20000 O_NOATIME=0x40000 O_CLOEXEC=0x80000 O_PATH=0x200000 O_TMPFILE=0x410000
    __O_TMPFILE=0x400000 O_DIRECTORY=0x10000 FASYNC=0x2000
"""
# Bits that differ on ARM.
_O_FLAGS_ARM = {
    "O_DIRECT": 0x10000,
    "O_LARGEFILE": 0x20000,
    "O_NOFOLLOW": 0x8000,
    "O_TMPFILE": 0x404000,
    "O_DIRECTORY": 0x4000,
}
_O_ACCMODE = 3
_OPEN = FlagSet(table(_O_FLAGS), "O_???")
_OPEN_ARM = FlagSet({**table(_O_FLAGS), **_O_FLAGS_ARM}, "O_???")


# One of these bits creates a file: O_CREAT, and the bit that sets O_TMPFILE apart from
# O_DIRECTORY.
CREATES_FILE = _OPEN.mask("O_CREAT __O_TMPFILE")
O_CREAT = _OPEN["O_CREAT"]


def open_flags(value: int, architecture: str) -> str:
    """Return the access mode, which is always printed, and the flags."""
    names = _OPEN_ARM if architecture == "aarch64" else _OPEN
    value = unsigned_32(value)
    found, rest = names.split(value & ~_O_ACCMODE)
    return "|".join(
        [_O_ACCESS_MODES[value & _O_ACCMODE], *found, *([f"{rest:#x}"] if rest else [])]
    )


def _open_flags(call: TracedCall, index: int) -> str:
    return open_flags(call.argument(index), call.settings.architecture)


def _descriptor_flags(call: TracedCall, index: int) -> str:
    names = _OPEN_ARM if call.settings.architecture == "aarch64" else _OPEN
    return names(call.argument(index))


AT_FLAGS = flags(
    "AT_???",
    """
    AT_SYMLINK_NOFOLLOW=0x100 AT_REMOVEDIR=0x200 AT_SYMLINK_FOLLOW=0x400 AT_NO_AUTOMOUNT=0x800
    AT_EMPTY_PATH=0x1000 AT_RECURSIVE=0x8000
    """,
)
ACCESS_FLAGS = flags(
    "AT_???",
    """
    AT_SYMLINK_NOFOLLOW=0x100 AT_EACCESS=0x200 AT_EMPTY_PATH=0x1000
    """,
)
# In these calls, some bits have another meaning or none.
_OWN_AT_FLAGS = {
    "faccessat2": ACCESS_FLAGS,
    "mount_setattr": flags(
        "AT_???",
        """
        AT_SYMLINK_NOFOLLOW=0x100 AT_NO_AUTOMOUNT=0x800 AT_EMPTY_PATH=0x1000 AT_RECURSIVE=0x8000
        """,
    ),
    "name_to_handle_at": flags("AT_???", "AT_SYMLINK_FOLLOW=0x400 AT_EMPTY_PATH=0x1000"),
}
STATX_MASK = flags(
    "STATX_???",
    """
    STATX_ALL=0xfff STATX_BASIC_STATS=0x7ff STATX_TYPE=0x1 STATX_MODE=0x2 STATX_NLINK=0x4
    STATX_UID=0x8 STATX_GID=0x10 STATX_ATIME=0x20 STATX_MTIME=0x40 STATX_CTIME=0x80
    STATX_INO=0x100 STATX_SIZE=0x200 STATX_BLOCKS=0x400 STATX_BTIME=0x800 STATX_MNT_ID=0x1000
    STATX_DIOALIGN=0x2000
    """,
)
# Two bits in the flags of statx are a number, the kind of synchronization.
_STATX_SYNC_SHIFT = 13
_AT_STATX_SYNC_TYPE = 0x6000
_STATX_SYNC = (
    "AT_STATX_SYNC_AS_STAT",
    "AT_STATX_FORCE_SYNC",
    "AT_STATX_DONT_SYNC",
    "AT_STATX_FORCE_SYNC|AT_STATX_DONT_SYNC",
)


def _at_flags(call: TracedCall, index: int) -> str:
    value = call.unsigned_int(index)
    if call.name in _OWN_AT_FLAGS:
        return _OWN_AT_FLAGS[call.name](value)
    if call.name != "statx":
        return AT_FLAGS(value)
    first = _STATX_SYNC[(value & _AT_STATX_SYNC_TYPE) >> _STATX_SYNC_SHIFT]
    rest = value & ~_AT_STATX_SYNC_TYPE
    return f"{first}|{AT_FLAGS.bare(rest)}" if rest else first


RENAME_FLAGS = flags("RENAME_??", "RENAME_NOREPLACE=1 RENAME_EXCHANGE=2 RENAME_WHITEOUT=4")
RWF_FLAGS = flags("RWF_???", "RWF_HIPRI=1 RWF_DSYNC=2 RWF_SYNC=4 RWF_NOWAIT=8 RWF_APPEND=0x10")
CLOSE_RANGE_FLAGS = flags("CLOSE_RANGE_???", "CLOSE_RANGE_UNSHARE=2 CLOSE_RANGE_CLOEXEC=4")
RESOLVE_FLAGS = flags(
    "RESOLVE_???",
    """
    RESOLVE_NO_XDEV=1 RESOLVE_NO_MAGICLINKS=2 RESOLVE_NO_SYMLINKS=4 RESOLVE_BENEATH=8
    RESOLVE_IN_ROOT=0x10 RESOLVE_CACHED=0x20
    """,
    bits=64,
)
_FALLOCATE = flags(
    "FALLOC_FL_???",
    """
    FALLOC_FL_KEEP_SIZE=1 FALLOC_FL_PUNCH_HOLE=2 FALLOC_FL_NO_HIDE_STALE=4
    FALLOC_FL_COLLAPSE_RANGE=8 FALLOC_FL_ZERO_RANGE=0x10 FALLOC_FL_INSERT_RANGE=0x20
    FALLOC_FL_UNSHARE_RANGE=0x40
    """,
)
_SYNC_RANGE = flags(
    "SYNC_FILE_RANGE_???",
    "SYNC_FILE_RANGE_WAIT_BEFORE=1 SYNC_FILE_RANGE_WRITE=2 SYNC_FILE_RANGE_WAIT_AFTER=4",
)
MOUNT_FLAGS = flags(
    "MS_???",
    """
    MS_RDONLY=0x1 MS_NOSUID=0x2 MS_NODEV=0x4 MS_NOEXEC=0x8 MS_SYNCHRONOUS=0x10 MS_REMOUNT=0x20
    MS_MANDLOCK=0x40 MS_DIRSYNC=0x80 MS_NOSYMFOLLOW=0x100 MS_NOATIME=0x400 MS_NODIRATIME=0x800
    MS_BIND=0x1000 MS_MOVE=0x2000 MS_REC=0x4000 MS_SILENT=0x8000 MS_POSIXACL=0x10000
    MS_UNBINDABLE=0x20000 MS_PRIVATE=0x40000 MS_SLAVE=0x80000 MS_SHARED=0x100000
    MS_RELATIME=0x200000 MS_KERNMOUNT=0x400000 MS_I_VERSION=0x800000 MS_STRICTATIME=0x1000000
    MS_LAZYTIME=0x2000000 MS_SUBMOUNT=0x4000000 MS_NOREMOTELOCK=0x8000000 MS_NOSEC=0x10000000
    MS_BORN=0x20000000 MS_ACTIVE=0x40000000 MS_NOUSER=0x80000000
    """,
    bits=64,
)
_INOTIFY_MASK = flags(
    "IN_???",
    """
    IN_ACCESS=0x1 IN_MODIFY=0x2 IN_ATTRIB=0x4 IN_CLOSE_WRITE=0x8 IN_CLOSE_NOWRITE=0x10
    IN_OPEN=0x20 IN_MOVED_FROM=0x40 IN_MOVED_TO=0x80 IN_CREATE=0x100 IN_DELETE=0x200
    IN_DELETE_SELF=0x400 IN_MOVE_SELF=0x800 IN_UNMOUNT=0x2000 IN_Q_OVERFLOW=0x4000
    IN_IGNORED=0x8000 IN_ONLYDIR=0x1000000 IN_DONT_FOLLOW=0x2000000 IN_EXCL_UNLINK=0x4000000
    IN_MASK_CREATE=0x10000000 IN_MASK_ADD=0x20000000 IN_ISDIR=0x40000000 IN_ONESHOT=0x80000000
    """,
)
_FADVICE = enumeration(
    "POSIX_FADV_???",
    """
    POSIX_FADV_NORMAL POSIX_FADV_RANDOM POSIX_FADV_SEQUENTIAL POSIX_FADV_WILLNEED
    POSIX_FADV_DONTNEED POSIX_FADV_NOREUSE
    """,
)


PRINTERS = Printers(
    numbers={
        Kind.CLOSE_RANGE_FLAGS: CLOSE_RANGE_FLAGS,
        Kind.ACCESS_MODE: flags("?_OK", "R_OK=4 W_OK=2 X_OK=1", zero="F_OK"),
        Kind.UNLINK_FLAGS: AT_FLAGS,
        Kind.STATX_MASK: STATX_MASK,
        Kind.RENAME_FLAGS: RENAME_FLAGS,
        Kind.XATTR_FLAGS: flags("XATTR_???", "XATTR_CREATE=1 XATTR_REPLACE=2"),
        Kind.SEEK_WHENCE: enumeration("SEEK_???", "SEEK_SET SEEK_CUR SEEK_END SEEK_DATA SEEK_HOLE"),
        Kind.FLOCK_OPERATION: flags(
            "LOCK_???",
            """
            LOCK_SH=1 LOCK_EX=2 LOCK_NB=4 LOCK_UN=8 LOCK_MAND=0x20 LOCK_RW=0xc0
            LOCK_READ=0x40 LOCK_WRITE=0x80
            """,
        ),
        Kind.FALLOCATE_MODE: _FALLOCATE,
        Kind.FADVICE: _FADVICE,
        Kind.SYNC_RANGE_FLAGS: _SYNC_RANGE,
        Kind.RWF_FLAGS: RWF_FLAGS,
        Kind.SPLICE_FLAGS: flags(
            "SPLICE_F_???",
            "SPLICE_F_MOVE=1 SPLICE_F_NONBLOCK=2 SPLICE_F_MORE=4 SPLICE_F_GIFT=8",
        ),
        Kind.MOUNT_FLAGS: MOUNT_FLAGS,
        Kind.UMOUNT_FLAGS: flags(
            "MNT_???", "MNT_FORCE=1 MNT_DETACH=2 MNT_EXPIRE=4 UMOUNT_NOFOLLOW=8"
        ),
        Kind.INOTIFY_FLAGS: flags("IN_???", "IN_NONBLOCK=0x800 IN_CLOEXEC=0x80000"),
        Kind.INOTIFY_MASK: _INOTIFY_MASK,
    },
    registers={
        Kind.OPEN_FLAGS: _open_flags,
        Kind.FD_FLAGS: _descriptor_flags,
        Kind.AT_FLAGS: _at_flags,
    },
)
