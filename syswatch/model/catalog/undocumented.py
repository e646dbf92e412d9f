"""The calls that are not documented, of which only the category is known."""

from collections.abc import Mapping
from functools import cache

from syswatch.model.catalog.category import Category
from syswatch.model.catalog.entry import Syscall

# Compatibility calls and names that kernels have dropped are included: a log may be older than the
# tables, or of another machine. OTHER is listed too, so that it is a decision and not a gap.
_NAMES = {
    Category.IO: "epoll_ctl_old epoll_wait_old io_pgetevents io_pgetevents_time64",
    Category.FS: """
        file_getattr file_setattr getxattrat listmount listxattrat lookup_dcookie oldfstat
        oldlstat oldstat open_tree_attr quotactl_fd readdir removexattrat setxattrat statmount
        sysfs
    """,
    Category.NET: "getpmsg putpmsg socketcall",
    Category.MEM: """
        break get_mempolicy map_shadow_stack migrate_pages modify_ldt move_pages mseal
        remap_file_pages set_mempolicy_home_node uselib
    """,
    Category.PROC: """
        get_thread_area ioperm listns lsm_get_self_attr lsm_list_modules lsm_set_self_attr
        rseq_slice_yield set_thread_area vm86 vm86old
    """,
    Category.SIG: """
        sgetmask sigaction signal sigpending sigprocmask sigreturn sigsuspend ssetmask
    """,
    Category.TIME: "clock_adjtime64 ftime stime",
    Category.IPC: "futex_requeue futex_wait futex_wake ipc",
    Category.OTHER: """
        _sysctl afs_syscall bdflush create_module get_kernel_syms gtty idle kexec_file_load
        kexec_load lock mpx nfsservctl oldolduname olduname prof profil query_module security stty
        tuxcall ulimit uprobe uretprobe vhangup vserver
    """,
}

_CAN_WAIT = frozenset(
    ["epoll_wait_old", "futex_wait", "io_pgetevents", "io_pgetevents_time64", "sigsuspend"]
)

# Families that grow with new kernels, for names that are newer than every table.
_PREFIXES = {
    "clock_": Category.TIME,
    "epoll_": Category.IO,
    "fs": Category.FS,
    "futex_": Category.IPC,
    "io_uring_": Category.IO,
    "landlock_": Category.PROC,
    "lsm_": Category.PROC,
    "mq_": Category.IPC,
    "pidfd_": Category.PROC,
    "rt_sig": Category.SIG,
    "sched_": Category.PROC,
    "timer": Category.TIME,
}


@cache
def undocumented() -> Mapping[str, Syscall]:
    """Return the calls of which only the category is known, by name."""
    return {
        name: Syscall(name=name, category=category, can_wait=name in _CAN_WAIT)
        for category, names in _NAMES.items()
        for name in names.split()
    }


def guess(name: str) -> Category:
    """Return the category of a name that no table has, by its family."""
    return next((_PREFIXES[each] for each in _PREFIXES if name.startswith(each)), Category.OTHER)
