"""
The tracer process without a limit on its log.

A service keeps the newest few hundred calls; a comparison of every line needs all of them.  Run as
a script, with the arguments of `python -m syswatch.tracer`.
"""

import sys

from syswatch.model import entries

_ALL = 1_000_000
_RING_BYTES = 1 << 26


def main() -> int:
    """Raise the limits before other modules read them, and do the job."""
    entries.LOG_ENTRIES = _ALL
    from syswatch.tracer.ebpf import maps

    if not hasattr(maps, "RING_BYTES"):
        raise AttributeError("the ring of samples has its size elsewhere now")
    maps.RING_BYTES = _RING_BYTES
    from syswatch.tracer.__main__ import main as trace

    return trace(sys.argv[1:])


if __name__ == "__main__":
    sys.exit(main())
