"""Calls that weaken a sandbox, and why."""

from collections.abc import Iterator, Mapping
from typing import Final

from syswatch.base.classes import frozen
from syswatch.model.ruled_arguments import CLONE_NEWTIME, NEW_NAMESPACES, PROT_EXEC, PROT_WRITE

from .profile import Profile, Rule

_CLONE_NEWUSER: Final = 0x1000_0000
_TIOCSTI: Final = 0x5412
_TIOCLINUX: Final = 0x541C
_RING = "its operations are not system calls, so no filter sees them"
_MODULE = "loads code into the kernel"
_MEMORY = "reads or writes the memory of other processes of the user"
_MOUNT = "changes which files are where, which path rules depend on"
_CLOCK = "sets the clock of the machine"
_SWAP = "decides where the memory of all processes is written"
_HANDLE = "opens a file without its path, also outside of a container's root"

_ANY_ARGUMENTS: Final[Mapping[str, str]] = {
    "ptrace": "controls other processes of the user, which may be less confined",
    "process_vm_readv": _MEMORY,
    "process_vm_writev": _MEMORY,
    "process_madvise": _MEMORY,
    "pidfd_getfd": "copies file descriptors from other processes of the user",
    "kcmp": "reveals what other processes share, and addresses of the kernel",
    "bpf": "loads programs into the kernel",
    "perf_event_open": "observes other processes and the kernel, and had many vulnerabilities",
    "userfaultfd": "stops the kernel in the middle of a call, which makes races exploitable",
    "keyctl": "keys are not separated by containers",
    "add_key": "keys are not separated by containers",
    "request_key": "keys are not separated by containers",
    "init_module": _MODULE,
    "finit_module": _MODULE,
    "create_module": _MODULE,
    "delete_module": "removes code from the kernel",
    "kexec_load": "starts another kernel",
    "kexec_file_load": "starts another kernel",
    "reboot": "restarts the machine",
    "mount": _MOUNT,
    "umount": _MOUNT,
    "umount2": _MOUNT,
    "move_mount": _MOUNT,
    "open_tree": _MOUNT,
    "fsopen": _MOUNT,
    "fsconfig": _MOUNT,
    "fsmount": _MOUNT,
    "fspick": _MOUNT,
    "mount_setattr": _MOUNT,
    "pivot_root": _MOUNT,
    "chroot": "a process with the right to call it can leave a directory that it is confined to",
    "io_uring_setup": _RING,
    "io_uring_enter": _RING,
    "io_uring_register": _RING,
    "open_by_handle_at": _HANDLE,
    "iopl": "gives direct access to devices",
    "ioperm": "gives direct access to devices",
    "swapon": _SWAP,
    "swapoff": _SWAP,
    "settimeofday": _CLOCK,
    "clock_settime": _CLOCK,
    "clock_settime64": _CLOCK,
    "stime": _CLOCK,
    "adjtimex": _CLOCK,
    "clock_adjtime": _CLOCK,
    "clock_adjtime64": _CLOCK,
    "acct": "records what all users execute",
    "quotactl": "changes the limits of all users",
    "syslog": "reads messages of the kernel, which reveal addresses",
    "lookup_dcookie": "reveals paths outside of a container",
    "vhangup": "ends the sessions of terminals",
    "modify_ldt": "changes segments; several vulnerabilities of the kernel needed it",
    "vm86": "executes 16-bit code; several vulnerabilities of the kernel needed it",
    "vm86old": "executes 16-bit code; several vulnerabilities of the kernel needed it",
    "uselib": "an obsolete call that had vulnerabilities",
    "_sysctl": "changes settings of the kernel",
    "nfsservctl": "controls the NFS server of the kernel",
    "set_mempolicy_home_node": "affects where other processes find memory",
    "move_pages": "moves memory of other processes of the user",
    "migrate_pages": "moves memory of other processes of the user",
    "clone3": "its flags are in memory, so no filter can refuse new namespaces",
}


@frozen
class _Risk:
    """Arguments that make a call dangerous: any of the bits, or exactly the value of the mask."""

    call: str
    index: int
    mask: int
    value: int | None
    why: str

    def is_permitted(self, profile: Profile) -> bool:
        """Return whether the profile permits such arguments, as far as it depends on them."""
        return any(map(self._is_in, profile.of_call(self.call)))

    def _is_in(self, rule: Rule) -> bool:
        """Return whether a rule permits one of the dangerous values."""
        own = [each for each in rule.conditions if each.index == self.index]
        return rule.action.permits and any(
            all(each.holds(value) for each in own) for value in self._values()
        )

    def _values(self) -> Iterator[int]:
        if self.value is not None:
            yield self.value
        else:
            bits = [1 << bit for bit in range(self.mask.bit_length()) if self.mask >> bit & 1]
            yield from bits
            yield self.mask


_NEW_USER = "a new user namespace gives all capabilities in it, and much code of the kernel"
_NEW_OTHER = "new namespaces give access to code of the kernel that few programs need"
_JIT = "memory that is writable and executable makes attacks simpler"
_OTHER_NAMESPACES = (NEW_NAMESPACES | CLONE_NEWTIME) & ~_CLONE_NEWUSER
_WITH_ARGUMENTS: Final = (
    *(
        _Risk(call, index, _CLONE_NEWUSER, None, _NEW_USER)
        for call, index in (("clone", 0), ("unshare", 0), ("setns", 1))
    ),
    _Risk("clone", 0, NEW_NAMESPACES & ~_CLONE_NEWUSER, None, _NEW_OTHER),
    _Risk("unshare", 0, _OTHER_NAMESPACES, None, _NEW_OTHER),
    _Risk("setns", 1, _OTHER_NAMESPACES, None, "enters other containers"),
    _Risk("ioctl", 1, 0xFFFFFFFF, _TIOCSTI, "TIOCSTI types into the terminal of the caller"),
    _Risk("ioctl", 1, 0xFFFFFFFF, _TIOCLINUX, "TIOCLINUX pastes into the terminal of the caller"),
    *(
        _Risk(call, 2, PROT_WRITE | PROT_EXEC, PROT_WRITE | PROT_EXEC, _JIT)
        for call in ("mmap", "mmap2", "mprotect", "pkey_mprotect")
    ),
    _Risk("personality", 0, 0xFFFFFFFF, 0x0040000, "ADDR_NO_RANDOMIZE makes addresses known"),
    _Risk("personality", 0, 0xFFFFFFFF, 0x0400000, "READ_IMPLIES_EXEC makes memory executable"),
    *(
        _Risk("socket", 0, 0xFFFFFFFF, family, f"{name} sockets reach {what}")
        for family, name, what in (
            (16, "AF_NETLINK", "interfaces of the kernel that had many vulnerabilities"),
            (17, "AF_PACKET", "all packets of the machine"),
            (38, "AF_ALG", "code of the kernel that had vulnerabilities"),
            (40, "AF_VSOCK", "the host of a virtual machine"),
        )
    ),
)


@frozen(order=True)
class Danger:
    """A call that a profile permits although it weakens the sandbox."""

    call: str
    why: str


def dangers(profile: Profile) -> tuple[Danger, ...]:
    """Return what a profile permits that weakens a sandbox, by call."""
    calls = profile.calls
    found = {Danger(call, why) for call, why in _ANY_ARGUMENTS.items() if call in calls}
    found |= {Danger(risk.call, risk.why) for risk in _WITH_ARGUMENTS if risk.is_permitted(profile)}
    return tuple(sorted(found))


def is_dangerous(call: str) -> bool:
    """Return whether a call weakens a sandbox whatever its arguments are."""
    return call in _ANY_ARGUMENTS
