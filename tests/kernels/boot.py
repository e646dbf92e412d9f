"""
Run a command on another kernel, in an emulated machine.

    python -m tests.kernels.boot KERNEL [-- COMMAND...]

KERNEL is a directory as extracted by `dpkg-deb -x linux-image-*.deb DIRECTORY`: `boot/vmlinuz-*`
beside `lib/modules`.  The machine has the files of this one, read-only below a file system in
memory, so that the command finds the same interpreter and the same checkout and can change neither.
It has no network except its loopback.  Without a command, the tests of both backends run, and those
that compare with strace.  The exit status is that of the command.

Needs QEMU (`qemu-system-x86`), a static BusyBox (`busybox-static`), `cpio` and `depmod` (`kmod`).
The emulation is about twenty times slower than the machine itself; `--kvm` avoids that if
`/dev/kvm` works.
"""

import argparse
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

_TESTS = (
    "tests.tracer.ebpf",
    "tests.tracer.ptrace",
    "tests.system.test_run",
    "tests.system.test_strace",
)
# Modules of Debian's kernel that are needed to mount the files of this machine.
_MODULES = ("virtio_pci", "9pnet_virtio", "9p", "overlay")
_TOOLS = {
    "qemu-system-x86_64": "qemu-system-x86",
    "busybox": "busybox-static",
    "cpio": "cpio",
    "depmod": "kmod",
}
_STATUS = re.compile(r"^exit status of the command: (\d+)\s*$", re.MULTILINE)
_NOT_RUN = 125
_INIT = """\
#!/bin/busybox sh
busybox mkdir -p /proc /host /memory /root
busybox mount -t proc proc /proc
while read -r module; do busybox insmod "/modules/$module"; done < /modules/order
busybox mount -t 9p -o trans=virtio,version=9p2000.L,ro,cache=loose,msize=512000 host /host
busybox mount -t tmpfs memory /memory
busybox mkdir /memory/upper /memory/work
busybox mount -t overlay overlay -o lowerdir=/host,upperdir=/memory/upper,workdir=/memory/work /root
busybox mount -t proc proc /root/proc
busybox mount -t sysfs sys /root/sys
busybox mount -t tracefs trace /root/sys/kernel/tracing
busybox mount -t cgroup2 cgroup /root/sys/fs/cgroup
busybox mount -t devtmpfs dev /root/dev
busybox mkdir -p /root/dev/pts /root/dev/shm
busybox mount -t devpts pts /root/dev/pts
busybox mount -t tmpfs shm /root/dev/shm
busybox mount -t tmpfs run /root/run
busybox ifconfig lo up
busybox cp /command /root/run/command
busybox chroot /root /bin/bash /run/command
echo "exit status of the command: $?"
busybox poweroff -f
"""


def main() -> int:
    """Boot, print the output of the machine, and return the exit status of the command."""
    parser = argparse.ArgumentParser(prog="python -m tests.kernels.boot", description=__doc__)
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument("kernel", type=Path, help="an unpacked package of a kernel")
    parser.add_argument("--memory", default="4G", help="how much the machine has (%(default)s)")
    parser.add_argument("--kvm", action="store_true", help="run at full speed, with /dev/kvm")
    parser.add_argument("command", nargs="*", help="what to run there")
    given = parser.parse_args()
    missing = [package for tool, package in _TOOLS.items() if not shutil.which(tool)]
    if missing:
        parser.error(f"not installed: {', '.join(missing)}")
    images = sorted((given.kernel / "boot").glob("vmlinuz-*"))
    if not images:
        parser.error(f"{given.kernel} has no boot/vmlinuz-*")
    command = given.command or [sys.executable, "-m", "twisted.trial", *_TESTS]
    with tempfile.TemporaryDirectory() as folder:
        archive = _initial_files(Path(folder), given.kernel, command)
        return _status(_boot(images[-1], archive, given.memory, fast=given.kvm))


def _initial_files(folder: Path, kernel: Path, command: Sequence[str]) -> Path:
    """Return the initial RAM file system."""
    files = folder / "files"
    (files / "bin").mkdir(parents=True)
    (files / "modules").mkdir()
    shutil.copy(str(shutil.which("busybox")), files / "bin/busybox")
    order = []
    for module in _in_order(next((kernel / "lib/modules").iterdir())):
        shutil.copy(module, files / "modules")
        order.append(f"{module.name}\n")
    (files / "modules/order").write_text("".join(order))
    (files / "command").write_text(_script(command))
    (files / "init").write_text(_INIT)
    (files / "init").chmod(0o755)
    archive = folder / "initrd"
    names = "".join(f"{path.relative_to(files)}\n" for path in sorted(files.rglob("*")))
    with archive.open("wb") as output:
        subprocess.run(
            ["cpio", "--quiet", "-o", "-H", "newc"],
            cwd=files,
            input=names.encode(),
            stdout=output,
            check=True,
        )
    return archive


def _in_order(modules: Path) -> Iterator[Path]:
    """Yield the needed modules, each after those that it depends on."""
    # Usually generated when the package is installed.
    subprocess.run(["depmod", "-b", str(modules.parents[2]), modules.name], check=True)
    lines = (modules / "modules.dep").read_text().splitlines()
    needs = {Path(path).stem: rest.split() for path, rest in (line.split(":") for line in lines)}
    paths = {Path(path).stem: path for path, _ in (line.split(":") for line in lines)}
    yielded: set[str] = set()
    # A built-in driver has no line.
    for wanted in filter(paths.__contains__, _MODULES):
        for path in (*reversed(needs[wanted]), paths[wanted]):
            if path not in yielded:
                yielded.add(path)
                yield modules / path


def _script(command: Sequence[str]) -> str:
    """Return the command of the machine's shell, with the directory and the PATH of this one."""
    environment = {
        name: os.environ[name] for name in ("PATH", "HOME", "VIRTUAL_ENV") if name in os.environ
    }
    exports = "".join(f"export {name}={shlex.quote(text)}\n" for name, text in environment.items())
    # Trial writes to its working directory.
    return (
        f"exec < /dev/null\n{exports}export PYTHONDONTWRITEBYTECODE=1\nuname -a\n"
        f"cd {shlex.quote(str(Path.cwd()))}\n{shlex.join(command)}\n"
    )


def _boot(image: Path, archive: Path, memory: str, *, fast: bool) -> str:
    """Run the machine until it ends, and return its output."""
    machine = [
        "qemu-system-x86_64",
        *("-accel", "kvm" if fast else "tcg", "-cpu", "host" if fast else "max"),
        *("-smp", "2", "-m", memory, "-nographic", "-no-reboot", "-nic", "none"),
        *("-kernel", str(image), "-initrd", str(archive)),
        *("-append", "console=ttyS0 quiet panic=-1"),
        *("-fsdev", "local,id=host,path=/,security_model=none,readonly=on,multidevs=remap"),
        *("-device", "virtio-9p-pci,fsdev=host,mount_tag=host"),
    ]
    printed = []
    with subprocess.Popen(
        machine, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True, errors="replace"
    ) as running:
        assert running.stdout is not None
        for line in running.stdout:
            sys.stdout.write(line)
            sys.stdout.flush()
            printed.append(line)
    return "".join(printed)


def _status(printed: str) -> int:
    found = _STATUS.search(printed)
    if found is None:
        sys.stderr.write("The machine ended before the command did.\n")
        return _NOT_RUN
    return int(found[1])


if __name__ == "__main__":
    sys.exit(main())
