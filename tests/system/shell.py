"""Programs that run to completion."""

import subprocess
from collections.abc import Sequence

from tests.system.servers import PATIENCE_S


def run(
    command: Sequence[str], *, stdin: int | None = None, timeout: float = PATIENCE_S
) -> subprocess.CompletedProcess[str]:
    """Run a program; return its output and status."""
    return subprocess.run(
        command,
        stdin=subprocess.DEVNULL if stdin is None else stdin,
        capture_output=True,
        text=True,
        timeout=timeout,
        check=False,
    )


def shell(how: str) -> tuple[str, ...]:
    """Return a prefix that runs a command with redirections in shell syntax."""
    return ("sh", "-c", f'exec "$@" {how}', "sh")
