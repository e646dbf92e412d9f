"""How arguments are printed.

Rules that hold for every kind, so that no entry has to repeat them:

- a null pointer is printed as `NULL`;
- memory that cannot be read, and any `*_OUT` kind of a call that failed, is printed as its address;
- a kind that needs a length or a count finds it in the argument that follows it, unless its comment
  differs;
- flags are printed as their names joined by `|`, then the bits without a name in hexadecimal; no
  flags at all are `0`.
"""

import enum
from enum import auto


class ArgumentKind(enum.StrEnum):
    """How one argument of a system call is read and printed."""

    # --- plain numbers
    INT = auto()  # signed decimal, 32 bits
    LONG = auto()  # signed decimal, the width of a register
    UINT = auto()  # unsigned decimal, 32 bits
    SIZE = auto()  # unsigned decimal, the width of a register: a length or a count
    OFFSET = auto()  # signed decimal, 64 bits: a position in a file
    OFFSET_HIGH = auto()  # not printed: the upper half of the offset before it, idle in 64 bits
    HEX = auto()  # hexadecimal with 0x, or 0: flags and values that have no table here
    HEX_IN = auto()  # as HEX, or what it points to if the call defines it as an address
    POINTER = auto()  # an address that is not followed
    MODE = auto()  # permission bits in octal, as 0644
    FILE_MODE = auto()  # file type and permissions, as S_IFIFO|0644
    DEVICE = auto()  # makedev(major, minor), both in hexadecimal

    # --- numbers that name something
    FD = auto()  # decimal; -1 stays -1
    DIRFD = auto()  # AT_FDCWD, else as FD
    PID = auto()  # decimal, 32 bits signed
    UID = auto()  # decimal, 32 bits unsigned, but -1 for "leave it": user and group ids alike
    SIGNAL = auto()  # SIGTERM, SIGRT_5; a number that is no signal stays a number
    IPC_KEY = auto()  # IPC_PRIVATE, else hexadecimal
    KEY_SERIAL = auto()  # KEY_SPEC_SESSION_KEYRING and its kin, else decimal

    # --- text and bytes
    PATH = auto()  # quoted text up to its NUL, never shortened by the string limit
    STRING = auto()  # quoted text up to its NUL, shortened by the string limit
    PATH_OUT = auto()  # quoted text that the kernel wrote, NUL included in the returned length
    BUFFER_IN = auto()  # quoted bytes of the caller, shortened by the string limit
    DATAGRAM_IN = auto()  # as BUFFER_IN, but messages of known forms are taken apart
    DATAGRAM_OUT = auto()  # as BUFFER_OUT, but messages of known forms are taken apart
    BUFFER_OUT = auto()  # quoted bytes that the kernel wrote; the return value is their length
    ARGV = auto()  # ["ls", "-l"]: a NULL-terminated array of strings
    ENVP = auto()  # 0x7ffd… /* 23 vars */: the environment is counted, its values are not shown
    IOVEC_IN = auto()  # [{iov_base="ab", iov_len=2}]: bytes of the caller
    IOVEC_OUT = auto()  # as IOVEC_IN, filled up to the returned number of bytes
    IOVEC_REMOTE = auto()  # [{iov_base=0x7f…, iov_len=2}]: addresses in another process
    DIRENTS_OUT = auto()  # 0x55… /* 5 entries */: returned length in bytes
    SOCKOPT_IN = auto()  # [1] when the length is that of an int, else quoted bytes
    SOCKOPT_OUT = auto()  # as SOCKOPT_IN; the length is behind the pointer that follows
    OPAQUE_IN = auto()  # a structure of the caller that is not taken apart: its address

    # --- pointers to one or two numbers
    POINTER_OUT = auto()  # [0x7f…], [NULL]
    LENGTH_OUT = auto()  # [24], as wide as a register
    NODE_MASK_IN = auto()  # [0x00000000000005]; the count that follows is one of bits
    INT_OUT = auto()  # [5]
    OFFSET_OUT = auto()  # [4096], of 64 bits everywhere
    OFFSET_INOUT = auto()  # [0] => [4096]; only the first when nothing changed
    SOCKLEN_INOUT = auto()  # [128 => 16]; [16] when nothing changed
    FD_PAIR_OUT = auto()  # [3, 4]
    WAIT_STATUS_OUT = auto()  # [{WIFEXITED(s) && WEXITSTATUS(s) == 0}]
    UID_LIST_IN = auto()  # [4, 27]; the count comes in the argument BEFORE it
    UID_LIST_OUT = auto()  # as UID_LIST_IN; the return value is the count
    CPU_SET_IN = auto()  # [0 1 5]; the length in bytes comes in the argument BEFORE it
    CPU_SET_OUT = auto()  # as CPU_SET_IN; the return value is the length in bytes

    # --- sockets
    SOCKADDR_IN = auto()  # {sa_family=AF_INET, sin_port=htons(80), sin_addr=inet_addr("…")}
    SOCKADDR_OUT = auto()  # as SOCKADDR_IN; the length is behind the pointer that follows
    MSGHDR_IN = auto()  # {msg_name=…, msg_iov=[…], msg_flags=0}
    MSGHDR_OUT = auto()  # as MSGHDR_IN; the return value bounds the bytes shown
    MMSGHDRS_IN = auto()  # [{msg_hdr={…}, msg_len=12}]
    MMSGHDRS_OUT = auto()  # as MMSGHDRS_IN; the return value is the number of messages

    # --- time
    TIME_OUT = auto()  # [1700000000 /* 2023-11-14T22:13:20+0000 */]
    TIMESPEC_IN = auto()  # {tv_sec=1, tv_nsec=0}
    TIMESPEC_OUT = auto()  # as TIMESPEC_IN
    TIMESPEC_PAIR_IN = auto()  # two of them in [], UTIME_NOW and UTIME_OMIT by name
    TIMEVAL_IN = auto()  # {tv_sec=1, tv_usec=0}
    TIMEVAL_OUT = auto()  # as TIMEVAL_IN
    TIMEVAL_PAIR_IN = auto()  # two of them in []
    ITIMERVAL_IN = auto()  # {it_interval={tv_sec=…, tv_usec=…}, it_value={…}}
    ITIMERVAL_OUT = auto()  # as ITIMERVAL_IN
    ITIMERSPEC_IN = auto()  # {it_interval={tv_sec=…, tv_nsec=…}, it_value={…}}
    ITIMERSPEC_OUT = auto()  # as ITIMERSPEC_IN

    # --- other structures
    STAT_OUT = auto()  # {st_mode=S_IFREG|0644, st_size=12, ...}
    STATX_OUT = auto()  # {stx_mask=STATX_BASIC_STATS, stx_mode=S_IFREG|0644, stx_size=12, ...}
    STATFS_OUT = auto()  # {f_type=EXT2_SUPER_MAGIC, f_bsize=4096, f_blocks=…, ...}
    POLLFDS_INOUT = auto()  # [{fd=3, events=POLLIN}]
    FD_SET_INOUT = auto()  # [3 5]; the bound on descriptors is the first argument of the call
    EPOLL_EVENT_IN = auto()  # {events=EPOLLIN, data={u32=3, u64=3}}
    EPOLL_EVENTS_OUT = auto()  # a list of them; the return value is the count
    SIGSET_IN = auto()  # [INT TERM], or ~[INT] when most are in it
    SIGSET_OUT = auto()  # as SIGSET_IN
    SIGACTION_IN = auto()  # {sa_handler=SIG_DFL, sa_mask=[], sa_flags=0}
    SIGACTION_OUT = auto()  # as SIGACTION_IN
    SIGINFO_IN = auto()  # {si_signo=SIGUSR1, si_code=SI_QUEUE, ...}
    SIGINFO_OUT = auto()  # as SIGINFO_IN
    SIGALTSTACK_IN = auto()  # {ss_sp=0x7f…, ss_flags=0, ss_size=8192}
    SIGALTSTACK_OUT = auto()  # as SIGALTSTACK_IN
    RLIMIT_IN = auto()  # {rlim_cur=1024, rlim_max=RLIM64_INFINITY}
    RLIMIT_OUT = auto()  # as RLIMIT_IN
    RUSAGE_OUT = auto()  # {ru_utime={…}, ru_stime={…}, ...}
    UTSNAME_OUT = auto()  # {sysname="Linux", nodename="host", ...}
    SYSINFO_OUT = auto()  # {uptime=…, loads=[…], totalram=…, ...}
    SCHED_PARAM_IN = auto()  # [0], the priority
    SCHED_PARAM_OUT = auto()  # as SCHED_PARAM_IN
    OPEN_HOW_IN = auto()  # {flags=O_RDONLY|O_CLOEXEC, resolve=RESOLVE_BENEATH}
    CAP_HEADER_IN = auto()  # {version=_LINUX_CAPABILITY_VERSION_3, pid=0}
    CAP_DATA_IN = auto()  # {effective=1<<CAP_CHOWN, permitted=…, …}: the header comes BEFORE it
    CAP_DATA_OUT = auto()  # as CAP_DATA_IN
    TMS_OUT = auto()  # {tms_utime=5 /* 0.05 s */, …}
    TIMEX_INOUT = auto()  # {modes=ADJ_OFFSET, offset=0, …}
    UTIMBUF_IN = auto()  # {actime=1700000000 /* 2023-11-14T22:13:20+0000 */, modtime=…}
    SIGEVENT_IN = auto()  # {sigev_value={…}, sigev_signo=SIGUSR1, sigev_notify=SIGEV_SIGNAL}
    SIGFRAME_IN = auto()  # {mask=[INT]}: the signals that will be blocked; left out when unknown
    MESSAGE_IN = auto()  # {mtype=1, mtext="ab"}: the length is that of the text
    MESSAGE_OUT = auto()  # as MESSAGE_IN; the return value is the length of the text
    MQ_ATTRIBUTES_IN = auto()  # {mq_flags=0, mq_maxmsg=10, mq_msgsize=8192, mq_curmsgs=0}
    MQ_ATTRIBUTES_OUT = auto()  # as MQ_ATTRIBUTES_IN
    SEM_OPERATIONS_IN = auto()  # [{sem_num=0, sem_op=-1, sem_flg=SEM_UNDO}]
    SCHED_ATTRIBUTES_IN = auto()  # {size=48, sched_policy=SCHED_OTHER, …}: it knows its size
    SCHED_ATTRIBUTES_OUT = auto()  # as SCHED_ATTRIBUTES_IN
    IO_URING_PARAMS_INOUT = auto()  # {flags=IORING_SETUP_SQPOLL, …, sq_entries=8, …}
    IO_URING_REGISTERED_IN = auto()  # what the operation before it registers
    BPF_ATTRIBUTES_IN = auto()  # what the command before it takes: {map_fd=3, key=0x7f…, …}
    PERF_ATTRIBUTES_IN = auto()  # {type=PERF_TYPE_SOFTWARE, size=…, config=…, …}
    LANDLOCK_RULESET_IN = auto()  # {handled_access_fs=LANDLOCK_ACCESS_FS_EXECUTE}
    LANDLOCK_RULE_IN = auto()  # {allowed_access=…, parent_fd=3}: its kind comes BEFORE it
    MOUNT_ATTR_IN = auto()  # {attr_set=MOUNT_ATTR_RDONLY, attr_clr=0, propagation=0, userns_fd=0}
    FILE_HANDLE_IN = auto()  # {handle_bytes=8, handle_type=1, f_handle="\x01…"}
    FILE_HANDLE_OUT = auto()  # as FILE_HANDLE_IN; of a failed call only the size of the buffer
    FUTEX_WAITERS_IN = auto()  # [{val=0x1, uaddr=0x7f…, flags=FUTEX_32|FUTEX_PRIVATE_FLAG}]
    RESIDENCY_OUT = auto()  # [1, 0]: a byte for each page; the length in bytes comes BEFORE it
    CLONE_ARGS_IN = auto()  # {flags=CLONE_VM|…, exit_signal=SIGCHLD, stack=0x7f…, ...}

    # --- flags and numbers with names; each family has its own table
    OPEN_FLAGS = auto()  # O_RDONLY|O_CLOEXEC: the access mode is always shown
    FD_FLAGS = auto()  # O_CLOEXEC|O_NONBLOCK without an access mode: pipe2, dup3
    CLOSE_RANGE_FLAGS = auto()  # CLOSE_RANGE_CLOEXEC
    ACCESS_MODE = auto()  # R_OK|X_OK, or F_OK
    AT_FLAGS = auto()  # AT_SYMLINK_NOFOLLOW|AT_EMPTY_PATH
    UNLINK_FLAGS = auto()  # AT_REMOVEDIR: the same bit means AT_EACCESS in other calls
    STATX_MASK = auto()  # STATX_ALL, STATX_SIZE|STATX_MTIME
    RENAME_FLAGS = auto()  # RENAME_NOREPLACE
    XATTR_FLAGS = auto()  # XATTR_CREATE
    SEEK_WHENCE = auto()  # SEEK_SET
    FCNTL_COMMAND = auto()  # F_SETFL
    FCNTL_ARGUMENT = auto()  # what the command before it makes of it; unknown: hexadecimal
    IOCTL_REQUEST = auto()  # TCGETS, else _IOC(_IOC_READ, 0x12, 0x34, 0x4)
    FLOCK_OPERATION = auto()  # LOCK_EX|LOCK_NB
    FALLOCATE_MODE = auto()  # FALLOC_FL_KEEP_SIZE|FALLOC_FL_PUNCH_HOLE
    FADVICE = auto()  # POSIX_FADV_SEQUENTIAL
    SYNC_RANGE_FLAGS = auto()  # SYNC_FILE_RANGE_WRITE
    RWF_FLAGS = auto()  # RWF_NOWAIT
    SPLICE_FLAGS = auto()  # SPLICE_F_MOVE|SPLICE_F_MORE
    MOUNT_FLAGS = auto()  # MS_RDONLY|MS_NOSUID
    UMOUNT_FLAGS = auto()  # MNT_DETACH
    INOTIFY_FLAGS = auto()  # IN_CLOEXEC|IN_NONBLOCK
    INOTIFY_MASK = auto()  # IN_MODIFY|IN_CREATE
    MMAP_PROT = auto()  # PROT_READ|PROT_WRITE, or PROT_NONE
    MMAP_FLAGS = auto()  # MAP_PRIVATE|MAP_ANONYMOUS
    MREMAP_FLAGS = auto()  # MREMAP_MAYMOVE
    MSYNC_FLAGS = auto()  # MS_SYNC
    MLOCKALL_FLAGS = auto()  # MCL_CURRENT|MCL_FUTURE
    MADVICE = auto()  # MADV_DONTNEED
    MEMFD_FLAGS = auto()  # MFD_CLOEXEC
    MEMBARRIER_COMMAND = auto()  # MEMBARRIER_CMD_PRIVATE_EXPEDITED
    CLONE_FLAGS = auto()  # CLONE_VM|CLONE_THREAD|SIGCHLD: the low byte is the exit signal
    NAMESPACE_FLAGS = auto()  # CLONE_NEWNS|CLONE_NEWNET, without an exit signal
    WAIT_OPTIONS = auto()  # WNOHANG|WSTOPPED
    WAIT_ID_TYPE = auto()  # P_PID
    PRCTL_OPTION = auto()  # PR_SET_NAME
    ARCH_PRCTL_OPTION = auto()  # ARCH_SET_FS
    RESOURCE = auto()  # RLIMIT_NOFILE
    RUSAGE_WHO = auto()  # RUSAGE_SELF
    PRIORITY_WHICH = auto()  # PRIO_PROCESS
    SCHED_POLICY = auto()  # SCHED_FIFO|SCHED_RESET_ON_FORK
    PIDFD_FLAGS = auto()  # PIDFD_NONBLOCK
    PTRACE_REQUEST = auto()  # PTRACE_ATTACH
    SECCOMP_OPERATION = auto()  # SECCOMP_SET_MODE_FILTER
    BPF_COMMAND = auto()  # BPF_MAP_CREATE
    KEYCTL_OPERATION = auto()  # KEYCTL_READ
    GETRANDOM_FLAGS = auto()  # GRND_NONBLOCK
    SIG_HOW = auto()  # SIG_BLOCK
    SIGNALFD_FLAGS = auto()  # SFD_CLOEXEC
    CLOCK_ID = auto()  # CLOCK_MONOTONIC
    TIMER_FLAGS = auto()  # TIMER_ABSTIME
    TIMERFD_FLAGS = auto()  # TFD_NONBLOCK
    TIMERFD_SET_FLAGS = auto()  # TFD_TIMER_ABSTIME
    ITIMER_WHICH = auto()  # ITIMER_REAL
    FUTEX_OP = auto()  # FUTEX_WAIT_PRIVATE
    EVENTFD_FLAGS = auto()  # EFD_SEMAPHORE
    EPOLL_FLAGS = auto()  # EPOLL_CLOEXEC
    EPOLL_OP = auto()  # EPOLL_CTL_ADD
    IPC_FLAGS = auto()  # IPC_CREAT|IPC_EXCL|0600
    IPC_COMMAND = auto()  # IPC_RMID
    SHMAT_FLAGS = auto()  # SHM_RDONLY
    MSGQUEUE_FLAGS = auto()  # IPC_NOWAIT|MSG_NOERROR
    SOCKET_DOMAIN = auto()  # AF_INET
    SOCKET_TYPE = auto()  # SOCK_STREAM|SOCK_CLOEXEC
    SOCKET_PROTOCOL = auto()  # IPPROTO_TCP
    SOCKET_FLAGS = auto()  # SOCK_CLOEXEC|SOCK_NONBLOCK
    MSG_FLAGS = auto()  # MSG_DONTWAIT|MSG_NOSIGNAL
    SHUTDOWN_HOW = auto()  # SHUT_WR
    SOCKOPT_LEVEL = auto()  # SOL_SOCKET
    SOCKOPT_NAME = auto()  # SO_REUSEADDR: the table depends on the level before it
    FSOPEN_FLAGS = auto()  # FSOPEN_CLOEXEC
    FSPICK_FLAGS = auto()  # FSPICK_CLOEXEC|FSPICK_EMPTY_PATH
    FSCONFIG_COMMAND = auto()  # FSCONFIG_SET_STRING
    FSMOUNT_FLAGS = auto()  # FSMOUNT_CLOEXEC
    MOUNT_ATTRIBUTES = auto()  # MOUNT_ATTR_RDONLY|MOUNT_ATTR_NOSUID
    MOVE_MOUNT_FLAGS = auto()  # MOVE_MOUNT_F_EMPTY_PATH
    OPEN_TREE_FLAGS = auto()  # OPEN_TREE_CLONE|AT_RECURSIVE
    LANDLOCK_RULESET_FLAGS = auto()  # LANDLOCK_CREATE_RULESET_VERSION
    LANDLOCK_RULE = auto()  # LANDLOCK_RULE_PATH_BENEATH
    FANOTIFY_FLAGS = auto()  # FAN_CLASS_NOTIF|FAN_CLOEXEC
    FANOTIFY_MARK_FLAGS = auto()  # FAN_MARK_ADD|FAN_MARK_MOUNT
    FANOTIFY_MASK = auto()  # FAN_OPEN|FAN_ONDIR
    FANOTIFY_DIRFD = auto()  # FAN_NOFD, else as DIRFD
    SWAP_FLAGS = auto()  # SWAP_FLAG_PREFER|5
    SECRET_FLAGS = auto()  # O_CLOEXEC
    REBOOT_MAGIC = auto()  # LINUX_REBOOT_MAGIC1
    REBOOT_COMMAND = auto()  # LINUX_REBOOT_CMD_RESTART
    PERSONALITY = auto()  # PER_LINUX|ADDR_NO_RANDOMIZE
    IOPRIO_WHO = auto()  # IOPRIO_WHO_PROCESS
    IOPRIO = auto()  # IOPRIO_PRIO_VALUE(IOPRIO_CLASS_BE, 4)
    MODULE_FLAGS = auto()  # MODULE_INIT_COMPRESSED_FILE
    DELETE_MODULE_FLAGS = auto()  # O_NONBLOCK|O_TRUNC
    MLOCK_FLAGS = auto()  # MLOCK_ONFAULT
    MEMORY_POLICY = auto()  # MPOL_BIND|MPOL_F_STATIC_NODES
    MBIND_FLAGS = auto()  # MPOL_MF_MOVE
    PKEY_RIGHTS = auto()  # PKEY_DISABLE_WRITE
    USERFAULTFD_FLAGS = auto()  # O_CLOEXEC|UFFD_USER_MODE_ONLY
    PERF_FLAGS = auto()  # PERF_FLAG_FD_CLOEXEC
    IO_URING_ENTER_FLAGS = auto()  # IORING_ENTER_GETEVENTS
    IO_URING_OPERATION = auto()  # IORING_REGISTER_BUFFERS
