"""
A program that makes a given number of system calls a second, of many kinds.

    python bench/busy.py CALLS_A_SECOND
"""

import contextlib
import fcntl
import os
import resource
import select
import signal
import sys
import time

_STEPS_A_SECOND = 50
_NULL = os.open("/dev/null", os.O_RDWR)
_GONE = "/nonexistent/file"
# Nearly all of them are one system call; those on _GONE fail.
_CALLS = (
    os.getpid,
    os.getppid,
    os.getuid,
    os.geteuid,
    os.getgid,
    os.getegid,
    os.getgroups,
    os.getresuid,
    os.getresgid,
    os.getcwd,
    os.times,
    os.uname,
    os.sched_yield,
    lambda: os.getpgid(0),
    lambda: os.getsid(0),
    lambda: os.getpriority(os.PRIO_PROCESS, 0),
    lambda: os.umask(0o22),
    lambda: os.sched_getscheduler(0),
    lambda: os.sched_getparam(0),
    lambda: os.sched_getaffinity(0),
    lambda: os.getrandom(1),
    lambda: os.kill(os.getpid(), 0),
    lambda: os.read(_NULL, 1),
    lambda: os.write(_NULL, b"x"),
    lambda: os.pread(_NULL, 1, 0),
    lambda: os.pwrite(_NULL, b"x", 0),
    lambda: os.lseek(_NULL, 0, os.SEEK_CUR),
    lambda: os.fstat(_NULL),
    lambda: os.stat("/"),
    lambda: os.statvfs("/"),
    lambda: os.access("/", os.R_OK),
    lambda: os.close(os.dup(_NULL)),
    lambda: os.close(os.open("/dev/null", os.O_RDONLY)),
    lambda: fcntl.fcntl(_NULL, fcntl.F_GETFD),
    lambda: os.isatty(_NULL),
    lambda: os.readlink(_GONE),
    lambda: os.mkdir(_GONE),
    lambda: os.rmdir(_GONE),
    lambda: os.unlink(_GONE),
    lambda: os.rename(_GONE, _GONE),
    lambda: os.link(_GONE, _GONE),
    lambda: os.symlink(_GONE, _GONE),
    lambda: os.chmod(_GONE, 0),
    lambda: os.chown(_GONE, 0, 0),
    lambda: os.truncate(_GONE, 0),
    lambda: os.open(_GONE, os.O_RDONLY),
    lambda: resource.getrusage(resource.RUSAGE_SELF),
    lambda: resource.getrlimit(resource.RLIMIT_NOFILE),
    lambda: signal.pthread_sigmask(signal.SIG_BLOCK, ()),
    lambda: signal.sigpending(),  # noqa: PLW0108  as all of them
    lambda: signal.getitimer(signal.ITIMER_VIRTUAL),
    lambda: select.select((), (), (), 0),
)


def main() -> None:
    """Make calls until it is killed."""
    step = int(sys.argv[1]) // _STEPS_A_SECOND
    due = time.monotonic()
    made = 0
    while True:
        while made < step:
            for call in _CALLS:
                with contextlib.suppress(OSError):
                    call()
            made += len(_CALLS) + 3
        made -= step
        due = max(due + 1 / _STEPS_A_SECOND, time.monotonic() - 1)
        time.sleep(max(0.0, due - time.monotonic()))


if __name__ == "__main__":
    main()
