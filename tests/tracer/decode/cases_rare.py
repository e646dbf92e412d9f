"""Calls that few programs use."""

import struct

from .injected_calls import Case
from .memory_images import A, B, C, laid_out, qwords

_TIMEX = struct.pack(
    "<I4x4qi4x3q2q3qi4x5qi",
    0x4003,
    *(1, 2, 3, 4),
    0x2041,
    *(5, 6, 7, 1700000000, 8, 10000, 9, 10),
    11,
    *(12, 13, 14, 15, 16, 37),
)
_CAPABILITIES = struct.pack("<6I", 3, 0xFFFFFFFF, 0, 1, 0x1FF, 0)
_REGISTERS = {0: qwords(B, 16), 0x100: qwords(*range(1, 60))}
_KEYS = {0: b"user", 0x100: b"name", 0x200: b"data"}
# Operations that only strace decodes.
_DEEPER_KEYS = frozenset({20, 23, 31})
# Requests that only strace decodes: floating-point registers, pending signals, filters.
_DEEPER_REQUESTS = frozenset({14, 15, 0x4209, 0x420D, 0x420E})
_REQUESTS = (*range(34), *range(0x4200, 0x4212))


def _event(how: int, thread: int = 0) -> bytes:
    return struct.pack("<Qiii", 0x1234, 10, how, thread).ljust(64, b"\0")


def _header(version: int) -> bytes:
    return struct.pack("<Ii", version, 5)


def _counter(*numbers: int) -> bytes:
    return struct.pack("<IIQQQQQ", *numbers).ljust(136, b"\0")


def _attributes(*numbers: int) -> bytes:
    return struct.pack("<IIQiIQQQII", *numbers)


TIME = (
    Case("times", (A,), qwords(5, 100, 0, 250)),
    Case("times", (0,)),
    Case("adjtimex", (A,), _TIMEX),
    Case("clock_adjtime", (0, A), _TIMEX),
    Case("clock_adjtime", (0, 0)),
    *(
        Case("timer_create", (1, A, B), laid_out({0: _event(how, 55), 0x100: b"\x07"}))
        for how in (0, 1, 4)
    ),
    Case("timer_create", (1, A, B), laid_out({0: _event(2), 0x100: b"\x07"})),
    Case("timer_create", (1, 0, B), laid_out({0x100: b"\x07"})),
    Case("utime", (A, B), laid_out({0: b"/x", 0x100: qwords(1700000000, 0)})),
)
PROCESSES = (
    *(
        Case(name, (A, B), laid_out({0: _header(version), 0x100: _CAPABILITIES}))
        for name in ("capget", "capset")
        for version in (0x19980330, 0x20071026, 0x20080522, 5)
    ),
    Case("capget", (A, 0), _header(0x20080522)),
    *(Case("kcmp", (1, 2, kind, 3, A), struct.pack("<3I", 5, 6, 7)) for kind in range(9)),
    *(
        Case("ptrace", (request, 5, A, B), laid_out(_REGISTERS))
        for request in _REQUESTS
        if request not in _DEEPER_REQUESTS
    ),
    *(Case("ptrace", (0x4200, 5, 0, bits)) for bits in (1, 0x7F, 0x100000, 0x1000FF)),
    *(Case("ptrace", (request, 5, 1, A), laid_out(_REGISTERS)) for request in (0x4204, 0x4205)),
    Case("ptrace", (7, 5, 0, 9)),
    Case("sched_getscheduler", (0,)),
    Case("sched_setattr", (0, A, 0), _attributes(56, 6, 1, 5, 0, 10, 20, 30, 1, 2)),
    Case("sched_setattr", (0, A, 0), _attributes(48, 0, 0, 5, 0, 10, 20, 30, 0, 0)),
    Case("sched_getattr", (0, A, 56, 0), _attributes(56, 1, 1, 5, 3, 10, 20, 30, 4, 5)),
    Case("sched_getattr", (0, A, 48, 0), _attributes(48, 1, 1, 5, 3, 10, 20, 30, 0, 0)),
    Case("seccomp", (0, 0, 0)),
    Case("seccomp", (1, 2, A), qwords(3, B)),
    Case("seccomp", (2, 0, A), struct.pack("<I", 0x7FFF0000)),
    Case("seccomp", (3, 0, A), struct.pack("<3H", 80, 24, 64)),
    Case("prctl", (22, 1, A, B, 0), qwords(3, B)),
    Case("prctl", (22, 2, A, B, 0), qwords(3, B)),
    Case("landlock_create_ruleset", (A, 8, 0), qwords(13)),
    Case("landlock_create_ruleset", (A, 16, 0), qwords(0x1FFF, 5)),
    Case("landlock_create_ruleset", (0, 0, 1)),
    Case("landlock_add_rule", (3, 1, A, 0), struct.pack("<Qi", 5, 4)),
)
MEETING = (
    Case("msgsnd", (1, A, 5, 0x800), qwords(7) + b"hello"),
    Case("msgrcv", (1, A, 5, -3, 0x1000), qwords(7) + b"hello"),
    Case("semop", (1, A, 2), struct.pack("<HhhHhh", 0, -1, 0x1000, 1, 2, 0x1800)),
    Case(
        "semtimedop",
        (1, A, 1, B),
        laid_out({0: struct.pack("<Hhh", 0, -1, 0x800), 0x100: qwords(1, 5)}),
    ),
    Case("mq_open", (A, 0x42, 0o600, B), laid_out({0: b"name", 0x100: qwords(0, 10, 100, 0)})),
    Case(
        "mq_getsetattr",
        (3, A, B),
        laid_out({0: qwords(0x800, 10, 100, 0), 0x100: qwords(0, 10, 100, 2)}),
    ),
    Case("mq_notify", (3, A), _event(0)),
    Case(
        "futex_waitv",
        (A, 2, 0, B, 1),
        laid_out({0: struct.pack("<QQIIQQII", 5, A, 0x82, 0, 6, B, 2, 0), 0x100: qwords(1, 5)}),
    ),
    *(
        Case("keyctl", (operation, *rest), memory)
        for operation in range(34)
        if operation not in _DEEPER_KEYS
        for rest, memory in (((0x1234, A, 5, 6), b"text"), ((-3, A, B, C), laid_out(_KEYS)))
        if operation != 24 or rest[0] > 0
    ),
    *(Case("syslog", (action, A, 4), b"text") for action in range(12)),
)
_PARAMETERS = (
    (8, 16, 2, 1, 5, 3, 3, *range(23)),
    (8, 16, 0x26, 1, 5, 31, 3, *[0] * 23),
)
FILES = (
    *(Case("io_uring_setup", (8, A), struct.pack("<30I", *numbers)) for numbers in _PARAMETERS),
    Case("io_uring_register", (3, 0, A, 1), qwords(B, 16)),
    Case("io_uring_register", (3, 2, A, 2), struct.pack("<2i", 4, 5)),
    Case("io_uring_register", (3, 4, A, 1), struct.pack("<2i", 4, 5)),
    Case("io_uring_enter", (3, 1, 1, 1, A, 8), qwords(5)),
    Case("perf_event_open", (A, 0, -1, -1, 8), _counter(1, 112, 1, 4000, 0x107, 3, 0x61)),
    Case("perf_event_open", (A, -1, 0, 4, 0), _counter(2, 128, 291, 1, 0x407, 0, 0x2020)),
    Case("perf_event_open", (A, -1, 0, 4, 0), _counter(0, 64, 3, 99, 0, 0, 0x8400)),
    Case("perf_event_open", (A, -1, 0, 4, 0), _counter(3, 64, 0x10102, 0, 0, 0, 0)),
    Case("perf_event_open", (A, -1, 0, 4, 0), _counter(4, 65, 0x1CD, 0, 0, 0, 0)),
    Case("mincore", (0, 16384, A), b"\1\0\1\1"),
    Case("mincore", (0, 4096 * 50, A), b"\1" * 50),
    Case("flistxattr", (3, A, 0)),
    Case("flistxattr", (3, A, 10), b"user.a\0bcdef"),
    Case("listxattr", (A, B, 0), b"/x"),
    *(
        Case("fsconfig", (3, command, A, B, 5), laid_out({0: b"key", 0x100: b"value"}))
        for command in range(9)
    ),
    *(
        Case("mount_setattr", (3, A, 0x1000, B, 32), laid_out({0x100: qwords(*numbers)}))
        for numbers in ((1, 2, 0x40000, 5), (0x300000, 0, 0, 0))
    ),
    Case(
        "name_to_handle_at",
        (-100, A, B, C, 0x1000),
        laid_out({0: b"/x", 0x100: struct.pack("<Ii8s", 8, 1, b"abcdefgh"), 0x200: b"\x1c"}),
    ),
    Case("open_by_handle_at", (3, A, 0x80000), struct.pack("<Ii8s", 8, 1, b"abcdefgh")),
)
_NAMED = b"eth0".ljust(16, b"\0")
_INTERFACE = _NAMED + struct.pack("<H", 2) + b"\0\x50\x7f\0\0\1" + bytes(range(1, 17))
_KINDS = (0, 1, 3, 768, 772, 776, 801, 65534)
INTERFACES = (
    *(Case("ioctl", (3, request, A), _INTERFACE) for request in range(0x8901, 0x894C)),
    Case("ioctl", (3, 0x8970, A), _INTERFACE),
    *(
        Case("ioctl", (3, 0x8927, A), _NAMED + struct.pack("<H22s", kind, b"abcdef"))
        for kind in _KINDS
    ),
    Case("ioctl", (3, 0x8912, A), laid_out({0: qwords(80, B), 0x100: _INTERFACE * 2})),
    Case("ioctl", (3, 0x8912, A), laid_out({0: qwords(81, 0)})),
    Case("ioctl", (3, 0x8912, 0)),
)


def _bpf(command: int, size: int, layout: str, *values: object) -> Case:
    parts = {0: struct.pack(layout, *values), 0x200: b"/sys/fs/bpf/x", 0x300: b"GPL"}
    return Case("bpf", (command, A, size), laid_out(parts))


_MAP = (1, 4, 8, 100, 0x401, 0, 2, b"mymap", 0, 0, 0, 0, 0, 0)
_PROGRAM = (26, 2, B, A + 0x300, 0, 0, 0, 0x60100, 16, b"prog", 0, 24, 5, 8, B, 1, 16, B, 2)
BPF = (
    *(_bpf(0, size, "<7I16s6Q", *_MAP) for size in (4, 16, 20, 24, 28, 44)),
    _bpf(0, 72, "<7I16s5I4xQ", *_MAP[:8], 0, 0, 0, 0, 0, 9),
    _bpf(0, 28, "<7I", 1, 4, 8, 100, 4, 0, 2),
    *(_bpf(command, 32, "<4Q", 3, B, C, flag) for command in (1, 2, 3, 4) for flag in (0, 1, 4)),
    *(
        _bpf(5, size, "<IIQQIIQII16sIIIIQIIQI", *_PROGRAM)
        for size in (8, 24, 40, 48, 64, 72, 76, 92, 108, 116, 128)
    ),
    *(_bpf(command, 16, "<QII", A + 0x200, 3, 8) for command in (6, 7)),
    _bpf(8, 20, "<5I", 3, 4, 5, 6, 7),
    *(_bpf(9, size, "<4I", 3, 4, 5, 6) for size in (12, 16)),
    *(_bpf(command, 12, "<3I", 3, 4, 8) for command in (11, 12, 13, 14, 19, 23)),
    _bpf(15, 16, "<IIQ", 3, 80, B),
    _bpf(17, 12, "<QI", A + 0x200, 3),
    _bpf(22, 4, "<I", 3),
    _bpf(30, 4, "<I", 3),
    _bpf(31, 8, "<II", 3, 4),
    _bpf(33, 8, "<II", 3, 4),
    Case("bpf", (0, 0, 4)),
)
_BITS = (0, *(1 << bit for bit in range(34)), 0xFFF0)
MACHINE = (
    *(Case("fanotify_init", (bits, 2)) for bits in (3, 4, 0xC, *_BITS)),
    *(Case("fanotify_mark", (3, 1, bits, -1, A), b"/x") for bits in _BITS),
    *(Case("fanotify_mark", (3, 1 << bit, 3, 5, A), b"/x") for bit in range(12)),
    *(Case("swapon", (A, bits), b"/x") for bits in (0, 5, 0x8005, 0x10000, 0x60000, 0x80000)),
    Case("memfd_secret", (0x80000,)),
    Case("memfd_secret", (3,)),
    Case("get_robust_list", (0, A, B), laid_out({0: qwords(0x1234), 0x100: qwords(24)})),
    Case("get_robust_list", (0, A, B)),
    *(
        Case("mbind", (A, 4096, 2, B, bits, 2), laid_out({0x100: qwords(5, 7)}))
        for bits in (0, 8, 64, 65, 129)
    ),
    Case("set_mempolicy", (2, A, 8), qwords(5)),
    *(
        Case("reboot", (0xFEE1DEAD, magic, command, A), b"now")
        for magic in (672274793, 85072278, 5)
        for command in (0, 0x1234567, 0xA1B2C3D4, 5)
    ),
)
CASES = (*MACHINE, *BPF, *TIME, *PROCESSES, *MEETING, *FILES, *INTERFACES)
