"""
Lets strace print any call with any memory, without executing it.

strace can inject results, so that the kernel does not execute a call.  A program can therefore make
every call there is, with results that the test chooses, and strace reads the memory that the test
has prepared.
"""

import os
import shutil
import struct
import subprocess
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

import attrs
from twisted.trial.unittest import SkipTest

from syswatch.model.catalog import number_of

ARENA = 0x10000000
ARENA_BYTES = 0x4000
_RECORD = struct.Struct("<9Q")

# A record has the number of a call, six arguments, and the offset and length of its memory.
_PROGRAM = """
#define arena ((unsigned char *)0x10000000UL)
__asm__(".section .arena,\\"aw\\",@nobits\\n.skip 0x4000\\n"
        ".data\\n.balign 8\\nscript: .incbin \\"%s\\"\\nscript_end:\\n.text");
extern unsigned long script[], script_end[];
static long call(unsigned long *a) {
    long result;
    register long r10 __asm__("r10") = a[4];
    register long r8 __asm__("r8") = a[5];
    register long r9 __asm__("r9") = a[6];
    __asm__ volatile("syscall" : "=a"(result)
                     : "a"(a[0]), "D"(a[1]), "S"(a[2]), "d"(a[3]), "r"(r10), "r"(r8), "r"(r9)
                     : "rcx", "r11", "memory");
    return result;
}
void _start(void) {
    for (unsigned long *at = script; at < script_end;) {
        unsigned long *record = at;
        unsigned long count = record[8];
        unsigned char *from = (unsigned char *)(record + 9);
        for (unsigned long i = 0; i < 0x4000; i++) ((volatile unsigned char *)arena)[i] = 0;
        for (unsigned long i = 0; i < count; i++)
            ((volatile unsigned char *)arena)[record[7] + i] = from[i];
        call(record);
        at = (unsigned long *)(from + ((count + 7) & ~7UL));
    }
    unsigned long bye[7] = {231, 0, 0, 0, 0, 0, 0};
    call(bye);
    __builtin_unreachable();
}
"""


@attrs.frozen
class Case:
    """A call, and the content of its memory."""

    name: str
    args: tuple[int, ...]
    memory: bytes = b""
    offset: int = 0

    def record(self) -> bytes:
        """Return the record of the case for the program."""
        number = number_of(self.name, "x86_64")
        assert number is not None, self.name
        args = [value & 0xFFFFFFFFFFFFFFFF for value in (*self.args, *[0] * 6)[:6]]
        head = _RECORD.pack(number, *args, self.offset, len(self.memory))
        return head + self.memory + bytes(-len(self.memory) % 8)


def skip_if_impossible(*tools: str) -> None:
    """Skip a test if it cannot run here: tools are missing, or the architecture differs."""
    for tool in tools or ("strace", "gcc"):
        if shutil.which(tool) is None:
            raise SkipTest(f"{tool} is not installed")
    if os.uname().machine != "x86_64":
        raise SkipTest("the program that makes the calls is written for x86_64")


def strace_lines(
    cases: Sequence[Case], answer: str = "retval=0", options: Iterable[str] = ()
) -> list[str]:
    """Return strace's line for each case, all with the same result: `retval=3`, `error=EPERM`."""
    with tempfile.TemporaryDirectory() as folder:
        script = Path(folder) / "script"
        script.write_bytes(b"".join(case.record() for case in cases))
        program = Path(folder) / "program"
        command = ["gcc", "-nostdlib", "-static", "-fno-stack-protector", "-O1", "-w", "-x", "c"]
        subprocess.run(
            [*command, "-Wl,--section-start=.arena=0x10000000", "-o", program, "-"],
            input=(_PROGRAM % script).encode(),
            check=True,
        )
        log = Path(folder) / "log"
        names = ",".join(sorted({case.name for case in cases}))
        rules = [f"-einject={names}:{answer}:when=1+"]
        subprocess.run(
            ["strace", "-o", log, "-qq", *rules, f"-etrace={names}", *options, program],
            check=True,
        )
        lines = log.read_text().splitlines()
    # The execve that starts the program is not one of the cases.
    return [line for line in lines if not line.startswith(f'execve("{program}"')]


@attrs.frozen
class ArenaMemory:
    """The memory of the program, as a tracer reads it."""

    case: Case
    links: Mapping[str, bytes] = attrs.field(factory=dict)
    protocol: int | None = None

    def link(self, name: str) -> bytes:
        """Return the target of a link, as given by the test."""
        return self.links.get(name, b"")

    def counted(self, address: int) -> int | None:  # noqa: ARG002  as decoding asks for it
        """Return None: nothing is counted."""
        return None

    def netlink(self, _descriptor: int) -> int | None:
        """Return the protocol of all sockets, as given by the test."""
        return self.protocol

    def read(self, address: int, length: int) -> bytes:
        """Return bytes of the arena."""
        offset = address - ARENA
        if not 0 <= offset < ARENA_BYTES:
            return b""
        arena = bytearray(ARENA_BYTES)
        arena[self.case.offset : self.case.offset + len(self.case.memory)] = self.case.memory
        return bytes(arena[offset : offset + length])

    def string(self, address: int, limit: int) -> bytes | None:
        """Return a string."""
        data = self.read(address, limit)
        return data.partition(b"\0")[0] if data else None
