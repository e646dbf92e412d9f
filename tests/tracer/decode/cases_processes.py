"""Calls about processes, signals, time and the machine."""

import struct

from .injected_calls import Case
from .memory_images import NONE, NOWHERE, A, B, C, qwords

CLONE_THREAD = 0x3D0F00
INFO_CHILD = struct.pack("<iiiiiIi4xqq", 17, 0, 1, 0, 100, 5, 7, 1, 2).ljust(128, b"\0")
INFO_KILLED = struct.pack("<iiiiiIi4xqq", 17, 0, 2, 0, 100, 5, 9, 0, 0).ljust(128, b"\0")
INFO_USER = struct.pack("<iiiiiI", 10, 0, 0, 0, 100, 5).ljust(128, b"\0")
INFO_QUEUE = struct.pack("<iiiiiIQ", 10, 0, -1, 0, 100, 5, 77).ljust(128, b"\0")
INFO_FAULT = struct.pack("<iiiiQ", 11, 0, 1, 0, 0x1234).ljust(128, b"\0")

CASES = (
    *(
        Case("wait4", (-1, A, 0, B), struct.pack("<I", status))
        for status in (0, 0x100, 0xFF00, 9, 0x8B, 0x137F, 0xFFFF, 0x57F, 0x1057F, 0x857F)
    ),
    Case("wait4", (-1, 0, 1, 0)),
    Case("wait4", (-1, NOWHERE, 0, 0)),
    Case("waitid", (1, 5, A, 4, 0), INFO_CHILD),
    Case("waitid", (0, 0, A, 4, 0), bytes(128)),
    Case("clone", (0x1200011, 0, 0, A, 0)),
    Case("clone", (CLONE_THREAD, 0x100, A, B, 0x77), b"\x05"),
    Case("clone3", (A, 88), qwords(CLONE_THREAD, 0, A + 64, A + 68, 0, 4096, 8192, 9, 0, 0, 0)),
    Case("clone3", (A, 64), qwords(0x4100, 0, 0, 0, 17, 0, 0, 0)),
    Case("exit_group", (0,)),
    Case("kill", (-1, 15)),
    Case("kill", (5, 40)),
    Case("tgkill", (1, 2, 0)),
    Case("getpid", ()),
    Case("setpgid", (0, 5)),
    Case("set_tid_address", (A,)),
    Case("set_robust_list", (A, 24)),
    Case("rseq", (A, 32, 0, 0x53053053)),
    Case("getgroups", (3, A), struct.pack("<3I", 1, 2, 3)),
    Case("setgroups", (3, A), struct.pack("<3I", 1, 2, 3)),
    Case("getresuid", (A, B, C)),
    Case("setresuid", (-1, 0, 5)),
    Case("prctl", (15, A), b"worker"),
    Case("prctl", (1, 9, 0, 0, 0)),
    Case("prctl", (38, 1, 0, 0, 0)),
    Case("prctl", (4, 1, 0, 0, 0)),
    Case("prctl", (3, 0, 0, 0, 0)),
    Case("prctl", (23, 5, 0, 0, 0)),
    Case("prctl", (0x53564D41, 0, A, 4096, B)),
    Case("arch_prctl", (0x1002, A)),
    Case("arch_prctl", (0x1003, A), qwords(5)),
    Case("arch_prctl", (0x3001, A)),
    Case("prlimit64", (0, 7, A, B), qwords(1024, NONE)),
    Case("getrlimit", (3, A), qwords(8192 * 1024, NONE)),
    Case("getrusage", (0, A), bytes(range(144))),
    Case("getpriority", (0, 0)),
    Case("setpriority", (0, 0, -5)),
    Case("sched_setaffinity", (0, 8, A), b"\x0b"),
    Case("sched_getaffinity", (0, 8, A), b"\x0b"),
    Case("sched_setscheduler", (0, 1, A), b"\x03"),
    Case("sched_yield", ()),
    Case("uname", (A,), b"Linux".ljust(65, b"\0") + b"host"),
    Case("sysinfo", (A,), bytes(range(112))),
    Case("getrandom", (A, 8, 1), b"ab\x00\xff"),
    Case("rt_sigaction", (2, A, B, 8), qwords(0, 0x14000000, 0x1234, 3)),
    Case("rt_sigaction", (17, A, 0, 8), qwords(0x5555, 0xC0000004, 0, 0)),
    Case("rt_sigaction", (17, 0, A, 8), qwords(1, 0, 0, NONE)),
    Case("rt_sigprocmask", (0, A, B, 8), b"\xff" * 8),
    Case("rt_sigprocmask", (2, A, 0, 8), qwords(0x7FFFFFFF00000000)),
    Case("rt_sigprocmask", (1, 0, A, 8), qwords(NONE & ~1)),
    Case("rt_sigsuspend", (A, 8), qwords(0x4002)),
    Case("rt_sigpending", (A, 8), qwords(5)),
    Case("rt_sigtimedwait", (A, B, C, 8), qwords(0x200)),
    Case("rt_sigqueueinfo", (5, 10, A), INFO_USER),
    Case("rt_sigqueueinfo", (5, 10, A), INFO_QUEUE),
    Case("rt_sigqueueinfo", (5, 10, A), INFO_FAULT),
    Case("rt_sigqueueinfo", (5, 10, A), INFO_KILLED),
    Case("sigaltstack", (A, B), struct.pack("<QiiQ", 0x1234, 2, 0, 8192)),
    Case("signalfd4", (-1, A, 8, 0x80000), qwords(5)),
    Case("nanosleep", (A, B), qwords(1, 5)),
    Case("clock_nanosleep", (0, 1, A, B), qwords(1700000000, 5)),
    Case("clock_gettime", (1, A), qwords(1700000000, 5)),
    Case("gettimeofday", (A, 0), qwords(1700000000, 5)),
    Case("time", (A,), qwords(1700000000)),
    Case("setitimer", (0, A, B), qwords(1, 2, 3, 4)),
    Case("timerfd_create", (1, 0x80800)),
    Case("timerfd_settime", (3, 1, A, B), qwords(1, 2, 3, 4)),
    Case("futex", (A, 0x189, 1, B, C, -1)),
    Case("futex", (A, 0x80, 1, B, C, 5)),
    Case("futex", (A, 0x81, 1, B, C, 5)),
    *(Case("futex", (A, operation, 1, 7, C, 0x1234567)) for operation in (3, 4, 5, 7, 10, 12)),
    *(Case("futex", (A, operation, 1, A, C, 5)) for operation in (6, 11, 13, 15)),
    Case("shmget", (0, 5, 0o1600)),
    Case("semget", (5, 1, 0o600)),
    Case("shmctl", (1, 0, A)),
    Case("memfd_create", (A, 1), b"name"),
    Case("membarrier", (8, 0, 0)),
    Case("unshare", (0x20000400,)),
    Case("ptrace", (16, 5, 6, 7)),
)
