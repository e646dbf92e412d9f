"""The environment as it was given to us."""

import os
from pathlib import Path

# The interpreter adds it to its own environment where the locale is C (PEP 538).
_ADDED = "LC_CTYPE"


def given_environment(proc_self: Path = Path("/proc/self")) -> dict[str, str]:
    """Return our environment without what the interpreter has added for itself."""
    environment = dict(os.environ)
    # The kernel shows what stood there when the program began.
    words = (proc_self / "environ").read_bytes().split(b"\0")
    if not any(word.startswith(f"{_ADDED}=".encode()) for word in words):
        environment.pop(_ADDED, None)
    return environment
