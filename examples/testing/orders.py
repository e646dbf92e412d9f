"""Orders in a file: what the tests beside this file are about."""

import json
import subprocess
import sys
from functools import cache
from pathlib import Path


@cache
def load(file: Path) -> tuple[int, ...]:
    """Return the amounts; a file is read once."""
    return tuple(json.loads(file.read_text("utf-8")))


def total(file: Path) -> int:
    """Return the sum of the amounts."""
    return sum(load(file))


def print_total(file: Path) -> None:
    """Print the sum, in a process of its own."""
    command = (sys.executable, "-c", "import sys; print(sum(map(int, sys.argv[1:])))")
    subprocess.run([*command, *map(str, load(file))], check=True)
