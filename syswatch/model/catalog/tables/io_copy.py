"""Calls that move bytes between descriptors inside the kernel."""

from syswatch.model.catalog.category import Category
from syswatch.model.catalog.entry import call
from syswatch.model.catalog.kinds import ArgumentKind as Kind

CALLS = (
    call(
        "sendfile",
        Category.IO,
        "Copy bytes between descriptors inside the kernel",
        "ssize_t sendfile(int out_fd, int in_fd, off_t *offset, size_t count)",
        kinds=(Kind.FD, Kind.FD, Kind.OFFSET_INOUT, Kind.SIZE),
        returns="bytes copied, possibly fewer than asked",
        errnos={
            "EAGAIN": "the output is full, and it does not block",
            "EINVAL": "a pair of descriptors that does not support this",
            "EIO": "the input could not be read",
            "EPIPE": "the peer of the output has gone",
        },
        advice="Slow ones mean a client or a disk that reads slowly. EINVAL makes most callers "
        "fall back to read and write.",
    ),
    call(
        "splice",
        Category.IO,
        "Move bytes between a pipe and another descriptor without copying",
        "ssize_t splice(int fd_in, off_t *off_in, int fd_out, off_t *off_out, size_t len, "
        "unsigned int flags)",
        kinds=(
            Kind.FD,
            Kind.OFFSET_INOUT,
            Kind.FD,
            Kind.OFFSET_INOUT,
            Kind.SIZE,
            Kind.SPLICE_FLAGS,
        ),
        returns="bytes moved; 0 at the end of input",
        errnos={
            "EAGAIN": "it would have to wait, and SPLICE_F_NONBLOCK was given",
            "EINVAL": "neither side is a pipe, or the file system cannot splice",
            "ESPIPE": "an offset was given for a pipe",
        },
        advice="Many proxies are built on it: waiting is normal while either side is idle.",
    ),
    call(
        "tee",
        Category.IO,
        "Copy bytes from one pipe to another without consuming them",
        "ssize_t tee(int fd_in, int fd_out, size_t len, unsigned int flags)",
        kinds=(Kind.FD, Kind.FD, Kind.SIZE, Kind.SPLICE_FLAGS),
        returns="bytes copied; 0 at the end of input",
        errnos={
            "EAGAIN": "it would have to wait, and SPLICE_F_NONBLOCK was given",
            "EINVAL": "a side is not a pipe, or both are the same pipe",
        },
        advice="Waits until one pipe has data and the other has space; slow means that a peer is "
        "slow.",
    ),
    call(
        "vmsplice",
        Category.IO,
        "Map memory of the caller into a pipe, or copy a pipe into it",
        "ssize_t vmsplice(int fd, const struct iovec *iov, size_t nr_segs, unsigned int flags)",
        kinds=(Kind.FD, Kind.IOVEC_IN, Kind.SIZE, Kind.SPLICE_FLAGS),
        returns="bytes moved",
        errnos={
            "EAGAIN": "the pipe is full, and SPLICE_F_NONBLOCK was given",
            "EBADF": "the descriptor is not a pipe",
            "EINVAL": "too many segments, or badly aligned gifts",
        },
        advice="Waits while the pipe is full, so a slow one is a slow reader.",
    ),
    call(
        "copy_file_range",
        Category.IO,
        "Copy part of a file to another file inside the kernel",
        "ssize_t copy_file_range(int fd_in, off_t *off_in, int fd_out, off_t *off_out, size_t "
        "len, unsigned int flags)",
        kinds=(Kind.FD, Kind.OFFSET_INOUT, Kind.FD, Kind.OFFSET_INOUT, Kind.SIZE, Kind.UINT),
        returns="bytes copied; 0 at the end of input",
        errnos={
            "EBADF": "a descriptor is not open the right way, or the output appends",
            "EINVAL": "not regular files, overlapping ranges, or a flag",
            "ENOSPC": "the device is full",
            "EXDEV": "the files are on file systems that cannot copy to each other",
        },
        advice="May share blocks and finish at once, or copy gigabytes in one call: slow means a "
        "big copy. EXDEV and EINVAL make tools fall back to read and write.",
    ),
)
