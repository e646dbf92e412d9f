"""Small C programs with difficult behavior, compiled when a test needs one."""

import os
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


def _compile(path: Path, *flags: str) -> str:
    """Return the error of a failed compilation."""
    done = subprocess.run(
        ["gcc", "-O1", "-o", str(path), *flags], check=False, capture_output=True, text=True
    )
    return done.stderr if done.returncode else ""


@cache
def program(name: str, *flags: str) -> str:
    """
    Compile a program and return its path; skip the test if that is not possible.

    With `-m32` it is a 32-bit program, for which the compiler may lack a library.
    """
    if shutil.which("gcc") is None:
        raise SkipTest("gcc is not installed")
    # In a folder of its own, so that both kinds of a program have the same name.
    folder = Path(_folder().name) / ("32" if "-m32" in flags else "64")
    folder.mkdir(exist_ok=True)
    folder.chmod(0o755)
    path = folder / name
    if "-m32" in flags and _compile(path, "-m32", "-x", "c", os.devnull, "-shared"):
        raise SkipTest("gcc cannot make 32-bit programs (Debian: apt install gcc-multilib)")
    if complaints := _compile(path, "-pthread", *flags, str(_SOURCES / f"{name}.c")):
        raise AssertionError(complaints)
    path.chmod(0o755)
    Path(_folder().name).chmod(0o755)  # Tests run programs as other users, too.
    return str(path)
