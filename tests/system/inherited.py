"""Programs that report what they inherit, with different ways to start them."""

import os
import re
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

from tests.system.servers import PATIENCE_S
from tests.tracer.programs import program

_ROOT = Path(__file__).parents[2]
_THIS_ONE = {"PYTHONPATH": str(_ROOT)}
# The exit status of the C program when its output is complete.
COMPLETE = 7
# What differs between two runs of a program, or with its parent, or while it is traced.
_OF_THE_RUN = frozenset(
    f"status {name}"
    for name in (
        *("Tgid", "Pid", "PPid", "NStgid", "NSpid", "NSpgid", "NSsid", "TracerPid", "SigQ"),
        *("FDSize", "voluntary_ctxt_switches", "nonvoluntary_ctxt_switches"),
    )
)
_OF_MEMORY = ("status Vm", "status Rss")
# syswatch itself writes to standard error.
_OF_US = frozenset({"offset 2"})
# A shell that stays the parent, as syswatch does.
_CHILD = '"$@"; exit $?'


def inherited(
    prefix: Sequence[str],
    setup: Sequence[str] = (),
    redirections: str = "",
    environment: Mapping[str, str] = _THIS_ONE,
    descriptors: Sequence[int] = (),
) -> dict[str, str]:
    """
    Return what a program inherits if its command has a prefix.

    `setup` is a command that prepares the state and then executes its arguments.
    """
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o777)  # The program may run as another user.
        result, errors = Path(folder) / "inherited", Path(folder) / "errors"
        words = [program("inherited"), str(result), "word", ""]
        shell = ["sh", "-c", f"exec {redirections}; {_CHILD}", "sh", *prefix, *words]
        with (
            (_ROOT / "README.md").open("rb", buffering=0) as source,
            errors.open("wb") as complaints,
        ):
            source.seek(10)
            done = subprocess.run(
                [*setup, *shell],
                stdin=source,
                stdout=subprocess.DEVNULL,
                stderr=complaints,
                timeout=PATIENCE_S,
                check=False,
                env={**os.environ, **environment},
                pass_fds=descriptors,
            )
        if done.returncode != COMPLETE:
            raise AssertionError(f"{prefix}: {done.returncode}: {errors.read_text()}")
        return _read(result.read_text(errors="backslashreplace").replace(folder, "FOLDER"))


def _read(text: str) -> dict[str, str]:
    # Each run on a terminal has a new one, and each session a group of its own for the scheduler.
    text = re.sub(r"(/dev/pts/|/autogroup-)\d+", r"\1N", text)
    pairs = (line.partition("\t") for line in text.splitlines())
    return {
        name: value
        for name, _, value in pairs
        if name not in _OF_THE_RUN | _OF_US and not name.startswith(_OF_MEMORY)
    }
