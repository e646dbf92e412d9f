"""The category of the calls that have no entry of their own in the documented tables."""

from functools import cache

from syswatch.model.catalog.category import Category

# Compatibility calls and names that kernels have dropped are here as well: a log may be older, or
# of another machine, than the tables. OTHER is listed too, so that it is a decision and not a gap.
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

# Families that grow with new kernels: a name that is newer than every table is at home in these.
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
def undocumented() -> dict[str, Category]:
    """Return the category of every call that is known by its name only."""
    return {name: category for category, names in _NAMES.items() for name in names.split()}


def guess(name: str) -> Category:
    """Return the category of a name that no table has, by the family that it seems to belong to."""
    for prefix, category in _PREFIXES.items():
        if name.startswith(prefix):
            return category
    return Category.OTHER
