"""Memory statistics and allocation profiles of this process."""

import gc
import resource
import tracemalloc
from collections import defaultdict
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from .pprof_format import Frame, Stack

_DEPTH = 32


@contextmanager
def traced_allocations() -> Iterator[None]:
    """Trace allocations during the block, unless they are traced already."""
    if tracemalloc.is_tracing():
        yield
        return
    tracemalloc.start(_DEPTH)
    try:
        yield
    finally:
        tracemalloc.stop()


def allocations_in_use() -> Mapping[Stack, tuple[int, int]]:
    """Return count and bytes of the traced allocations that are still in use."""
    sums: dict[Stack, list[int]] = defaultdict(lambda: [0, 0])
    for statistic in tracemalloc.take_snapshot().statistics("traceback"):
        # tracemalloc knows lines but not functions, and lists the innermost frame last.
        frames = (
            Frame(f"{f.filename}:{f.lineno}", f.filename, f.lineno) for f in statistic.traceback
        )
        entry = sums[tuple(reversed(tuple(frames)))]
        entry[0] += statistic.count
        entry[1] += statistic.size
    return {stack: (count, size) for stack, (count, size) in sums.items()}


def memory_statistics() -> dict[str, int]:
    """Return memory statistics of the kernel and the garbage collector, in bytes."""
    usage = resource.getrusage(resource.RUSAGE_SELF)
    fields = Path("/proc/self/statm").read_text("ascii").split()
    page = resource.getpagesize()
    resident = int(fields[1]) * page
    return {
        "virtual": int(fields[0]) * page,
        "resident": resident,
        # The kernel counts the two differently and updates the peak late.
        "resident_peak": max(usage.ru_maxrss * 1024, resident),
        "gc_objects": len(gc.get_objects()),
        "gc_collections": sum(generation["collections"] for generation in gc.get_stats()),
        "traced": tracemalloc.get_traced_memory()[0],
    }
