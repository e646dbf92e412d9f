"""Groups of system calls that wait for the same reason."""


def _names(text: str) -> frozenset[str]:
    return frozenset(text.split())


POLLS = _names(
    """
    _newselect epoll_pwait epoll_pwait2 epoll_wait epoll_wait_old poll ppoll ppoll_time64 pselect6
    pselect6_time64 select
    """
)
ACCEPTS = _names("accept accept4")
READS = _names(
    """
    getdents getdents64 pread64 preadv preadv2 read readv recv recvfrom recvmmsg recvmmsg_time64
    recvmsg
    """
)
WRITES = _names("pwrite64 pwritev pwritev2 send sendmmsg sendmsg sendto write writev")
SIGNAL_WAITS = _names("pause rt_sigsuspend rt_sigtimedwait rt_sigtimedwait_time64 sigsuspend")
FUTEX_WAITS = _names("futex futex_wait futex_waitv")
# The purpose of these is not to wait, but the disk or the peer makes them.
SLOW_WORK = _names(
    "connect fdatasync fsync msync sendmmsg sendmsg sendto sync sync_file_range syncfs"
)
