"""Numbers of 64 bits, which 32-bit programs hand over in two registers."""

from collections.abc import Mapping

from .traced_call import Settings

# Where each begins, if those before it take one place only.
_AT: Mapping[str, tuple[int, ...]] = {
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


def joined(name: str, args: tuple[int, ...], settings: Settings) -> tuple[int, ...]:
    """Return the arguments as a 64-bit program gives them, lower half first."""
    for at in () if settings.is_64_bit else _AT.get(name, ()):
        # What is missing counts as zero, as it does for every printer.
        low, high = (*args[at : at + 2], 0, 0)[:2]
        args = (*args[:at], high << 32 | low & 0xFFFFFFFF, *args[at + 2 :])
    return args


def is_whole(name: str, settings: Settings) -> bool:
    """Return whether the positions that a call is given have 64 bits."""
    return settings.is_64_bit or name in _AT
