"""Evidence from the calls of a program as strace prints their registers."""

import re
import subprocess
from collections import Counter

from syswatch.model.evidence import Evidence
from syswatch.model.ruled_arguments import ruled_calls, ruled_values

_MODE = re.compile(r"runs in (\d+) bit mode")
_CALL = re.compile(r"^(?:\[pid +\d+\] |\d+ +)?(\w+)\(([^)]*)")
_RAW = re.compile(r"(?:^|, )(0x[0-9a-f]+|0)")
_ABIS = {"32": "i386", "64": "x86_64"}
_IN_MEMORY = {("i386", "mmap")}
_PARTS = {
    "socket": ("socketcall", 1),
    "socketpair": ("socketcall", 8),
    "setsockopt": ("socketcall", 14),
    "getsockopt": ("socketcall", 15),
    "shmat": ("ipc", 21),
}

# A call on an architecture, and its values.
Seen = tuple[str, str, tuple[int, ...]]


def strace_evidence(*command: str, machine: str) -> Counter[Seen]:
    """Return how often each call was made, with the registers that strace prints."""
    # A log in a file does not tell 32-bit calls from others.
    done = subprocess.run(
        ["strace", "-f", "-e", f"raw={','.join(ruled_calls())}", *command],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        check=False,
        text=True,
    )
    counts: Counter[Seen] = Counter()
    abi = machine
    for line in done.stderr.splitlines():
        if mode := _MODE.search(line):
            abi = _ABIS[mode[1]]
        elif call := _CALL.match(line):
            counts[_seen_in(abi, call[1], call[2])] += 1
    return counts


def _seen_in(abi: str, name: str, arguments: str) -> Seen:
    if abi == "i386" and name in _PARTS:
        # strace shows what is called by way of another call.
        name, number = _PARTS[name]
        return name, abi, (number,)
    is_ruled = name in ruled_calls() and (abi, name) not in _IN_MEMORY
    registers = [int(each, 16) for each in _RAW.findall(arguments)] if is_ruled else []
    return name, abi, ruled_values(name, abi, registers + [0] * (6 - len(registers)))


def seen(evidence: Evidence) -> Counter[Seen]:
    """Return evidence of all programs in the same form."""
    counts: Counter[Seen] = Counter()
    for key, tally in evidence.items():
        counts[key.call, key.architecture, key.values] += tally.count
    return counts
