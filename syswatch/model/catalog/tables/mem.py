"""Calls that shape an address space."""

from syswatch.model.catalog.category import Category
from syswatch.model.catalog.entry import call
from syswatch.model.catalog.kinds import ArgumentKind as Kind

CALLS = (
    call(
        "mmap",
        Category.MEM,
        "Map a file or new memory into the address space",
        "void *mmap(void *addr, size_t length, int prot, int flags, int fd, off_t offset)",
        kinds=(
            Kind.POINTER,
            Kind.SIZE,
            Kind.MMAP_PROT,
            Kind.MMAP_FLAGS,
            Kind.FD,
            Kind.HEX,
        ),
        returns="the address of the mapping",
        errnos={
            "EACCES": "the file is not open in a way that allows such a mapping",
            "EAGAIN": "too much locked memory",
            "EEXIST": "something is mapped there, and MAP_FIXED_NOREPLACE was given",
            "EINVAL": "an address, a length or an offset that is zero or not aligned",
            "ENODEV": "the file system cannot map files",
            "ENOMEM": "no address space, too many mappings, or beyond a limit",
            "EPERM": "executable memory where the mount or a policy forbids it",
        },
        advice="Dozens at start-up come from the loader. A steady stream from a running program "
        "comes from an allocator under pressure; ENOMEM may be vm.max_map_count rather than "
        "memory.",
    ),
    call(
        "munmap",
        Category.MEM,
        "Remove a mapping",
        "int munmap(void *addr, size_t length)",
        kinds=(Kind.POINTER, Kind.SIZE),
        returns="0",
        errnos={
            "EINVAL": "an address that is not aligned, or a length of zero",
            "ENOMEM": "cutting a mapping in two would make too many",
        },
        advice="Slow ones give back much memory, or wait for threads that fault in pages. With as "
        "many mmap calls, look at the allocator's thresholds.",
    ),
    call(
        "mremap",
        Category.MEM,
        "Resize a mapping, moving it if allowed",
        "void *mremap(void *old_address, size_t old_size, size_t new_size, int flags, void "
        "*new_address)",
        kinds=(Kind.POINTER, Kind.SIZE, Kind.SIZE, Kind.MREMAP_FLAGS, Kind.POINTER),
        returns="the address of the mapping, possibly a new one",
        errnos={
            "EAGAIN": "too much locked memory",
            "EFAULT": "the old range is not one mapping",
            "EINVAL": "sizes, addresses or flags that do not fit",
            "ENOMEM": "it cannot grow in place and may not move, or memory is short",
        },
        advice="What realloc does to big blocks; it moves page tables and copies nothing.",
    ),
    call(
        "mprotect",
        Category.MEM,
        "Change how pages may be used",
        "int mprotect(void *addr, size_t len, int prot)",
        kinds=(Kind.POINTER, Kind.SIZE, Kind.MMAP_PROT),
        returns="0",
        errnos={
            "EACCES": "the mapping, or a security policy, does not allow it",
            "EINVAL": "an address that is not aligned, or an unknown protection",
            "ENOMEM": "nothing is mapped there, or too many mappings would result",
        },
        advice="The loader and just-in-time compilers use it. EACCES is SELinux, or sealed or "
        "read-only shared memory.",
    ),
    call(
        "pkey_mprotect",
        Category.MEM,
        "Change how pages may be used, and put them under a protection key",
        "int pkey_mprotect(void *addr, size_t len, int prot, int pkey)",
        kinds=(Kind.POINTER, Kind.SIZE, Kind.MMAP_PROT, Kind.INT),
        returns="0",
        errnos={
            "EACCES": "the mapping does not allow it",
            "EINVAL": "an address that is not aligned, or a key that was not allocated",
            "ENOMEM": "nothing is mapped there, or too many mappings would result",
        },
        advice="As mprotect; seen in JavaScript engines.",
    ),
    call(
        "brk",
        Category.MEM,
        "Move the end of the heap",
        "void *brk(void *addr)",
        kinds=(Kind.POINTER,),
        returns="the end of the heap, unchanged when the request could not be met; never an error",
        advice="How the C library's allocator gets small amounts. It never reports an error: "
        "compare the result with the request.",
    ),
    call(
        "madvise",
        Category.MEM,
        "Announce how memory will be used, or release it",
        "int madvise(void *addr, size_t length, int advice)",
        kinds=(Kind.POINTER, Kind.SIZE, Kind.MADVICE),
        returns="0",
        errnos={
            "EAGAIN": "a resource was temporarily unavailable",
            "EINVAL": "advice that this kernel or mapping does not take",
            "ENOMEM": "part of the range is not mapped",
        },
        harmless=("EINVAL",),
        advice="MADV_DONTNEED and MADV_FREE come from garbage collectors that release memory; "
        "many of them cost page faults later. EINVAL for huge page advice is harmless.",
    ),
    call(
        "process_madvise",
        Category.MEM,
        "Give advice about memory of another process",
        "ssize_t process_madvise(int pidfd, const struct iovec *iovec, size_t vlen, int advice, "
        "unsigned int flags)",
        kinds=(Kind.FD, Kind.IOVEC_REMOTE, Kind.SIZE, Kind.MADVICE, Kind.HEX),
        returns="bytes advised",
        errnos={
            "EBADF": "not a process descriptor",
            "EINVAL": "advice that cannot be given to another process, or flags",
            "EPERM": "the caller may not touch that process",
            "ESRCH": "the process has ended",
        },
        advice="Used by memory managers on phones and big hosts.",
    ),
    call(
        "msync",
        Category.MEM,
        "Write changes of a mapped file back",
        "int msync(void *addr, size_t length, int flags)",
        kinds=(Kind.POINTER, Kind.SIZE, Kind.MSYNC_FLAGS),
        returns="0",
        errnos={
            "EBUSY": "the pages are locked, and MS_INVALIDATE was given",
            "EINVAL": "an address that is not aligned, or flags that do not fit",
            "ENOMEM": "part of the range is not mapped",
        },
        advice="With MS_SYNC it takes as long as the disk, as fsync does.",
    ),
    call(
        "mincore",
        Category.MEM,
        "Report which pages of a range are in memory",
        "int mincore(void *addr, size_t length, unsigned char *vec)",
        kinds=(Kind.POINTER, Kind.SIZE, Kind.RESIDENCY_OUT),
        returns="0",
        errnos={
            "EAGAIN": "a resource was temporarily unavailable",
            "EINVAL": "an address that is not aligned",
            "ENOMEM": "part of the range is not mapped",
        },
        advice="Some libraries only use it to learn whether memory is mapped: ENOMEM is their "
        "answer.",
    ),
    call(
        "mlock",
        Category.MEM,
        "Lock a range in memory",
        "int mlock(const void *addr, size_t len)",
        kinds=(Kind.POINTER, Kind.SIZE),
        returns="0",
        errnos={
            "EAGAIN": "some pages could not be locked",
            "ENOMEM": "beyond RLIMIT_MEMLOCK, or part of the range is not mapped",
            "EPERM": "no privilege, and a limit of zero",
        },
        advice="ENOMEM mostly means RLIMIT_MEMLOCK. It reads every page in, so big ranges take "
        "time.",
    ),
    call(
        "mlock2",
        Category.MEM,
        "Lock a range in memory, possibly page by page when touched",
        "int mlock2(const void *addr, size_t len, int flags)",
        kinds=(Kind.POINTER, Kind.SIZE, Kind.MLOCK_FLAGS),
        returns="0",
        errnos={
            "EAGAIN": "some pages could not be locked",
            "EINVAL": "an unknown flag",
            "ENOMEM": "beyond RLIMIT_MEMLOCK, or part of the range is not mapped",
            "EPERM": "no privilege, and a limit of zero",
        },
        advice="As mlock.",
    ),
    call(
        "munlock",
        Category.MEM,
        "Unlock a range of memory",
        "int munlock(const void *addr, size_t len)",
        kinds=(Kind.POINTER, Kind.SIZE),
        returns="0",
        errnos={"ENOMEM": "part of the range is not mapped"},
        advice="Cheap; follows an mlock.",
    ),
    call(
        "mlockall",
        Category.MEM,
        "Lock the whole process in memory",
        "int mlockall(int flags)",
        kinds=(Kind.MLOCKALL_FLAGS,),
        returns="0",
        errnos={
            "EINVAL": "an unknown flag, or none",
            "ENOMEM": "beyond RLIMIT_MEMLOCK",
            "EPERM": "no privilege, and a limit of zero",
        },
        advice="Elasticsearch, real-time and security programs do it at start; ENOMEM means that "
        "the limit was not raised for the service.",
    ),
    call(
        "munlockall",
        Category.MEM,
        "Unlock the memory of the whole process",
        "int munlockall(void)",
        returns="0",
        advice="Cheap; the opposite of mlockall.",
    ),
    call(
        "membarrier",
        Category.MEM,
        "Make all running threads pass a memory barrier",
        "int membarrier(int cmd, unsigned int flags, int cpu_id)",
        kinds=(Kind.MEMBARRIER_COMMAND, Kind.HEX, Kind.INT),
        returns="0; a mask of commands for the query",
        errnos={
            "EINVAL": "a command that this kernel does not take",
            "ENOSYS": "the kernel was built without it",
            "EPERM": "the process has not registered for that command",
        },
        advice="The global command can take milliseconds; the expedited ones interrupt other CPUs "
        "and are quick.",
    ),
    call(
        "userfaultfd",
        Category.MEM,
        "Handle page faults of a range in the program itself",
        "int userfaultfd(int flags)",
        kinds=(Kind.USERFAULTFD_FLAGS,),
        returns="a descriptor to read faults from",
        errnos={
            "EINVAL": "an unknown flag",
            "EMFILE": "the process has reached its limit on descriptors",
            "ENOSYS": "the kernel was built without it",
            "EPERM": "disabled for unprivileged users",
        },
        advice="Used to migrate virtual machines and containers while they run.",
    ),
    call(
        "memfd_create",
        Category.MEM,
        "Create a file that lives only in memory",
        "int memfd_create(const char *name, unsigned int flags)",
        kinds=(Kind.STRING, Kind.MEMFD_FLAGS),
        returns="a new descriptor",
        errnos={
            "EINVAL": "an unknown flag, or a name that is too long",
            "EMFILE": "the process has reached its limit on descriptors",
            "ENOMEM": "not enough memory",
        },
        advice="Shared memory for browsers, audio and compositors. Followed by an execve of "
        "/proc/self/fd it runs a program that was never on disk: worth a second look.",
    ),
    call(
        "mbind",
        Category.MEM,
        "Choose the memory nodes that a range comes from",
        "long mbind(void *addr, unsigned long len, int mode, const unsigned long *nodemask, "
        "unsigned long maxnode, unsigned int flags)",
        kinds=(
            Kind.POINTER,
            Kind.SIZE,
            Kind.MEMORY_POLICY,
            Kind.NODE_MASK_IN,
            Kind.SIZE,
            Kind.MBIND_FLAGS,
        ),
        returns="0",
        errnos={
            "EFAULT": "part of the range is not mapped",
            "EINVAL": "a mode, a mask or flags that do not fit",
            "EIO": "pages could not be moved as the flags demand",
            "EPERM": "moving shared pages needs privilege",
        },
        advice="EPERM or ENOSYS inside a container only cost locality.",
    ),
    call(
        "set_mempolicy",
        Category.MEM,
        "Choose the memory nodes that a thread's memory comes from",
        "long set_mempolicy(int mode, const unsigned long *nodemask, unsigned long maxnode)",
        kinds=(Kind.MEMORY_POLICY, Kind.NODE_MASK_IN, Kind.SIZE),
        returns="0",
        errnos={
            "EINVAL": "a mode or a mask that does not fit this machine",
            "ENOMEM": "not enough memory",
        },
        advice="What numactl does; a failure only costs locality.",
    ),
    call(
        "process_vm_readv",
        Category.MEM,
        "Read memory of another process",
        "ssize_t process_vm_readv(pid_t pid, const struct iovec *local_iov, unsigned long "
        "liovcnt, const struct iovec *remote_iov, unsigned long riovcnt, unsigned long flags)",
        kinds=(
            Kind.PID,
            Kind.IOVEC_OUT,
            Kind.SIZE,
            Kind.IOVEC_REMOTE,
            Kind.SIZE,
            Kind.SIZE,
        ),
        returns="bytes read, possibly fewer than asked",
        errnos={
            "EFAULT": "the address is not mapped in that process",
            "EPERM": "the caller may not trace that process",
            "ESRCH": "no such process",
        },
        advice="Debuggers, tracers and profilers at work. EPERM is yama's ptrace_scope or a "
        "container's profile.",
    ),
    call(
        "process_vm_writev",
        Category.MEM,
        "Write memory of another process",
        "ssize_t process_vm_writev(pid_t pid, const struct iovec *local_iov, unsigned long "
        "liovcnt, const struct iovec *remote_iov, unsigned long riovcnt, unsigned long flags)",
        kinds=(
            Kind.PID,
            Kind.IOVEC_IN,
            Kind.SIZE,
            Kind.IOVEC_REMOTE,
            Kind.SIZE,
            Kind.SIZE,
        ),
        returns="bytes written, possibly fewer than asked",
        errnos={
            "EFAULT": "the address is not mapped, or not writable, in that process",
            "EPERM": "the caller may not trace that process",
            "ESRCH": "no such process",
        },
        advice="Debuggers and parallel computing libraries; anything else deserves a second look.",
    ),
)
