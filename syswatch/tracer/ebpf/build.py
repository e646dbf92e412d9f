"""Compiles the program: `python -m syswatch.tracer.ebpf.build [OUTPUT]`."""

import platform
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

CLANG = "clang-14"
STRIP = "llvm-strip-14"
_FOLDER = Path(__file__).with_name("kernel")
_SOURCE = "syswatch.bpf.c"
_FLAGS = (
    "-target",
    "bpf",
    "-mcpu=v3",
    "-std=gnu11",
    "-O2",
    "-g",
    "-Wall",
    "-Werror",
    "-fno-ident",
    "-fdebug-compilation-dir=.",
)


def missing() -> str:
    """Return which tool is not here; nothing if all are."""
    return next((tool for tool in (CLANG, STRIP) if shutil.which(tool) is None), "")


def build(output: Path) -> None:
    """Compile the source beside this file into a stripped object: the same bytes everywhere."""
    with tempfile.TemporaryDirectory() as folder:
        made = Path(folder, output.name)
        includes = f"-I/usr/include/{platform.machine()}-linux-gnu"
        prefix = f"-ffile-prefix-map={_FOLDER}=."
        command = [CLANG, *_FLAGS, includes, prefix, "-c", _SOURCE, "-o", str(made)]
        subprocess.run(command, check=True, cwd=_FOLDER)
        subprocess.run([STRIP, "-g", str(made)], check=True)
        shutil.copyfile(made, output)


if __name__ == "__main__":
    build(Path(sys.argv[1]) if len(sys.argv) > 1 else _FOLDER / "syswatch.bpf.o")
