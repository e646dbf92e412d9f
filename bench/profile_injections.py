"""Calls that no program makes that bench/profiles.py runs, made before a program starts."""

import errno
import platform
import subprocess
from collections.abc import Mapping
from pathlib import Path

import attrs

from syswatch.model.ruled_arguments import ruled_values
from syswatch.profiles.architectures import ARCHITECTURES
from syswatch.profiles.conditions import ALL_BITS
from syswatch.profiles.phrases import of_values

NATIVE = ARCHITECTURES[platform.machine()]
INJECTOR, RESULTS = "inject", "injected"
_ARGUMENTS = 6
_SOURCE = """
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>
static const unsigned long calls[][7] = {%s};
int main(int count, char **words) {
    char text[4096];
    int length = 0;
    for (int i = 0; i < %d; i++) {
        const unsigned long *c = calls[i];
        long result = syscall(c[0], c[1], c[2], c[3], c[4], c[5], c[6]);
        length += sprintf(text + length, "%%d ", result < 0 ? errno : 0);
    }
    int file = open("%s", O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
    if (file < 0 || write(file, text, length) != length || close(file)) return 100;
    execvp(words[1], words + 1);
    return 101;
}
"""


@attrs.frozen
class Injection:
    """A call with arguments for which it does nothing where it is permitted."""

    call: str
    arguments: tuple[int, ...] = ()

    @property
    def number(self) -> int:
        """The number of the call on this machine."""
        return NATIVE.numbers[self.call]

    @property
    def registers(self) -> tuple[int, ...]:
        """All six arguments, as the kernel sees them."""
        filled = (*self.arguments, *(0,) * (_ARGUMENTS - len(self.arguments)))
        return tuple(each & ALL_BITS for each in filled)

    @property
    def values(self) -> tuple[int, ...]:
        """The values of the arguments that rules can depend on."""
        return ruled_values(self.call, NATIVE.name, self.registers)

    @property
    def sentence(self) -> str:
        """How a check begins that names the call."""
        arguments = of_values(self.call, NATIVE.name, self.values)
        return f"{self.call}{f' with {arguments}' if arguments else ''}, made once by"


# With these arguments, each fails with another error than EPERM, or does nothing.
INJECTIONS = (
    Injection("ptrace", (2,)),  # PTRACE_PEEKDATA of no process
    Injection("process_vm_readv"),
    Injection("process_vm_writev"),
    Injection("pidfd_getfd", (-1,)),
    Injection("mount"),
    Injection("umount2", (0, -1)),
    Injection("chroot"),
    Injection("unshare", (0x1000_0001,)),  # CLONE_NEWUSER with a flag that it does not have
    Injection("setns", (-1, 0x4000_0000)),  # CLONE_NEWNET
    Injection("clone", (0x1000_0200,)),  # CLONE_NEWUSER cannot be combined with CLONE_FS
    Injection("keyctl", (0x7FFF,)),
    Injection("add_key"),
    Injection("bpf", (0x7FFF,)),
    Injection("perf_event_open"),
    Injection("userfaultfd", (-1,)),
    Injection("io_uring_setup"),
    Injection("personality", (0x004_0000,)),  # ADDR_NO_RANDOMIZE
    Injection("socket", (38, 0x7FF)),  # AF_ALG with a type that does not exist
    Injection("ioctl", (-1, 0x5412)),  # TIOCSTI
    Injection("mprotect", (0, 0, 6)),  # PROT_WRITE | PROT_EXEC of no memory
)


def build(folder: Path) -> None:
    """Compile the program that makes the calls, writes down the errors, and starts another."""
    rows = (", ".join(f"{one}UL" for one in (each.number, *each.registers)) for each in INJECTIONS)
    table = ", ".join(f"{{{row}}}" for row in rows)
    (folder / "inject.c").write_text(_SOURCE % (table, len(INJECTIONS), RESULTS))
    compiling = ("gcc", "-O1", "-o", INJECTOR, "inject.c")
    subprocess.run(compiling, cwd=folder, check=True)


def results(folder: Path) -> Mapping[Injection, str]:
    """Return the error of each call, by its name; empty if it succeeded."""
    numbers = map(int, (folder / RESULTS).read_text().split())
    names = (errno.errorcode[number] if number else "" for number in numbers)
    return dict(zip(INJECTIONS, names, strict=True))
