"""64-bit arguments, which 32-bit programs pass in two registers."""

from collections.abc import Mapping

from .traced_call import Settings

_LOWER_HALF = 0xFFFFFFFF
# The indexes of 64-bit arguments, as in a 64-bit program.
_INDEXES: Mapping[str, tuple[int, ...]] = {
    "fadvise64": (1,),
    "fadvise64_64": (1, 2),
    "fallocate": (2, 3),
    "ftruncate64": (1,),
    "pread64": (3,),
    "pwrite64": (3,),
    "readahead": (1,),
    "sync_file_range": (1, 2),
    "truncate64": (1,),
}


def join_pairs(name: str, args: tuple[int, ...], settings: Settings) -> tuple[int, ...]:
    """Return the arguments as a 64-bit program passes them; the lower half comes first."""
    for index in () if settings.is_64_bit else _INDEXES.get(name, ()):
        # Missing arguments are zero.
        low, high = (*args[index : index + 2], 0, 0)[:2]
        args = (*args[:index], high << 32 | low & _LOWER_HALF, *args[index + 2 :])
    return args


def has_64_bit_offsets(name: str, settings: Settings) -> bool:
    """Return whether the offsets that a call takes have 64 bits."""
    return settings.is_64_bit or name in _INDEXES
