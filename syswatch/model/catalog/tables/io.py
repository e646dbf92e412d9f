"""Calls that read, write and steer an open descriptor."""

from syswatch.model.catalog.category import Category
from syswatch.model.catalog.entry import call
from syswatch.model.catalog.kinds import ArgumentKind as Kind

CALLS = (
    call(
        "read",
        Category.IO,
        "Read bytes from a descriptor",
        "ssize_t read(int fd, void *buf, size_t count)",
        kinds=(Kind.FD, Kind.BUFFER_OUT, Kind.SIZE),
        returns="bytes read; 0 at end of file",
        errnos={
            "EAGAIN": "nothing to read now, and the descriptor does not block",
            "EBADF": "the descriptor is not open for reading",
            "EINTR": "a signal arrived before any byte did",
            "EIO": "the device failed, or a background job read from its terminal",
            "EISDIR": "the descriptor is a directory",
        },
        can_wait=True,
        advice="Long reads on sockets, pipes and terminals just wait for the peer; on files they "
        "mean a slow disk or network mount. EAGAIN is routine in an event loop, EIO is not.",
    ),
    call(
        "write",
        Category.IO,
        "Write bytes to a descriptor",
        "ssize_t write(int fd, const void *buf, size_t count)",
        kinds=(Kind.FD, Kind.BUFFER_IN, Kind.SIZE),
        returns="bytes written, possibly fewer than asked",
        errnos={
            "EAGAIN": "the buffer behind it is full, and the descriptor does not block",
            "EBADF": "the descriptor is not open for writing",
            "EDQUOT": "the user's disk quota is exhausted",
            "EIO": "the device failed, perhaps on data written earlier",
            "ENOSPC": "the device is full",
            "EPIPE": "the other end is closed; SIGPIPE is sent as well",
        },
        advice="Slow writes mean a full pipe or socket buffer, or a disk that cannot keep up with "
        "dirty pages. EPIPE is normal when a client hangs up; ENOSPC and EIO lose data.",
    ),
    call(
        "pread64",
        Category.IO,
        "Read at a given position, leaving the file offset alone",
        "ssize_t pread64(int fd, void *buf, size_t count, off_t offset)",
        kinds=(Kind.FD, Kind.BUFFER_OUT, Kind.SIZE, Kind.OFFSET),
        returns="bytes read; 0 at end of file",
        errnos={
            "EBADF": "the descriptor is not open for reading",
            "EINVAL": "the offset is negative, or breaks the alignment that direct I/O needs",
            "ESPIPE": "the descriptor cannot seek: a pipe, a socket, a terminal",
        },
        advice="Common in databases: slow ones mean cache misses that reach the disk. A handful "
        "at program start is the loader reading libraries.",
    ),
    call(
        "pwrite64",
        Category.IO,
        "Write at a given position, leaving the file offset alone",
        "ssize_t pwrite64(int fd, const void *buf, size_t count, off_t offset)",
        kinds=(Kind.FD, Kind.BUFFER_IN, Kind.SIZE, Kind.OFFSET),
        returns="bytes written, possibly fewer than asked",
        errnos={
            "EBADF": "the descriptor is not open for writing",
            "EFBIG": "the file would outgrow its limit",
            "ENOSPC": "the device is full",
            "ESPIPE": "the descriptor cannot seek",
        },
        advice="Slow ones mean write-back throttling or synchronous files; look at the disk "
        "first. ENOSPC needs action.",
    ),
    call(
        "readv",
        Category.IO,
        "Read into several buffers at once",
        "ssize_t readv(int fd, const struct iovec *iov, int iovcnt)",
        kinds=(Kind.FD, Kind.IOVEC_OUT, Kind.INT),
        returns="bytes read over all buffers; 0 at end of file",
        errnos={
            "EAGAIN": "nothing to read now, and the descriptor does not block",
            "EINVAL": "too many buffers, or their lengths add up to too much",
        },
        can_wait=True,
        advice="As read: waiting for a peer is harmless, waiting for a disk is not.",
    ),
    call(
        "writev",
        Category.IO,
        "Write several buffers at once",
        "ssize_t writev(int fd, const struct iovec *iov, int iovcnt)",
        kinds=(Kind.FD, Kind.IOVEC_IN, Kind.INT),
        returns="bytes written over all buffers, possibly fewer than asked",
        errnos={
            "EAGAIN": "the buffer behind it is full, and the descriptor does not block",
            "EINVAL": "too many buffers, or their lengths add up to too much",
            "EPIPE": "the other end is closed; SIGPIPE is sent as well",
        },
        advice="As write: slow means a reader or a disk that does not keep up, and EPIPE is a "
        "peer that disconnected.",
    ),
    call(
        "preadv",
        Category.IO,
        "Read into several buffers from a given position",
        "ssize_t preadv(int fd, const struct iovec *iov, int iovcnt, off_t offset)",
        kinds=(Kind.FD, Kind.IOVEC_OUT, Kind.INT, Kind.OFFSET),
        returns="bytes read over all buffers; 0 at end of file",
        errnos={
            "EINVAL": "a negative offset, or buffers that are too many or too long",
            "ESPIPE": "the descriptor cannot seek",
        },
        advice="Slow ones mean reads that miss the page cache, as with pread64.",
    ),
    call(
        "pwritev",
        Category.IO,
        "Write several buffers at a given position",
        "ssize_t pwritev(int fd, const struct iovec *iov, int iovcnt, off_t offset)",
        kinds=(Kind.FD, Kind.IOVEC_IN, Kind.INT, Kind.OFFSET),
        returns="bytes written over all buffers",
        errnos={
            "EINVAL": "a negative offset, or buffers that are too many or too long",
            "ENOSPC": "the device is full",
            "ESPIPE": "the descriptor cannot seek",
        },
        advice="Slow ones mean write-back throttling or synchronous files, as with pwrite64.",
    ),
    call(
        "preadv2",
        Category.IO,
        "Read into several buffers, with a position and flags for this one call",
        "ssize_t preadv2(int fd, const struct iovec *iov, int iovcnt, unsigned long pos_l, "
        "unsigned long pos_h, int flags)",
        kinds=(Kind.FD, Kind.IOVEC_OUT, Kind.INT, Kind.OFFSET, Kind.OFFSET_HIGH, Kind.RWF_FLAGS),
        returns="bytes read over all buffers; 0 at end of file",
        errnos={
            "EAGAIN": "RWF_NOWAIT was given and the data is not in memory",
            "EOPNOTSUPP": "a flag that this kernel or file system does not know",
        },
        advice="EAGAIN with RWF_NOWAIT is a probe of the page cache and harmless; the caller "
        "falls back to a thread.",
    ),
    call(
        "pwritev2",
        Category.IO,
        "Write several buffers, with a position and flags for this one call",
        "ssize_t pwritev2(int fd, const struct iovec *iov, int iovcnt, unsigned long pos_l, "
        "unsigned long pos_h, int flags)",
        kinds=(Kind.FD, Kind.IOVEC_IN, Kind.INT, Kind.OFFSET, Kind.OFFSET_HIGH, Kind.RWF_FLAGS),
        returns="bytes written over all buffers",
        errnos={
            "EAGAIN": "RWF_NOWAIT was given and the write would have to wait",
            "ENOSPC": "the device is full",
            "EOPNOTSUPP": "a flag that this kernel or file system does not know",
        },
        advice="With RWF_DSYNC or RWF_SYNC each call waits for the disk, so a slow one is the "
        "price of durability.",
    ),
    call(
        "close",
        Category.IO,
        "Close a descriptor",
        "int close(int fd)",
        kinds=(Kind.FD,),
        returns="0",
        errnos={
            "EBADF": "no such open descriptor, often a double close",
            "EINTR": "a signal came in between; the descriptor is gone all the same",
            "EIO": "data written earlier could not be stored",
            "ENOSPC": "a network file system had no space for data written earlier",
        },
        advice="EBADF in a burst is a program closing every possible descriptor before it starts "
        "another, and harmless; now and then from a threaded server it is a real bug. Slow closes "
        "are network mounts flushing.",
    ),
    call(
        "close_range",
        Category.IO,
        "Close every descriptor in a range",
        "int close_range(unsigned int first, unsigned int last, unsigned int flags)",
        kinds=(Kind.UINT, Kind.UINT, Kind.CLOSE_RANGE_FLAGS),
        returns="0",
        errnos={
            "EINVAL": "an unknown flag, or first is above last",
            "ENOMEM": "no memory to copy the descriptor table",
            "ENOSYS": "a kernel older than 5.9",
        },
        advice="Part of starting another program. ENOSYS makes the caller close one by one, which "
        "is slower but correct.",
    ),
    call(
        "lseek",
        Category.IO,
        "Move the file offset",
        "off_t lseek(int fd, off_t offset, int whence)",
        kinds=(Kind.FD, Kind.OFFSET, Kind.SEEK_WHENCE),
        returns="the new offset from the start of the file",
        errnos={
            "EBADF": "no such open descriptor",
            "EINVAL": "an unknown whence, or the result would be negative",
            "ENXIO": "no data, or no hole, from there to the end of the file",
            "ESPIPE": "the descriptor cannot seek: a pipe, a socket, a terminal",
        },
        harmless=("ENXIO", "ESPIPE"),
        advice="ESPIPE is how programs find out that they write into a pipe, and ENXIO ends a "
        "search for data or holes; both are harmless. The call does no I/O, so many of them "
        "only cost CPU.",
    ),
    call(
        "dup",
        Category.IO,
        "Make a second descriptor for the same open file",
        "int dup(int oldfd)",
        kinds=(Kind.FD,),
        returns="the new descriptor, the lowest one free",
        errnos={
            "EBADF": "no such open descriptor",
            "EMFILE": "the process has reached its limit on descriptors",
        },
        advice="Always fast. EMFILE means a descriptor leak or a limit that is too low.",
    ),
    call(
        "dup2",
        Category.IO,
        "Make a given descriptor refer to the same open file as another",
        "int dup2(int oldfd, int newfd)",
        kinds=(Kind.FD, Kind.FD),
        returns="the new descriptor",
        errnos={
            "EBADF": "the old one is not open, or the new one is out of range",
            "EBUSY": "another thread is opening that very descriptor",
            "EINTR": "a signal arrived",
        },
        advice="Shells use it for redirections. EBUSY indicates two threads that race for one "
        "descriptor.",
    ),
    call(
        "dup3",
        Category.IO,
        "Do as dup2, and set close-on-exec in the same step",
        "int dup3(int oldfd, int newfd, int flags)",
        kinds=(Kind.FD, Kind.FD, Kind.FD_FLAGS),
        returns="the new descriptor",
        errnos={
            "EBADF": "the old one is not open, or the new one is out of range",
            "EBUSY": "another thread is opening that very descriptor",
            "EINVAL": "both descriptors are the same, or an unknown flag",
        },
        advice="Always fast; a failure is a mistake of the program.",
    ),
    call(
        "fcntl",
        Category.IO,
        "Query or change a descriptor: flags, locks, duplicates, pipe size",
        "int fcntl(int fd, int cmd, unsigned long arg)",
        kinds=(Kind.FD, Kind.FCNTL_COMMAND, Kind.FCNTL_ARGUMENT),
        returns="depends on the command: flags, a new descriptor, or 0",
        errnos={
            "EACCES": "another process holds a lock that conflicts",
            "EAGAIN": "another process holds a lock that conflicts",
            "EBADF": "no such open descriptor, or not open the way that the lock needs",
            "EDEADLK": "waiting for this lock would deadlock",
            "EINVAL": "a command or an argument that is invalid for this file",
            "EMFILE": "no descriptor left for the duplicate",
        },
        advice="Only F_SETLKW and F_OFD_SETLKW wait: a slow one is contention for a file lock. "
        "EAGAIN from a lock that does not wait is an answer, not a fault.",
    ),
    call(
        "ioctl",
        Category.IO,
        "Send a device-specific request",
        "int ioctl(int fd, unsigned long request, void *argp)",
        kinds=(Kind.FD, Kind.IOCTL_REQUEST, Kind.OPAQUE_IN),
        returns="depends on the request; mostly 0",
        errnos={
            "EBADF": "no such open descriptor",
            "EFAULT": "the argument points at memory that cannot be used",
            "EINVAL": "the device does not take this request or argument",
            "ENOTTY": "the descriptor is not the kind of device this request is for",
        },
        advice="ENOTTY is how a program learns that its output is not a terminal: harmless. How "
        "long a request takes depends on the driver.",
    ),
)
