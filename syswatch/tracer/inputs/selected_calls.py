"""The sums of selected calls of a recording, which another process adds up from the calls."""

import json
import os
import select
import subprocess
import sys
from collections.abc import Generator

from syswatch.machine.environment import given_environment
from syswatch.tracer.stracelog.log_filter import LogFilter

from .input_file import BLOCK, InputError

_MODULE = "syswatch.recording.read.selected"


def selected_blocks(
    folder: str, chosen: LogFilter, timeout_s: float
) -> Generator[tuple[bytes, int]]:
    """Yield a recording of the selected calls in blocks, as `InputFile.blocks` does."""
    selection = {"status": chosen.options.status, "paths": sorted(chosen.paths)}
    return output_of_reader(_MODULE, folder, json.dumps(selection), timeout_s=timeout_s)


def output_of_reader(
    module: str, folder: str, *arguments: str, timeout_s: float
) -> Generator[tuple[bytes, int]]:
    """
    Yield in blocks what a process writes that reads the calls of a recording.

    The packages that read calls are large, and the tracer does without them.
    """
    reading_fd, writing_fd = os.pipe()
    with os.fdopen(reading_fd, "rb", buffering=0) as output:
        try:
            child = subprocess.Popen(
                [sys.executable, "-m", module, folder, *arguments],
                stdin=subprocess.DEVNULL,
                stdout=writing_fd,
                stderr=subprocess.PIPE,
                env=given_environment(),
            )
        finally:
            os.close(writing_fd)
        try:
            while not select.select([output], [], [], timeout_s)[0]:
                yield b"", 0
            while block := output.read(BLOCK):
                yield block, len(block)
        except BaseException:  # Such as the end of the generator: nothing reads its output.
            child.kill()
            child.communicate()
            raise
        _, errors = child.communicate()
    if child.returncode:
        raise InputError(f"{folder}: {_sentence(errors, child.returncode)}")


def _sentence(errors: bytes, status: int) -> str:
    """Return the last line of standard error."""
    lines = errors.decode(errors="replace").strip().splitlines()
    return lines[-1] if lines else f"the process that reads its calls ended with status {status}"
