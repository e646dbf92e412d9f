"""Names in calls about memory."""

from syswatch.model.catalog import ArgumentKind as Kind
from syswatch.model.symbols import enumeration, flags

from .numbers import unsigned_32
from .traced_call import Printers

_MAP_TYPES = ("MAP_FILE", "MAP_SHARED", "MAP_PRIVATE", "MAP_SHARED_VALIDATE")
_MAP_FLAGS = flags(
    "MAP_???",
    """
    MAP_FIXED=0x10 MAP_ANONYMOUS=0x20 MAP_32BIT=0x40 MAP_NORESERVE=0x4000 MAP_POPULATE=0x8000
    MAP_NONBLOCK=0x10000 MAP_GROWSDOWN=0x100 MAP_DENYWRITE=0x800 MAP_EXECUTABLE=0x1000
    MAP_LOCKED=0x2000 MAP_STACK=0x20000 MAP_HUGETLB=0x40000 MAP_SYNC=0x80000
    MAP_FIXED_NOREPLACE=0x100000
    """,
)
_MEMFD_FLAGS = flags("MFD_???", "MFD_CLOEXEC=1 MFD_ALLOW_SEALING=2 MFD_HUGETLB=4")
_MAP_TYPE = 0xF
# From this bit on: the logarithm of the size of a huge page.
_HUGE_SHIFT = 26


def _map_flags(value: int) -> str:
    value = unsigned_32(value)
    kind = value & _MAP_TYPE
    first = _MAP_TYPES[kind] if kind < len(_MAP_TYPES) else f"{kind:#x} /* MAP_??? */"
    found, rest = _MAP_FLAGS.split(value & (1 << _HUGE_SHIFT) - 1 & ~_MAP_TYPE)
    return "|".join([first, *found, *_rest(rest), *_huge(value, "MAP")])


def _memfd_flags(value: int) -> str:
    value = unsigned_32(value)
    low = value & ((1 << _HUGE_SHIFT) - 1)
    huge = _huge(value, "MFD")
    return "|".join([*([_MEMFD_FLAGS(low)] if low or not huge else []), *huge])


def _rest(rest: int) -> list[str]:
    return [f"{rest:#x}"] if rest else []


def _huge(value: int, prefix: str) -> list[str]:
    size = value >> _HUGE_SHIFT
    return [f"{size}<<{prefix}_HUGE_SHIFT"] if size else []


_ADVICE = enumeration(
    "MADV_???",
    """
    MADV_NORMAL MADV_RANDOM MADV_SEQUENTIAL MADV_WILLNEED MADV_DONTNEED MADV_FREE=8 MADV_REMOVE
    MADV_DONTFORK MADV_DOFORK MADV_MERGEABLE MADV_UNMERGEABLE MADV_HUGEPAGE MADV_NOHUGEPAGE
    MADV_DONTDUMP MADV_DODUMP MADV_WIPEONFORK MADV_KEEPONFORK MADV_COLD MADV_PAGEOUT
    MADV_POPULATE_READ MADV_POPULATE_WRITE MADV_DONTNEED_LOCKED MADV_COLLAPSE MADV_HWPOISON=100
    MADV_SOFT_OFFLINE
    """,
)
_MEMBARRIER = enumeration(
    "MEMBARRIER_CMD_???",
    """
    MEMBARRIER_CMD_QUERY MEMBARRIER_CMD_GLOBAL MEMBARRIER_CMD_GLOBAL_EXPEDITED
    MEMBARRIER_CMD_REGISTER_GLOBAL_EXPEDITED=4 MEMBARRIER_CMD_PRIVATE_EXPEDITED=8
    MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED=0x10
    MEMBARRIER_CMD_PRIVATE_EXPEDITED_SYNC_CORE=0x20
    MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED_SYNC_CORE=0x40
    MEMBARRIER_CMD_PRIVATE_EXPEDITED_RSEQ=0x80
    MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED_RSEQ=0x100
    """,
)
_PROT = flags(
    "PROT_???",
    """
    PROT_READ=1 PROT_WRITE=2 PROT_EXEC=4 PROT_SEM=8 PROT_GROWSDOWN=0x1000000
    PROT_GROWSUP=0x2000000
    """,
    zero="PROT_NONE",
    bits=64,
)

MREMAP_FLAGS = flags("MREMAP_???", "MREMAP_MAYMOVE=1 MREMAP_FIXED=2 MREMAP_DONTUNMAP=4", bits=64)


PRINTERS = Printers(
    numbers={
        Kind.MMAP_PROT: _PROT,
        Kind.MMAP_FLAGS: _map_flags,
        Kind.MREMAP_FLAGS: MREMAP_FLAGS,
        Kind.MSYNC_FLAGS: flags("MS_???", "MS_SYNC=4 MS_ASYNC=1 MS_INVALIDATE=2"),
        Kind.MLOCKALL_FLAGS: flags("MCL_???", "MCL_CURRENT=1 MCL_FUTURE=2 MCL_ONFAULT=4"),
        Kind.MADVICE: _ADVICE,
        Kind.MEMFD_FLAGS: _memfd_flags,
        Kind.MEMBARRIER_COMMAND: _MEMBARRIER,
    },
)
