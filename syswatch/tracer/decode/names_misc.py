"""The names in calls about time, waiting, shared memory and the kernel itself."""

from syswatch.model.catalog import ArgumentKind as Kind

from .numbers import permissions
from .symbols import enumeration, flags, table
from .traced_call import Printer, by_value

_FUTEX = tuple(
    table(
        """
        FUTEX_WAIT FUTEX_WAKE FUTEX_FD FUTEX_REQUEUE FUTEX_CMP_REQUEUE FUTEX_WAKE_OP
        FUTEX_LOCK_PI FUTEX_UNLOCK_PI FUTEX_TRYLOCK_PI FUTEX_WAIT_BITSET FUTEX_WAKE_BITSET
        FUTEX_WAIT_REQUEUE_PI FUTEX_CMP_REQUEUE_PI FUTEX_LOCK_PI2
        """
    )
)
_FUTEX_FD = 2
_PRIVATE = 0x80
_REALTIME = 0x100
_IPC_FLAGS = flags("", "IPC_CREAT=0x200 IPC_EXCL=0x400 IPC_NOWAIT=0x800")
_IPC_64 = 0x100
_IPC_COMMANDS = {
    "MSG_???": enumeration(
        "MSG_???", "IPC_RMID IPC_SET IPC_STAT IPC_INFO MSG_STAT=11 MSG_INFO MSG_STAT_ANY"
    ),
    "SEM_???": enumeration(
        "SEM_???",
        """
        IPC_RMID IPC_SET IPC_STAT IPC_INFO GETPID=11 GETVAL GETALL GETNCNT GETZCNT SETVAL SETALL
        SEM_STAT SEM_INFO SEM_STAT_ANY
        """,
    ),
    "SHM_???": enumeration(
        "SHM_???",
        """
        IPC_RMID IPC_SET IPC_STAT IPC_INFO SHM_LOCK=11 SHM_UNLOCK SHM_STAT SHM_INFO SHM_STAT_ANY
        """,
    ),
}


def futex_operation(value: int) -> str:
    """Return what is done with a futex, and whether it is shared."""
    value &= 0xFFFFFFFF
    operation = value & ~(_PRIVATE | _REALTIME)
    private = bool(value & _PRIVATE)
    if operation >= len(_FUTEX) or (private and operation == _FUTEX_FD):
        return f"{value:#x} /* FUTEX_??? */"
    realtime = "|FUTEX_CLOCK_REALTIME" if value & _REALTIME else ""
    return f"{_FUTEX[operation]}{'_PRIVATE' if private else ''}{realtime}"


def _ipc_flags(value: int) -> str:
    value &= 0xFFFFFFFF
    found, rest = _IPC_FLAGS.split(value & ~0o777)
    return "|".join([*found, *([f"{rest:#x}"] if rest else []), permissions(value & 0o777)])


def ipc_command(call_name: str, value: int) -> str:
    """Return what is done with a queue, a semaphore or shared memory."""
    names = _IPC_COMMANDS[f"{call_name[:3].upper()}_???"]
    value &= 0xFFFFFFFF
    if value & _IPC_64:
        return f"IPC_64|{names(value & ~_IPC_64)}"
    return names(value)


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
_BPF = enumeration(
    "BPF_???",
    """
    BPF_MAP_CREATE BPF_MAP_LOOKUP_ELEM BPF_MAP_UPDATE_ELEM BPF_MAP_DELETE_ELEM
    BPF_MAP_GET_NEXT_KEY BPF_PROG_LOAD BPF_OBJ_PIN BPF_OBJ_GET BPF_PROG_ATTACH BPF_PROG_DETACH
    BPF_PROG_TEST_RUN BPF_PROG_GET_NEXT_ID BPF_MAP_GET_NEXT_ID BPF_PROG_GET_FD_BY_ID
    BPF_MAP_GET_FD_BY_ID BPF_OBJ_GET_INFO_BY_FD BPF_PROG_QUERY BPF_RAW_TRACEPOINT_OPEN
    BPF_BTF_LOAD BPF_BTF_GET_FD_BY_ID BPF_TASK_FD_QUERY BPF_MAP_LOOKUP_AND_DELETE_ELEM
    BPF_MAP_FREEZE BPF_BTF_GET_NEXT_ID BPF_MAP_LOOKUP_BATCH BPF_MAP_LOOKUP_AND_DELETE_BATCH
    BPF_MAP_UPDATE_BATCH BPF_MAP_DELETE_BATCH BPF_LINK_CREATE BPF_LINK_UPDATE
    BPF_LINK_GET_FD_BY_ID BPF_LINK_GET_NEXT_ID BPF_ENABLE_STATS BPF_ITER_CREATE BPF_LINK_DETACH
    BPF_PROG_BIND_MAP
    """,
)
_KEYCTL = enumeration(
    "KEYCTL_???",
    """
    KEYCTL_GET_KEYRING_ID KEYCTL_JOIN_SESSION_KEYRING KEYCTL_UPDATE KEYCTL_REVOKE KEYCTL_CHOWN
    KEYCTL_SETPERM KEYCTL_DESCRIBE KEYCTL_CLEAR KEYCTL_LINK KEYCTL_UNLINK KEYCTL_SEARCH
    KEYCTL_READ KEYCTL_INSTANTIATE KEYCTL_NEGATE KEYCTL_SET_REQKEY_KEYRING KEYCTL_SET_TIMEOUT
    KEYCTL_ASSUME_AUTHORITY KEYCTL_GET_SECURITY KEYCTL_SESSION_TO_PARENT KEYCTL_REJECT
    KEYCTL_INSTANTIATE_IOV KEYCTL_INVALIDATE KEYCTL_GET_PERSISTENT KEYCTL_DH_COMPUTE
    KEYCTL_PKEY_QUERY KEYCTL_PKEY_ENCRYPT KEYCTL_PKEY_DECRYPT KEYCTL_PKEY_SIGN
    KEYCTL_PKEY_VERIFY KEYCTL_RESTRICT_KEYRING KEYCTL_MOVE KEYCTL_CAPABILITIES KEYCTL_WATCH_KEY
    """,
)

PRINTERS: dict[Kind, Printer] = {
    Kind.BPF_COMMAND: by_value(_BPF),
    Kind.KEYCTL_OPERATION: by_value(_KEYCTL),
    Kind.GETRANDOM_FLAGS: by_value(
        flags("GRND_???", "GRND_NONBLOCK=1 GRND_RANDOM=2 GRND_INSECURE=4")
    ),
    Kind.CLOCK_ID: by_value(_CLOCKS),
    Kind.TIMER_FLAGS: by_value(flags("TIMER_???", "TIMER_ABSTIME=1")),
    Kind.TIMERFD_FLAGS: by_value(_TIMERFD),
    Kind.TIMERFD_SET_FLAGS: by_value(_TIMERFD),
    Kind.ITIMER_WHICH: by_value(
        enumeration("ITIMER_???", "ITIMER_REAL ITIMER_VIRTUAL ITIMER_PROF")
    ),
    Kind.FUTEX_OP: by_value(futex_operation),
    Kind.EVENTFD_FLAGS: by_value(
        flags("EFD_???", "EFD_SEMAPHORE=1 EFD_CLOEXEC=0x80000 EFD_NONBLOCK=0x800")
    ),
    Kind.EPOLL_FLAGS: by_value(flags("EPOLL_???", "EPOLL_CLOEXEC=0x80000")),
    Kind.EPOLL_OP: by_value(
        enumeration("EPOLL_CTL_???", "EPOLL_CTL_ADD=1 EPOLL_CTL_DEL EPOLL_CTL_MOD")
    ),
    Kind.IPC_FLAGS: by_value(_ipc_flags),
    Kind.IPC_COMMAND: lambda call, index: ipc_command(call.name, call.argument(index)),
    Kind.SHMAT_FLAGS: by_value(
        flags("SHM_???", "SHM_RDONLY=0x1000 SHM_RND=0x2000 SHM_REMAP=0x4000 SHM_EXEC=0x8000")
    ),
    Kind.MSGQUEUE_FLAGS: by_value(
        flags("MSG_???", "MSG_NOERROR=0x1000 MSG_EXCEPT=0x2000 MSG_COPY=0x4000 IPC_NOWAIT=0x800")
    ),
}
