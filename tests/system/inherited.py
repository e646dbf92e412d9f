"""Prints what a program has inherited from who started it."""

import json
import os
import resource
import sys
from pathlib import Path

_LINES = ("SigIgn", "SigBlk", "Umask", "NoNewPrivs", "Seccomp", "CapEff", "Groups", "Uid", "Gid")
# The C library uses these two for itself, and who starts a program may leave them ignored.
_OWN_SIGNALS = 0b11 << 31


def inherited() -> dict[str, object]:
    """Return all of it."""
    lines = dict(
        line.split(":\t", 1) for line in Path("/proc/self/status").read_text().splitlines()
    )
    state, _, group, session, terminal = (
        Path("/proc/self/stat").read_text().rpartition(")")[2].split()[:5]
    )
    assert state == "R"
    lines["SigIgn"] = f"{int(lines['SigIgn'], 16) & ~_OWN_SIGNALS:x}"
    return {
        **{name: lines[name] for name in _LINES},
        "folder": str(Path.cwd()),
        "descriptors": {
            number: str(Path(f"/proc/self/fd/{number}").resolve())
            for number in range(3, 100)
            if Path(f"/proc/self/fd/{number}").exists()
        },
        "limits": [resource.getrlimit(number) for number in range(16)],
        "leads": int(group) == os.getpid(),
        "session": session,
        "terminal": terminal,
        "nice": os.nice(0),
        "cpus": sorted(os.sched_getaffinity(0)),
        "adjusted": Path("/proc/self/oom_score_adj").read_text(),
        "environment": dict(os.environ),
    }


sys.stderr.write(json.dumps(inherited()))
