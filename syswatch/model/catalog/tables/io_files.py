"""Calls that steer the cache, the space and the locks of an open file, and make it safe."""

from syswatch.model.catalog.category import Category
from syswatch.model.catalog.entry import call
from syswatch.model.catalog.kinds import ArgumentKind as Kind

CALLS = (
    call(
        "fsync",
        Category.IO,
        "Wait until a file's data and attributes are on the disk",
        "int fsync(int fd)",
        kinds=(Kind.FD,),
        returns="0",
        errnos={
            "EBADF": "no such open descriptor",
            "EINVAL": "the descriptor is of a kind that cannot be synced",
            "EIO": "writing failed; data written since the last sync may be lost",
            "ENOSPC": "no space for data that was accepted earlier",
        },
        advice="Meant to be slow: it takes as long as the disk does, and sets the pace of a "
        "database commit. EIO must not be retried blindly, the kernel may have dropped the pages.",
    ),
    call(
        "fdatasync",
        Category.IO,
        "Wait until a file's data is on the disk, without attributes that are not needed to read "
        "it",
        "int fdatasync(int fd)",
        kinds=(Kind.FD,),
        returns="0",
        errnos={
            "EBADF": "no such open descriptor",
            "EINVAL": "the descriptor is of a kind that cannot be synced",
            "EIO": "writing failed; data written since the last sync may be lost",
            "ENOSPC": "no space for data that was accepted earlier",
        },
        advice="As fsync, a little cheaper. Rising times here are the disk's latency, seen "
        "directly.",
    ),
    call(
        "sync",
        Category.IO,
        "Write every file system's pending data to its disk",
        "void sync(void)",
        returns="0; the call cannot fail",
        advice="Takes as long as all dirty data of the machine does, and slows down other "
        "processes meanwhile. Rarely right in a service.",
    ),
    call(
        "syncfs",
        Category.IO,
        "Write one file system's pending data to its disk",
        "int syncfs(int fd)",
        kinds=(Kind.FD,),
        returns="0",
        errnos={
            "EBADF": "no such open descriptor",
            "EIO": "writing failed somewhere on that file system",
            "ENOSPC": "no space for data that was accepted earlier",
        },
        advice="Slow in proportion to what others have written to that file system as well.",
    ),
    call(
        "sync_file_range",
        Category.IO,
        "Start or await the writing of part of a file",
        "int sync_file_range(int fd, off_t offset, off_t nbytes, unsigned int flags)",
        kinds=(Kind.FD, Kind.OFFSET, Kind.OFFSET, Kind.SYNC_RANGE_FLAGS),
        returns="0",
        errnos={
            "EINVAL": "a bad range, or an unknown flag",
            "EIO": "writing failed",
            "ESPIPE": "the descriptor is neither a file nor a block device",
        },
        advice="A way to smooth write-back; it waits when the disk's queue is full. It does not "
        "make data safe against a power cut.",
    ),
    call(
        "fallocate",
        Category.IO,
        "Reserve, free or zero space inside a file",
        "int fallocate(int fd, int mode, off_t offset, off_t len)",
        kinds=(Kind.FD, Kind.FALLOCATE_MODE, Kind.OFFSET, Kind.OFFSET),
        returns="0",
        errnos={
            "EFBIG": "the file would grow beyond the largest size",
            "EINVAL": "a bad range, or one that the mode does not allow",
            "ENOSPC": "not enough space on the device",
            "EOPNOTSUPP": "the file system has no such operation",
        },
        advice="EOPNOTSUPP is common on network and stacked file systems, and callers fall back "
        "to writing zeroes. ENOSPC here is an early warning.",
    ),
    call(
        "fadvise64",
        Category.IO,
        "Announce how a file will be read",
        "int fadvise64(int fd, off_t offset, size_t len, int advice)",
        kinds=(Kind.FD, Kind.OFFSET, Kind.SIZE, Kind.FADVICE),
        returns="0",
        errnos={
            "EBADF": "no such open descriptor",
            "EINVAL": "unknown advice",
            "ESPIPE": "the descriptor is a pipe",
        },
        harmless=("ESPIPE",),
        advice="A hint: failures change nothing but speed. ESPIPE from tools that read standard "
        "input is harmless.",
    ),
    call(
        "readahead",
        Category.IO,
        "Read part of a file into the page cache",
        "ssize_t readahead(int fd, off_t offset, size_t count)",
        kinds=(Kind.FD, Kind.OFFSET, Kind.SIZE),
        returns="0",
        errnos={
            "EBADF": "the descriptor is not open for reading",
            "EINVAL": "the file is of a kind that cannot be read ahead",
        },
        advice="A hint that can still wait for the disk while it queues its reads.",
    ),
    call(
        "flock",
        Category.IO,
        "Take or release a lock on a whole open file",
        "int flock(int fd, int operation)",
        kinds=(Kind.FD, Kind.FLOCK_OPERATION),
        returns="0",
        errnos={
            "EAGAIN": "the lock is held, and LOCK_NB was given",
            "EBADF": "no such open descriptor",
            "EINTR": "a signal ended the wait",
            "ENOLCK": "the kernel has no memory for another lock",
        },
        can_wait=True,
        advice="A slow one is waiting for the lock: find the process that holds it with lslocks. "
        "EAGAIN mostly means that another copy is already running.",
    ),
    call(
        "cachestat",
        Category.IO,
        "Count which pages of a file are in the page cache",
        "int cachestat(unsigned int fd, struct cachestat_range *range, struct cachestat *stats, "
        "unsigned int flags)",
        kinds=(Kind.FD, Kind.OPAQUE_IN, Kind.POINTER, Kind.HEX),
        returns="0",
        errnos={
            "EBADF": "no such open descriptor",
            "ENOSYS": "a kernel older than 6.5",
            "EOPNOTSUPP": "the file is on hugetlbfs",
        },
        advice="Only asks; it never reads the disk.",
    ),
)
