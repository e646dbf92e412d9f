"""Programs that run to their end."""

import subprocess
from collections.abc import Sequence


def run(
    command: Sequence[str], *, stdin: int | None = None, timeout: float = 60
) -> subprocess.CompletedProcess[str]:
    """Run a program and return what it said."""
    return subprocess.run(
        command,
        stdin=subprocess.DEVNULL if stdin is None else stdin,
        capture_output=True,
        text=True,
        timeout=timeout,
        check=False,
    )
