"""Small C programs that do what tracers stumble over, compiled when a test wants one."""

import shutil
import subprocess
import tempfile
from functools import cache
from pathlib import Path
from unittest import SkipTest

_SOURCES = Path(__file__).parent


@cache
def _folder() -> tempfile.TemporaryDirectory[str]:
    return tempfile.TemporaryDirectory(prefix="syswatch-programs-")


@cache
def program(name: str) -> str:
    """Compile a program and return its path; skips the test where that is not possible."""
    if shutil.which("gcc") is None:
        raise SkipTest("gcc is not installed")
    path = Path(_folder().name) / name
    subprocess.run(
        ["gcc", "-O1", "-pthread", "-o", str(path), str(_SOURCES / f"{name}.c")],
        check=True,
        capture_output=True,
    )
    path.chmod(0o755)
    Path(_folder().name).chmod(0o755)  # Tests run programs as other users, too.
    return str(path)
