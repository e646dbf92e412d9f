"""Names in calls that have no module of their own: clocks, events, policies, rings and others."""

from syswatch.model.argument_names import KEYCTL_OPERATION
from syswatch.model.catalog import ArgumentKind as Kind
from syswatch.model.symbols import enumeration, flags

from .numbers import unsigned_32
from .traced_call import Printers

_CLOCKS = enumeration(
    "CLOCK_???",
    """
    CLOCK_REALTIME CLOCK_MONOTONIC CLOCK_PROCESS_CPUTIME_ID CLOCK_THREAD_CPUTIME_ID
    CLOCK_MONOTONIC_RAW CLOCK_REALTIME_COARSE CLOCK_MONOTONIC_COARSE CLOCK_BOOTTIME
    CLOCK_REALTIME_ALARM CLOCK_BOOTTIME_ALARM CLOCK_SGI_CYCLE CLOCK_TAI
    """,
)
_TIMERFD = flags(
    "TFD_???",
    """
    TFD_TIMER_ABSTIME=1 TFD_TIMER_CANCEL_ON_SET=2 TFD_CLOEXEC=0x80000 TFD_NONBLOCK=0x800
    """,
)

EPOLL_OPERATION = enumeration("EPOLL_CTL_???", "EPOLL_CTL_ADD=1 EPOLL_CTL_DEL EPOLL_CTL_MOD")

_IOPRIO_CLASSES = enumeration(
    "IOPRIO_CLASS_???", "IOPRIO_CLASS_NONE IOPRIO_CLASS_RT IOPRIO_CLASS_BE IOPRIO_CLASS_IDLE"
)
_IOPRIO_SHIFT = 13
_MODES = enumeration(
    "MPOL_???",
    "MPOL_DEFAULT MPOL_PREFERRED MPOL_BIND MPOL_INTERLEAVE MPOL_LOCAL MPOL_PREFERRED_MANY",
)
_MODE_FLAGS = flags(
    "MPOL_???",
    "MPOL_F_STATIC_NODES=0x8000 MPOL_F_RELATIVE_NODES=0x4000 MPOL_F_NUMA_BALANCING=0x2000",
)
_ASK_PERSONALITY = 0xFFFFFFFF
_PER_MASK = 0xFF
_PERSONALITIES = enumeration(
    "PER_???",
    "PER_LINUX PER_BSD=6 PER_LINUX32=8 PER_RISCOS=12 PER_OSF4=15 PER_HPUX=16",
)
_PERSONALITY_FLAGS = flags(
    "",
    """
    UNAME26=0x20000 ADDR_NO_RANDOMIZE=0x40000 FDPIC_FUNCPTRS=0x80000 MMAP_PAGE_ZERO=0x100000
    ADDR_COMPAT_LAYOUT=0x200000 READ_IMPLIES_EXEC=0x400000 ADDR_LIMIT_32BIT=0x800000
    SHORT_INODE=0x1000000 WHOLE_SECONDS=0x2000000 STICKY_TIMEOUTS=0x4000000
    ADDR_LIMIT_3GB=0x8000000
    """,
)


def io_priority(value: int) -> str:
    """Return the class and the level of an I/O priority."""
    value = unsigned_32(value)
    level = value & (1 << _IOPRIO_SHIFT) - 1
    return f"IOPRIO_PRIO_VALUE({_IOPRIO_CLASSES(value >> _IOPRIO_SHIFT)}, {level})"


def personality(value: int) -> str:
    """Return the execution domain of a process, and its flags."""
    value = unsigned_32(value)
    if value == _ASK_PERSONALITY:
        return f"{value:#x}"
    kind, flag_names = (
        _PERSONALITIES(value & _PER_MASK),
        _PERSONALITY_FLAGS.bare(value & ~_PER_MASK),
    )
    return f"{kind}|{flag_names}" if flag_names else kind


def _memory_policy(value: int) -> str:
    value = unsigned_32(value)
    found, rest = _MODE_FLAGS.split(value)
    mode = _MODES.name(rest)
    if mode is None:
        return "|".join([*found, f"{rest:#x}"]) if found else _MODES(rest)
    return "|".join([mode, *found])


_FANOTIFY_CLASSES = enumeration(
    "FAN_CLASS_???", "FAN_CLASS_NOTIF FAN_CLASS_CONTENT=4 FAN_CLASS_PRE_CONTENT=8"
)
_FANOTIFY_CLASS_BITS = 0xC
_FANOTIFY_FLAGS = flags(
    "FAN_???",
    """
    FAN_CLOEXEC=1 FAN_NONBLOCK=2 FAN_UNLIMITED_QUEUE=0x10 FAN_UNLIMITED_MARKS=0x20
    FAN_ENABLE_AUDIT=0x40 FAN_REPORT_PIDFD=0x80 FAN_REPORT_TID=0x100 FAN_REPORT_FID=0x200
    FAN_REPORT_DIR_FID=0x400 FAN_REPORT_NAME=0x800 FAN_REPORT_TARGET_FID=0x1000
    """,
)
_SWAP_FLAGS = flags(
    "SWAP_FLAG_???",
    """
    SWAP_FLAG_PREFER=0x8000 SWAP_FLAG_DISCARD=0x10000 SWAP_FLAG_DISCARD_ONCE=0x20000
    SWAP_FLAG_DISCARD_PAGES=0x40000
    """,
)
_SECRET_FLAGS = flags("", "O_CLOEXEC=0x80000")
_SWAP_PRIORITY = 0x7FFF


def _fanotify(value: int) -> str:
    value = unsigned_32(value)
    kind = _FANOTIFY_CLASSES(value & _FANOTIFY_CLASS_BITS)
    rest = value & ~_FANOTIFY_CLASS_BITS
    return f"{kind}|{_FANOTIFY_FLAGS(rest)}" if rest else kind


def _swap(value: int) -> str:
    value = unsigned_32(value)
    rest, priority = value & ~_SWAP_PRIORITY, value & _SWAP_PRIORITY
    return f"{_SWAP_FLAGS(rest)}|{priority}" if rest else str(priority)


LANDLOCK_RULE = enumeration("LANDLOCK_RULE_???", "LANDLOCK_RULE_PATH_BENEATH=1")

REBOOT_COMMAND = enumeration(
    "LINUX_REBOOT_CMD_???",
    """
    LINUX_REBOOT_CMD_CAD_OFF LINUX_REBOOT_CMD_RESTART=0x1234567
    LINUX_REBOOT_CMD_POWER_OFF=0x4321fedc LINUX_REBOOT_CMD_HALT=0xcdef0123
    LINUX_REBOOT_CMD_CAD_ON=0x89abcdef LINUX_REBOOT_CMD_RESTART2=0xa1b2c3d4
    LINUX_REBOOT_CMD_SW_SUSPEND=0xd000fce2 LINUX_REBOOT_CMD_KEXEC=0x45584543
    """,
)

IO_URING_OPERATION = enumeration(
    "IORING_REGISTER_???",
    """
            IORING_REGISTER_BUFFERS IORING_UNREGISTER_BUFFERS IORING_REGISTER_FILES
            IORING_UNREGISTER_FILES IORING_REGISTER_EVENTFD IORING_UNREGISTER_EVENTFD
            IORING_REGISTER_FILES_UPDATE IORING_REGISTER_EVENTFD_ASYNC IORING_REGISTER_PROBE
            IORING_REGISTER_PERSONALITY IORING_UNREGISTER_PERSONALITY IORING_REGISTER_RESTRICTIONS
            IORING_REGISTER_ENABLE_RINGS IORING_REGISTER_FILES2 IORING_REGISTER_FILES_UPDATE2
            IORING_REGISTER_BUFFERS2 IORING_REGISTER_BUFFERS_UPDATE IORING_REGISTER_IOWQ_AFF
            IORING_UNREGISTER_IOWQ_AFF IORING_REGISTER_IOWQ_MAX_WORKERS IORING_REGISTER_RING_FDS
            IORING_UNREGISTER_RING_FDS IORING_REGISTER_PBUF_RING IORING_UNREGISTER_PBUF_RING
            """,
)


PRINTERS = Printers(
    numbers={
        Kind.KEYCTL_OPERATION: KEYCTL_OPERATION,
        Kind.GETRANDOM_FLAGS: flags("GRND_???", "GRND_NONBLOCK=1 GRND_RANDOM=2 GRND_INSECURE=4"),
        Kind.CLOCK_ID: _CLOCKS,
        Kind.TIMER_FLAGS: flags("TIMER_???", "TIMER_ABSTIME=1"),
        Kind.TIMERFD_FLAGS: _TIMERFD,
        Kind.TIMERFD_SET_FLAGS: _TIMERFD,
        Kind.ITIMER_WHICH: enumeration("ITIMER_???", "ITIMER_REAL ITIMER_VIRTUAL ITIMER_PROF"),
        Kind.EVENTFD_FLAGS: flags(
            "EFD_???", "EFD_SEMAPHORE=1 EFD_CLOEXEC=0x80000 EFD_NONBLOCK=0x800"
        ),
        Kind.EPOLL_FLAGS: flags("EPOLL_???", "EPOLL_CLOEXEC=0x80000"),
        Kind.EPOLL_OP: EPOLL_OPERATION,
        Kind.FANOTIFY_FLAGS: _fanotify,
        Kind.FANOTIFY_MARK_FLAGS: flags(
            "FAN_MARK_???",
            """
            FAN_MARK_ADD=1 FAN_MARK_REMOVE=2 FAN_MARK_DONT_FOLLOW=4 FAN_MARK_ONLYDIR=8
            FAN_MARK_MOUNT=0x10 FAN_MARK_IGNORED_MASK=0x20 FAN_MARK_IGNORED_SURV_MODIFY=0x40
            FAN_MARK_FLUSH=0x80 FAN_MARK_FILESYSTEM=0x100 FAN_MARK_EVICTABLE=0x200
            FAN_MARK_IGNORE=0x400
            """,
        ),
        Kind.FANOTIFY_MASK: flags(
            "FAN_???",
            """
            FAN_ACCESS=1 FAN_MODIFY=2 FAN_ATTRIB=4 FAN_CLOSE_WRITE=8 FAN_CLOSE_NOWRITE=0x10
            FAN_OPEN=0x20 FAN_MOVED_FROM=0x40 FAN_MOVED_TO=0x80 FAN_CREATE=0x100 FAN_DELETE=0x200
            FAN_DELETE_SELF=0x400 FAN_MOVE_SELF=0x800 FAN_OPEN_EXEC=0x1000 FAN_Q_OVERFLOW=0x4000
            FAN_FS_ERROR=0x8000 FAN_OPEN_PERM=0x10000 FAN_ACCESS_PERM=0x20000
            FAN_OPEN_EXEC_PERM=0x40000 FAN_DIR_MODIFY=0x80000 FAN_ONDIR=0x40000000
            FAN_EVENT_ON_CHILD=0x8000000 FAN_RENAME=0x10000000
            """,
            bits=64,
        ),
        Kind.SWAP_FLAGS: _swap,
        Kind.SECRET_FLAGS: lambda value: _SECRET_FLAGS.bare(unsigned_32(value)) or "0",
        Kind.REBOOT_MAGIC: enumeration(
            "LINUX_REBOOT_MAGIC_???",
            """
            LINUX_REBOOT_MAGIC1=0xfee1dead LINUX_REBOOT_MAGIC2=672274793
            LINUX_REBOOT_MAGIC2A=85072278 LINUX_REBOOT_MAGIC2B=369367448
            LINUX_REBOOT_MAGIC2C=537993216
            """,
        ),
        Kind.REBOOT_COMMAND: REBOOT_COMMAND,
        Kind.LANDLOCK_RULESET_FLAGS: flags(
            "LANDLOCK_CREATE_RULESET_???", "LANDLOCK_CREATE_RULESET_VERSION=1"
        ),
        Kind.LANDLOCK_RULE: LANDLOCK_RULE,
        Kind.PERSONALITY: personality,
        Kind.IOPRIO_WHO: enumeration(
            "IOPRIO_WHO_???", "IOPRIO_WHO_PROCESS=1 IOPRIO_WHO_PGRP IOPRIO_WHO_USER"
        ),
        Kind.IOPRIO: io_priority,
        Kind.MODULE_FLAGS: flags(
            "MODULE_INIT_???",
            """
            MODULE_INIT_IGNORE_MODVERSIONS=1 MODULE_INIT_IGNORE_VERMAGIC=2
            MODULE_INIT_COMPRESSED_FILE=4
            """,
        ),
        Kind.DELETE_MODULE_FLAGS: flags("O_???", "O_NONBLOCK=0x800 O_TRUNC=0x200"),
        Kind.MLOCK_FLAGS: flags("MLOCK_???", "MLOCK_ONFAULT=1"),
        Kind.MEMORY_POLICY: _memory_policy,
        Kind.MBIND_FLAGS: flags("MPOL_???", "MPOL_MF_STRICT=1 MPOL_MF_MOVE=2 MPOL_MF_MOVE_ALL=4"),
        Kind.PKEY_RIGHTS: flags(
            "PKEY_???", "PKEY_DISABLE_ACCESS=1 PKEY_DISABLE_WRITE=2 PKEY_DISABLE_EXECUTE=4"
        ),
        Kind.USERFAULTFD_FLAGS: flags(
            "UFFD_???", "UFFD_USER_MODE_ONLY=1 O_NONBLOCK=0x800 O_CLOEXEC=0x80000"
        ),
        Kind.PERF_FLAGS: flags(
            "PERF_FLAG_???",
            """
            PERF_FLAG_FD_NO_GROUP=1 PERF_FLAG_FD_OUTPUT=2 PERF_FLAG_PID_CGROUP=4
            PERF_FLAG_FD_CLOEXEC=8
            """,
        ),
        Kind.IO_URING_ENTER_FLAGS: flags(
            "IORING_ENTER_???",
            """
            IORING_ENTER_GETEVENTS=1 IORING_ENTER_SQ_WAKEUP=2 IORING_ENTER_SQ_WAIT=4
            IORING_ENTER_EXT_ARG=8 IORING_ENTER_REGISTERED_RING=0x10
            """,
        ),
        Kind.IO_URING_OPERATION: IO_URING_OPERATION,
    },
)
