"""Evidence of made-up programs."""

from syswatch.model.evidence import EvidenceKey, EvidenceTally

Rows = dict[EvidenceKey, EvidenceTally]
DAY_NS = 1_700_000_000 * 10**9
AF_INET = 2
STREAM = 1
PROT_EXEC = 4


def seen(
    call: str, *values: int, count: int = 1, program: str = "server", architecture: str = ""
) -> Rows:
    """Return evidence of one kind of call."""
    key = EvidenceKey(call, values, architecture, program)
    return {key: EvidenceTally(count, DAY_NS)}


def refused(call: str, *values: int) -> Rows:
    """Return evidence of a call that an existing filter refused."""
    return {EvidenceKey(call, values, program="server", refused=True): EvidenceTally(1, DAY_NS)}


SERVER: Rows = {
    **seen("openat", count=7),
    **seen("read", count=90),
    **seen("mmap", 0),
    **seen("mmap", PROT_EXEC),
    **seen("mprotect", 0),
    **seen("socket", AF_INET, STREAM, 6, count=3),
    **seen("epoll_wait", count=5),
    **seen("clone", 0, program="sh"),
    **seen("ioctl", 0x5401),
}
