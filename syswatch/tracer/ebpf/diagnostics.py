"""What `--debug` prints about the program in the kernel."""

from syswatch.base.streams import print_message

from .program import Program

_NAMES = (
    *("taken_in", "unused", "crowded", "unfollowed", "uncounted_paths"),
    *("unused_threads", "unused_objects", "unused_activities"),
    *("crowded_threads", "crowded_objects", "uncredited", "uncounted_waits", "lost_slow"),
    "coarse_evidence",
)


def print_diagnostics(program: Program) -> None:
    """Print what the program has counted about itself."""
    for name in _NAMES:
        print_message(f"{getattr(program.totals, name):>9} {name}")
    print_message(f"{program.misses():>9} missed by the kernel")
