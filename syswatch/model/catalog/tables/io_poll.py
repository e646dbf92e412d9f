"""Calls that wait until a descriptor is ready, and those that make such waits possible."""

from syswatch.model.catalog.category import Category
from syswatch.model.catalog.entry import call
from syswatch.model.catalog.kinds import ArgumentKind as Kind

CALLS = (
    call(
        "poll",
        Category.IO,
        "Wait until one of a list of descriptors is ready",
        "int poll(struct pollfd *fds, nfds_t nfds, int timeout)",
        kinds=(Kind.POLLFDS_INOUT, Kind.SIZE, Kind.INT),
        returns="descriptors with something to report; 0 when the timeout expired",
        errnos={
            "EINTR": "a signal ended the wait",
            "EINVAL": "more descriptors than the limit on open files",
            "ENOMEM": "no memory for the kernel's tables",
        },
        can_wait=True,
        advice="Time spent here is idle time. If it returns at once over and over, the program is "
        "spinning on a descriptor that it does not drain.",
    ),
    call(
        "ppoll",
        Category.IO,
        "Do as poll, with a precise timeout and a signal mask for the wait",
        "int ppoll(struct pollfd *fds, nfds_t nfds, struct timespec *tmo_p, const sigset_t "
        "*sigmask, size_t sigsetsize)",
        kinds=(Kind.POLLFDS_INOUT, Kind.SIZE, Kind.TIMESPEC_IN, Kind.SIGSET_IN, Kind.SIZE),
        returns="descriptors with something to report; 0 when the timeout expired",
        errnos={
            "EINTR": "a signal ended the wait",
            "EINVAL": "a malformed timeout, or too many descriptors",
        },
        can_wait=True,
        advice="Time spent here is idle time, as with poll.",
    ),
    call(
        "select",
        Category.IO,
        "Wait until one descriptor of three sets is ready",
        "int select(int nfds, fd_set *readfds, fd_set *writefds, fd_set *exceptfds, struct "
        "timeval *timeout)",
        kinds=(
            Kind.INT,
            Kind.FD_SET_INOUT,
            Kind.FD_SET_INOUT,
            Kind.FD_SET_INOUT,
            Kind.TIMEVAL_IN,
        ),
        returns="ready descriptors over all sets; 0 when the timeout expired",
        errnos={
            "EBADF": "a descriptor in a set is not open",
            "EINTR": "a signal ended the wait",
            "EINVAL": "nfds or the timeout makes no sense",
        },
        can_wait=True,
        advice="Time spent here is idle time; with no sets at all it is a sleep. The C library's "
        "sets end at descriptor 1023, and programs that exceed it corrupt memory.",
    ),
    call(
        "pselect6",
        Category.IO,
        "Do as select, with a precise timeout and a signal mask for the wait",
        "int pselect6(int nfds, fd_set *readfds, fd_set *writefds, fd_set *exceptfds, struct "
        "timespec *timeout, const void *sigmask)",
        kinds=(
            Kind.INT,
            Kind.FD_SET_INOUT,
            Kind.FD_SET_INOUT,
            Kind.FD_SET_INOUT,
            Kind.TIMESPEC_IN,
            Kind.OPAQUE_IN,
        ),
        returns="ready descriptors over all sets; 0 when the timeout expired",
        errnos={
            "EBADF": "a descriptor in a set is not open",
            "EINTR": "a signal ended the wait",
            "EINVAL": "nfds or the timeout makes no sense",
        },
        can_wait=True,
        advice="Time spent here is idle time, as with select.",
    ),
    call(
        "epoll_create",
        Category.IO,
        "Create an interest list for many descriptors, by the old interface",
        "int epoll_create(int size)",
        kinds=(Kind.INT,),
        returns="a descriptor for the list",
        errnos={
            "EINVAL": "the size is not positive",
            "EMFILE": "the process has reached its limit on descriptors",
            "ENFILE": "the machine has reached its limit on open files",
        },
        advice="Once at start-up. EMFILE means a descriptor leak or a limit that is too low.",
    ),
    call(
        "epoll_create1",
        Category.IO,
        "Create an interest list for many descriptors",
        "int epoll_create1(int flags)",
        kinds=(Kind.EPOLL_FLAGS,),
        returns="a descriptor for the list",
        errnos={
            "EINVAL": "an unknown flag",
            "EMFILE": "the process has reached its limit on descriptors",
            "ENFILE": "the machine has reached its limit on open files",
        },
        advice="Once for each event loop. Many of them mean that loops are created and discarded.",
    ),
    call(
        "epoll_ctl",
        Category.IO,
        "Add, change or drop a descriptor of an interest list",
        "int epoll_ctl(int epfd, int op, int fd, struct epoll_event *event)",
        kinds=(Kind.FD, Kind.EPOLL_OP, Kind.FD, Kind.EPOLL_EVENT_IN),
        returns="0",
        errnos={
            "EBADF": "one of the descriptors is not open",
            "EEXIST": "the descriptor is on the list already",
            "ENOENT": "the descriptor is not on the list",
            "ENOSPC": "the user's limit on watches is reached",
            "EPERM": "the descriptor cannot be polled: a plain file or a directory",
        },
        harmless=("EPERM",),
        advice="EPERM for plain files, and EEXIST or ENOENT in libraries that try one operation "
        "and then the other, are harmless. EBADF suggests a descriptor that was closed "
        "without removing it.",
    ),
    call(
        "epoll_wait",
        Category.IO,
        "Wait for events of an interest list",
        "int epoll_wait(int epfd, struct epoll_event *events, int maxevents, int timeout)",
        kinds=(Kind.FD, Kind.EPOLL_EVENTS_OUT, Kind.INT, Kind.INT),
        returns="events delivered; 0 when the timeout expired",
        errnos={
            "EBADF": "the list is not an open descriptor",
            "EINTR": "a signal ended the wait",
            "EINVAL": "not an interest list, or maxevents is not positive",
        },
        can_wait=True,
        advice="Time spent here is idle time, so being first in the table by time is healthy. "
        "Thousands of instant returns a second with few events mean a busy loop.",
    ),
    call(
        "epoll_pwait",
        Category.IO,
        "Do as epoll_wait, with a signal mask for the wait",
        "int epoll_pwait(int epfd, struct epoll_event *events, int maxevents, int timeout, const "
        "sigset_t *sigmask, size_t sigsetsize)",
        kinds=(
            Kind.FD,
            Kind.EPOLL_EVENTS_OUT,
            Kind.INT,
            Kind.INT,
            Kind.SIGSET_IN,
            Kind.SIZE,
        ),
        returns="events delivered; 0 when the timeout expired",
        errnos={
            "EBADF": "the list is not an open descriptor",
            "EINTR": "a signal ended the wait",
            "EINVAL": "not an interest list, or maxevents is not positive",
        },
        can_wait=True,
        advice="Time spent here is idle time; Go and Node programs live in it.",
    ),
    call(
        "epoll_pwait2",
        Category.IO,
        "Do as epoll_pwait, with a timeout in nanoseconds",
        "int epoll_pwait2(int epfd, struct epoll_event *events, int maxevents, const struct "
        "timespec *timeout, const sigset_t *sigmask, size_t sigsetsize)",
        kinds=(
            Kind.FD,
            Kind.EPOLL_EVENTS_OUT,
            Kind.INT,
            Kind.TIMESPEC_IN,
            Kind.SIGSET_IN,
            Kind.SIZE,
        ),
        returns="events delivered; 0 when the timeout expired",
        errnos={
            "EBADF": "the list is not an open descriptor",
            "EINTR": "a signal ended the wait",
            "EINVAL": "not an interest list, or maxevents is not positive",
            "ENOSYS": "a kernel older than 5.11",
        },
        can_wait=True,
        advice="Time spent here is idle time, as with epoll_wait.",
    ),
)
