"""Programs that run to their end."""

import subprocess
from collections.abc import Sequence

from tests.system.servers import PATIENCE_S


def run(
    command: Sequence[str], *, stdin: int | None = None, timeout: float = PATIENCE_S
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


def shell(how: str) -> tuple[str, ...]:
    """Return what stands before a command to redirect it as the shell writes it."""
    return ("sh", "-c", f'exec "$@" {how}', "sh")
