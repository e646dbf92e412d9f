"""Architectures as kernels, container runtimes and systemd name them, with their call numbers."""

import importlib
import platform
from collections.abc import Iterable, Mapping
from contextlib import suppress
from functools import cache
from types import MappingProxyType
from typing import Final

import attrs

from syswatch.base.classes import frozen
from syswatch.model.catalog import names

# Bits of AUDIT_ARCH_*, from linux/audit.h.
_64BIT: Final = 0x80000000
_LITTLE: Final = 0x40000000
_N32: Final = 0x20000000
# As traces show a call that no table has: `syscall_0x3e7`.
_UNNAMED: Final = "syscall_"
# A filter sees so many bits.
_MOST_NUMBER: Final = 0xFFFF_FFFF


@frozen(order=True)
class Architecture:
    """
    One architecture, named as `uname -m` does.

    `oci` is its name in the runtime-spec after `SCMP_ARCH_`, `systemd` its name in units, and
    `audit` the number that a filter sees.
    """

    name: str
    oci: str = attrs.field(order=False)
    systemd: str = attrs.field(order=False)
    audit: int = attrs.field(order=False)
    table: str = attrs.field(order=False)
    # Architectures whose programs the same kernel usually executes, too.
    subs: tuple[str, ...] = attrs.field(default=(), order=False)

    def number_of(self, call: str) -> int | None:
        """Return the number of a call, also if it is named by that; None if it has none here."""
        number = self.numbers.get(call)
        if number is not None or not is_unnamed(call):
            return number
        with suppress(ValueError):
            number = int(call.removeprefix(_UNNAMED), 0) | (X32_BIT if self.name == "x32" else 0)
        is_other = number is None or number > _MOST_NUMBER or number in self.numbers.values()
        return None if is_other else number

    @property
    def is_main(self) -> bool:
        """Whether kernels are built for it, and it is not only one more that they execute."""
        return self.name not in _SUBS

    @property
    def numbers(self) -> Mapping[str, int]:
        """The numbers of all calls."""
        return _numbers(self.name, self.table)


_ALL: Final = (
    Architecture("x86_64", "X86_64", "x86-64", 62 | _64BIT | _LITTLE, "x86_64", ("i386", "x32")),
    Architecture("i386", "X86", "x86", 3 | _LITTLE, "i386"),
    Architecture("x32", "X32", "x32", 62 | _64BIT | _LITTLE, "x32"),
    Architecture("aarch64", "AARCH64", "arm64", 183 | _64BIT | _LITTLE, "arm64", ("arm",)),
    Architecture("arm", "ARM", "arm", 40 | _LITTLE, "arm"),
    Architecture("mips", "MIPS", "mips", 8, "mipso32"),
    Architecture("mips64", "MIPS64", "mips64", 8 | _64BIT, "mips64", ("mips", "mips64n32")),
    Architecture("mips64n32", "MIPS64N32", "mips64-n32", 8 | _64BIT | _N32, "mips64n32"),
    Architecture("mipsel", "MIPSEL", "mips-le", 8 | _LITTLE, "mipso32"),
    Architecture(
        "mipsel64",
        "MIPSEL64",
        "mips64-le",
        8 | _64BIT | _LITTLE,
        "mips64",
        ("mipsel", "mipsel64n32"),
    ),
    Architecture(
        "mipsel64n32", "MIPSEL64N32", "mips64-le-n32", 8 | _64BIT | _LITTLE | _N32, "mips64n32"
    ),
    Architecture("ppc", "PPC", "ppc", 20, "powerpc"),
    Architecture("ppc64", "PPC64", "ppc64", 21 | _64BIT, "powerpc64"),
    Architecture("ppc64le", "PPC64LE", "ppc64-le", 21 | _64BIT | _LITTLE, "powerpc64"),
    Architecture("s390", "S390", "s390", 22, "s390"),
    Architecture("s390x", "S390X", "s390x", 22 | _64BIT, "s390x", ("s390",)),
    Architecture("parisc", "PARISC", "parisc", 15, "parisc"),
    Architecture("parisc64", "PARISC64", "parisc64", 15 | _64BIT, "parisc64", ("parisc",)),
    Architecture("riscv64", "RISCV64", "riscv64", 243 | _64BIT | _LITTLE, "riscv64"),
    Architecture(
        "loongarch64", "LOONGARCH64", "loongarch64", 258 | _64BIT | _LITTLE, "loongarch64"
    ),
)
ARCHITECTURES: Final[Mapping[str, Architecture]] = MappingProxyType(
    {each.name: each for each in _ALL}
)
OF_OCI: Final[Mapping[str, Architecture]] = MappingProxyType({each.oci: each for each in _ALL})
OF_SYSTEMD: Final[Mapping[str, Architecture]] = MappingProxyType(
    {each.systemd: each for each in _ALL}
)
_SUBS: Final = frozenset(sub for each in _ALL for sub in each.subs)
# Calls of x32 have the audit number of x86_64, and this bit in their own.
X32_BIT: Final = 0x40000000
X32: Final = ARCHITECTURES["x32"]


def is_unnamed(call: str) -> bool:
    """Return whether the name of a call is made of its number, or says only that it is another."""
    return call.startswith(_UNNAMED)


def native() -> str | None:
    """Return the architecture of this machine, or None if profiles can't be made for it."""
    machine = platform.machine()
    return machine if machine in ARCHITECTURES else None


def with_subs(name: str) -> tuple[Architecture, ...]:
    """Return an architecture, and those whose programs its kernels usually execute, too."""
    main = ARCHITECTURES[name]
    return (main, *(ARCHITECTURES[sub] for sub in main.subs))


def known_calls(architectures: Iterable[Architecture]) -> frozenset[str]:
    """Return the calls that any of the architectures has."""
    return frozenset[str]().union(*(each.numbers for each in architectures))


@cache
def all_calls() -> frozenset[str]:
    """Return the calls that any architecture has."""
    return known_calls(_ALL)


@cache
def _numbers(name: str, table: str) -> Mapping[str, int]:
    try:
        # What can be traced has calls in the catalog that kernels have removed.
        return MappingProxyType({call: number for number, call in names(name).items()})
    except KeyError:
        module = importlib.import_module(f"system_calls.tables.{table}")
        numbers: dict[str, int] = getattr(module, f"syscalls_{table}")
        return MappingProxyType(numbers)
