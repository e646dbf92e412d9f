"""The category of the calls that have no entry of their own in the documented tables."""

from functools import cache

from syswatch.model.catalog.category import Category

# Compatibility calls and names that kernels have dropped are here as well: a log may be older, or
# of another machine, than the tables. OTHER is listed too, so that it is a decision and not a gap.
_NAMES = {
    Category.IO: """
        _llseek _newselect epoll_ctl_old epoll_wait_old fadvise64_64 fcntl64 io_pgetevents
        io_pgetevents_time64 ppoll_time64 pselect6_time64 sendfile64
    """,
    Category.FS: """
        chown32 fchown32 file_getattr file_setattr fstat64 fstatat64 fstatfs64
        ftruncate64 getxattrat lchown32 listmount listxattrat lookup_dcookie
        lstat64 oldfstat oldlstat oldstat open_tree_attr quotactl_fd readdir removexattrat
        setxattrat stat64 statfs64 statmount sysfs truncate64 umount utimensat_time64
    """,
    Category.NET: "getpmsg putpmsg recvmmsg_time64 socketcall",
    Category.MEM: """
        break get_mempolicy map_shadow_stack migrate_pages mmap2 modify_ldt move_pages
        mseal remap_file_pages set_mempolicy_home_node uselib
    """,
    Category.PROC: """
        get_thread_area getegid32 geteuid32 getgid32 getgroups32 getresgid32
        getresuid32 getuid32 ioperm listns lsm_get_self_attr
        lsm_list_modules lsm_set_self_attr nice rseq_slice_yield
        sched_rr_get_interval_time64 set_thread_area setfsgid32 setfsuid32
        setgid32 setgroups32 setregid32 setresgid32 setresuid32 setreuid32 setuid32 ugetrlimit vm86
        vm86old waitpid
    """,
    Category.SIG: """
        rt_sigtimedwait_time64 sgetmask sigaction signal sigpending sigprocmask sigreturn sigsuspend
        ssetmask
    """,
    Category.TIME: """
        clock_adjtime64 clock_getres_time64 clock_gettime64 clock_nanosleep_time64 clock_settime64
        ftime stime timer_gettime64 timer_settime64 timerfd_gettime64 timerfd_settime64
    """,
    Category.IPC: """
        futex_requeue futex_time64 futex_wait futex_wake ipc mq_timedreceive_time64
        mq_timedsend_time64 semtimedop_time64
    """,
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
