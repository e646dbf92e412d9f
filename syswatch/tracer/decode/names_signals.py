"""Names of signals and of what is done with them."""

from syswatch.model.catalog import ArgumentKind as Kind
from syswatch.model.symbols import enumeration, flags, table

from .numbers import signed_32, unsigned_32
from .traced_call import Printers

_NAMES = tuple(
    table(
        """
        HUP INT QUIT ILL TRAP ABRT BUS FPE KILL USR1 SEGV USR2 PIPE ALRM TERM STKFLT CHLD CONT
        STOP TSTP TTIN TTOU URG XCPU XFSZ VTALRM PROF WINCH IO PWR SYS RTMIN
        """
    )
)
_SIGRTMIN = 32
_SIGRTMAX = 64


def short_name(number: int) -> str | None:
    """Return the name of a signal without SIG, as it is printed in a set."""
    if 1 <= number <= _SIGRTMIN:
        return _NAMES[number - 1]
    if _SIGRTMIN < number <= _SIGRTMAX:
        return f"RT_{number - _SIGRTMIN}"
    return None


def signal_name(value: int) -> str:
    """Return the name of a signal, or the number if it has none."""
    value = unsigned_32(value)
    name = short_name(value)
    if name is not None:
        return f"SIG{name}"
    return str(signed_32(value))


def signal_number(name: str) -> int:
    """Return the number of a signal that is named without SIG."""
    return _NAMES.index(name) + 1


SIGACTION_FLAGS = flags(
    "SA_???",
    """
    SA_RESTORER=0x4000000 SA_ONSTACK=0x8000000 SA_RESTART=0x10000000 SA_INTERRUPT=0x20000000
    SA_NODEFER=0x40000000 SA_RESETHAND=0x80000000 SA_SIGINFO=4 SA_NOCLDSTOP=1 SA_NOCLDWAIT=2
    """,
)
ALTSTACK_FLAGS = flags("SS_???", "SS_ONSTACK=1 SS_DISABLE=2 SS_AUTODISARM=0x80000000")


PRINTERS = Printers(
    numbers={
        Kind.SIGNAL: signal_name,
        Kind.SIG_HOW: enumeration("SIG_???", "SIG_BLOCK SIG_UNBLOCK SIG_SETMASK"),
        Kind.SIGNALFD_FLAGS: flags("SFD_???", "SFD_CLOEXEC=0x80000 SFD_NONBLOCK=0x800"),
    },
)
