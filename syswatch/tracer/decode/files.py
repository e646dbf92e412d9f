"""Structures that describe files and file systems: stat, statx, statfs, open_how, dirents."""

import struct

from syswatch.model.catalog import ArgumentKind as Kind
from syswatch.model.symbols import enumeration, flags

from .names_files import CREATES_FILE, RESOLVE_FLAGS, STATX_MASK, open_flags
from .numbers import device, file_mode, hexadecimal, is_device, permissions, signed_64, unsigned_64
from .traced_call import Printers, TracedCall, UnreadableError, follow, follow_on_success

# st_mode, st_rdev and st_size of struct stat; 32-bit programs have struct stat64.
_STATS = {
    "x86_64": struct.Struct("<24xI12xQq"),
    "aarch64": struct.Struct("<16xI12xQ8xq"),
    "i386": struct.Struct("<16xI12xQ4xq"),
}
# stx_mask, stx_blksize, stx_attributes, stx_mode, stx_size.
_STATX = struct.Struct("<II Q 12xH10xQ")
_STATFS = struct.Struct("<qq5QIIqqq")
# Of 32-bit programs: struct statfs and struct statfs64.
_STATFS_32, _STATFS64_32 = struct.Struct("<12I"), struct.Struct("<II5Q5I")
_OPEN_HOW = struct.Struct("<QQQ")
_STATX_ATTRIBUTES = flags(
    "STATX_ATTR_???",
    """
    STATX_ATTR_COMPRESSED=4 STATX_ATTR_IMMUTABLE=0x10 STATX_ATTR_APPEND=0x20
    STATX_ATTR_NODUMP=0x40 STATX_ATTR_ENCRYPTED=0x800 STATX_ATTR_AUTOMOUNT=0x1000
    STATX_ATTR_MOUNT_ROOT=0x2000 STATX_ATTR_VERITY=0x100000 STATX_ATTR_DAX=0x200000
    """,
    bits=64,
)
_STATFS_FLAGS = flags(
    "ST_???",
    """
    ST_VALID=0x20 ST_RDONLY=1 ST_NOSUID=2 ST_NODEV=4 ST_NOEXEC=8 ST_SYNCHRONOUS=0x10
    ST_MANDLOCK=0x40 ST_NOATIME=0x400 ST_NODIRATIME=0x800 ST_RELATIME=0x1000
    ST_NOSYMFOLLOW=0x2000
    """,
    bits=64,
)
# In struct linux_dirent64 and, for 64-bit programs, struct linux_dirent.
_D_RECLEN_OFFSET, _D_RECLEN_BYTES = 16, 2
_FILE_SYSTEM = enumeration(
    "",
    """
    EXT2_SUPER_MAGIC=0xef53 BTRFS_SUPER_MAGIC=0x9123683e CGROUP2_SUPER_MAGIC=0x63677270
    CGROUP_SUPER_MAGIC=0x27e0eb DEBUGFS_MAGIC=0x64626720 DEVPTS_SUPER_MAGIC=0x1cd1
    FUSE_SUPER_MAGIC=0x65735546 HUGETLBFS_MAGIC=0x958458f6 MSDOS_SUPER_MAGIC=0x4d44
    NFS_SUPER_MAGIC=0x6969 NSFS_MAGIC=0x6e736673 OVERLAYFS_SUPER_MAGIC=0x794c7630
    PIPEFS_MAGIC=0x50495045 PROC_SUPER_MAGIC=0x9fa0 RAMFS_MAGIC=0x858458f6 SELINUX_MAGIC=0xf97cff8c
    SOCKFS_MAGIC=0x534f434b SQUASHFS_MAGIC=0x73717368 SYSFS_MAGIC=0x62656572 TMPFS_MAGIC=0x1021994
    TRACEFS_MAGIC=0x74726163 XFS_SUPER_MAGIC=0x58465342 BPF_FS_MAGIC=0xcafe4a11
    """,
)


def _stat(call: TracedCall, _index: int, address: int) -> str:
    layout = _STATS.get(call.settings.architecture)
    if layout is None or (not call.settings.is_64_bit and "64" not in call.name):
        raise UnreadableError
    mode, number, size = call.unpack(layout, address)
    if is_device(mode):
        return f"{{st_mode={file_mode(mode)}, st_rdev={device(number)}, ...}}"
    return f"{{st_mode={file_mode(mode)}, st_size={size}, ...}}"


def _statx(call: TracedCall, _index: int, address: int) -> str:
    mask, _, attributes, mode, size = call.unpack(_STATX, address)
    text = f"stx_mask={STATX_MASK(mask)}, stx_attributes={_STATX_ATTRIBUTES(attributes)}"
    return f"{{{text}, stx_mode={file_mode(mode)}, stx_size={size}, ...}}"


def _statfs(call: TracedCall, _index: int, address: int) -> str:
    layout = _STATFS
    if not call.settings.is_64_bit:
        layout = _STATFS64_32 if "64" in call.name else _STATFS_32
    kind, block, *counts, low, high, length, fragment, flag_bits = call.unpack(layout, address)
    blocks, free, available, files, free_files = counts
    shown = _FILE_SYSTEM.name(kind) or hexadecimal(unsigned_64(kind))
    return (
        f"{{f_type={shown}, f_bsize={block}, f_blocks={blocks}, f_bfree={free}, "
        f"f_bavail={available}, f_files={files}, f_ffree={free_files}, "
        f"f_fsid={{val=[{hexadecimal(low)}, {hexadecimal(high)}]}}, f_namelen={length}, "
        f"f_frsize={fragment}, f_flags={_STATFS_FLAGS(flag_bits)}}}"
    )


def _how(call: TracedCall, index: int, address: int) -> str:
    if call.argument(index + 1) < _OPEN_HOW.size:
        raise UnreadableError
    flag_bits, mode, resolve = call.unpack(_OPEN_HOW, address)
    text = f"flags={open_flags(flag_bits, call.settings.architecture)}"
    if flag_bits & CREATES_FILE or mode:
        text += f", mode={permissions(mode)}"
    return f"{{{text}, resolve={RESOLVE_FLAGS(resolve)}}}"


def _entries(call: TracedCall, _index: int, address: int) -> str:
    """Count the directory entries, each of which holds its own length."""
    counted = call.memory.counted(address)
    left = max(signed_64(call.ret), 0)
    count = counted or 0
    at = address
    while counted is None and left > 0:
        length = call.integer(at + _D_RECLEN_OFFSET, _D_RECLEN_BYTES, signed=False)
        if not length:
            break
        count, at, left = count + 1, at + length, left - length
    return f"{address:#x} /* {count} entries */"


PRINTERS = Printers(
    at_entry={Kind.OPEN_HOW_IN: follow(_how)},
    at_exit={
        Kind.STAT_OUT: follow_on_success(_stat),
        Kind.STATX_OUT: follow_on_success(_statx),
        Kind.STATFS_OUT: follow_on_success(_statfs),
        Kind.DIRENTS_OUT: follow_on_success(_entries),
    },
)
