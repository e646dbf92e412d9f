"""What a call returned, as strace prints it."""

from .abi import is_restart

_ADDRESSES = frozenset({"brk", "mmap", "mmap2", "mremap", "shmat"})


def result_text(name: str, result: int, *, failed: bool) -> str:
    """Return the value behind the equals sign; the error's name is kept apart from it."""
    if failed:
        return "?" if is_restart(result) else "-1"
    if name in _ADDRESSES:
        return f"{result & 0xFFFF_FFFF_FFFF_FFFF:#x}"
    if name == "umask":
        return f"{result:03o}" if result else "000"
    return str(result)
