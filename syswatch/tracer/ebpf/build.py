"""Compile the program in the kernel: `python -m syswatch.tracer.ebpf.build [OUTPUT]`."""

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
    # A table would be stored beside the settings.
    "-fno-jump-tables",
    "-fno-ident",
    "-fdebug-compilation-dir=.",
)


def missing() -> str:
    """Return the name of a missing tool; empty if there is none."""
    return next((tool for tool in (CLANG, STRIP) if shutil.which(tool) is None), "")


def build(output: Path) -> None:
    """Compile the source into a stripped object with the same bytes on every machine."""
    with tempfile.TemporaryDirectory() as folder:
        compiled = Path(folder, output.name)
        includes = f"-I/usr/include/{platform.machine()}-linux-gnu"
        prefix = f"-ffile-prefix-map={_FOLDER}=."
        command = [CLANG, *_FLAGS, includes, prefix, "-c", _SOURCE, "-o", str(compiled)]
        subprocess.run(command, check=True, cwd=_FOLDER)
        subprocess.run([STRIP, "-g", str(compiled)], check=True)
        shutil.copyfile(compiled, output)


if __name__ == "__main__":
    build(Path(sys.argv[1]) if len(sys.argv) > 1 else _FOLDER / "syswatch.bpf.o")
