"""Calls that queue I/O to be done in the background."""

from syswatch.model.catalog.category import Category
from syswatch.model.catalog.entry import call
from syswatch.model.catalog.kinds import ArgumentKind as Kind

CALLS = (
    call(
        "io_uring_setup",
        Category.IO,
        "Create a pair of rings for asynchronous requests",
        "int io_uring_setup(unsigned int entries, struct io_uring_params *p)",
        kinds=(Kind.UINT, Kind.IO_URING_PARAMS_INOUT),
        returns="a descriptor for the rings",
        errnos={
            "EINVAL": "a size or a flag that this kernel does not take",
            "ENOMEM": "not enough memory, or beyond the limit on locked memory",
            "ENOSYS": "the kernel was built without it, or a sandbox hides it",
            "EPERM": "disabled for this user by sysctl, or the flags need privilege",
        },
        harmless=("ENOSYS", "EPERM"),
        advice="ENOSYS and EPERM are usual inside containers, and programs fall back to epoll. "
        "Requests made through the rings show up as no system call at all.",
    ),
    call(
        "io_uring_enter",
        Category.IO,
        "Submit asynchronous requests and wait for completions",
        "int io_uring_enter(unsigned int fd, unsigned int to_submit, unsigned int min_complete, "
        "unsigned int flags, const void *arg, size_t argsz)",
        kinds=(Kind.FD, Kind.UINT, Kind.UINT, Kind.IO_URING_ENTER_FLAGS, Kind.SIGSET_IN, Kind.SIZE),
        returns="requests taken from the submission ring",
        errnos={
            "EAGAIN": "no memory for a request just now",
            "EBUSY": "completions overflow; collect some first",
            "EINTR": "a signal ended the wait",
            "ETIME": "the timeout of the wait expired",
        },
        can_wait=True,
        advice="With min_complete above 0 it is an idle event loop, so long times are normal. "
        "EBUSY means that the program collects completions too slowly.",
    ),
    call(
        "io_uring_register",
        Category.IO,
        "Register buffers, files or options with a pair of rings",
        "int io_uring_register(unsigned int fd, unsigned int opcode, void *arg, unsigned int "
        "nr_args)",
        kinds=(Kind.FD, Kind.IO_URING_OPERATION, Kind.IO_URING_REGISTERED_IN, Kind.UINT),
        returns="0, or a positive number for some operations",
        errnos={
            "EBUSY": "something of that kind is registered already",
            "EINVAL": "an operation or an argument that this kernel does not take",
            "ENOMEM": "beyond the limit on locked memory",
        },
        harmless=("EINVAL",),
        advice="Part of start-up; libraries probe with it, so EINVAL is often harmless. A slow "
        "one in a busy program waits for requests in flight.",
    ),
    call(
        "io_setup",
        Category.IO,
        "Create a context for native asynchronous I/O",
        "int io_setup(unsigned int nr_events, aio_context_t *ctx_idp)",
        kinds=(Kind.UINT, Kind.POINTER),
        returns="0",
        errnos={
            "EAGAIN": "the limit fs.aio-max-nr is reached",
            "EINVAL": "the context was not zero, or the number is out of range",
            "ENOMEM": "no memory for the ring",
        },
        advice="EAGAIN is a known trap on hosts with many databases: raise fs.aio-max-nr.",
    ),
    call(
        "io_submit",
        Category.IO,
        "Queue native asynchronous requests",
        "int io_submit(aio_context_t ctx_id, long nr, struct iocb **iocbpp)",
        kinds=(Kind.HEX, Kind.LONG, Kind.POINTER),
        returns="requests queued, possibly fewer than asked",
        errnos={
            "EAGAIN": "no free slot in the context",
            "EBADF": "the first request names a descriptor that is not open",
            "EINVAL": "a bad context or a malformed request",
        },
        advice="Supposed to return at once. When it is slow the file is not opened for direct "
        "I/O, or the device's queue is full.",
    ),
    call(
        "io_getevents",
        Category.IO,
        "Collect finished asynchronous requests",
        "int io_getevents(aio_context_t ctx_id, long min_nr, long nr, struct io_event *events, "
        "struct timespec *timeout)",
        kinds=(Kind.HEX, Kind.LONG, Kind.LONG, Kind.POINTER, Kind.TIMESPEC_IN),
        returns="events collected; fewer than min_nr when the timeout expired",
        errnos={
            "EINTR": "a signal ended the wait",
            "EINVAL": "a bad context or bad numbers",
        },
        can_wait=True,
        advice="Waits for the disk on purpose; its time is the latency of the requests in flight.",
    ),
    call(
        "io_destroy",
        Category.IO,
        "Close an asynchronous I/O context, waiting for what is in flight",
        "int io_destroy(aio_context_t ctx_id)",
        kinds=(Kind.HEX,),
        returns="0",
        errnos={"EINVAL": "no such context"},
        advice="May wait for the last requests at shutdown; slow means a slow disk.",
    ),
    call(
        "io_cancel",
        Category.IO,
        "Try to cancel one asynchronous request",
        "int io_cancel(aio_context_t ctx_id, struct iocb *iocb, struct io_event *result)",
        kinds=(Kind.HEX, Kind.POINTER, Kind.POINTER),
        returns="not 0 even if it worked: the result is delivered as an event",
        errnos={
            "EAGAIN": "the request could not be cancelled",
            "EINPROGRESS": "it is being cancelled; an event will follow",
            "EINVAL": "a bad context, or no such request",
        },
        advice="Few kinds of request can be cancelled at all, so failures are expected.",
    ),
)
