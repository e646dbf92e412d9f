"""Calls on POSIX message queues."""

from syswatch.model.catalog.category import Category
from syswatch.model.catalog.entry import call
from syswatch.model.catalog.kinds import ArgumentKind as Kind

CALLS = (
    call(
        "mq_open",
        Category.IPC,
        "Open a POSIX message queue, creating it if asked",
        "mqd_t mq_open(const char *name, int oflag, mode_t mode, struct mq_attr *attr)",
        kinds=(Kind.STRING, Kind.OPEN_FLAGS, Kind.MODE, Kind.MQ_ATTRIBUTES_IN),
        returns="a new descriptor",
        errnos={
            "EACCES": "the caller has no right to the queue",
            "EEXIST": "the queue exists, and the caller wanted to create it",
            "EINVAL": "a bad name, or sizes beyond the limits",
            "EMFILE": "the limit on descriptors, or on memory for queues, is reached",
            "ENOENT": "no such queue, and the caller did not want to create it",
        },
        advice="EMFILE mostly means RLIMIT_MSGQUEUE, and EINVAL fs.mqueue.msg_max.",
    ),
    call(
        "mq_unlink",
        Category.IPC,
        "Remove the name of a POSIX message queue",
        "int mq_unlink(const char *name)",
        kinds=(Kind.STRING,),
        returns="0",
        errnos={
            "EACCES": "the caller has no right to remove it",
            "ENOENT": "no such queue",
        },
        advice="ENOENT before a fresh start is harmless.",
    ),
    call(
        "mq_timedsend",
        Category.IPC,
        "Put a message on a POSIX queue, waiting for a limited time",
        "int mq_timedsend(mqd_t mqdes, const char *msg_ptr, size_t msg_len, unsigned int "
        "msg_prio, const struct timespec *abs_timeout)",
        kinds=(Kind.FD, Kind.BUFFER_IN, Kind.SIZE, Kind.UINT, Kind.TIMESPEC_IN),
        returns="0",
        errnos={
            "EAGAIN": "the queue is full, and it does not block",
            "EINTR": "a signal ended the wait",
            "EMSGSIZE": "longer than messages of this queue may be",
            "ETIMEDOUT": "the timeout expired",
        },
        advice="Waiting means that no process takes messages off the queue.",
    ),
    call(
        "mq_timedreceive",
        Category.IPC,
        "Take a message off a POSIX queue, waiting for a limited time",
        "ssize_t mq_timedreceive(mqd_t mqdes, char *msg_ptr, size_t msg_len, unsigned int "
        "*msg_prio, const struct timespec *abs_timeout)",
        kinds=(Kind.FD, Kind.BUFFER_OUT, Kind.SIZE, Kind.INT_OUT, Kind.TIMESPEC_IN),
        returns="length of the message",
        errnos={
            "EAGAIN": "the queue is empty, and it does not block",
            "EINTR": "a signal ended the wait",
            "EMSGSIZE": "the buffer is smaller than the queue's messages",
            "ETIMEDOUT": "the timeout expired",
        },
        can_wait=True,
        advice="Idle time; ETIMEDOUT is a timeout that expired.",
    ),
    call(
        "mq_notify",
        Category.IPC,
        "Request a notification when a message arrives on an empty POSIX queue",
        "int mq_notify(mqd_t mqdes, const struct sigevent *sevp)",
        kinds=(Kind.FD, Kind.SIGEVENT_IN),
        returns="0",
        errnos={
            "EBADF": "not a message queue",
            "EBUSY": "another process has requested it already",
        },
        advice="It is for one message; programs request it again each time.",
    ),
    call(
        "mq_getsetattr",
        Category.IPC,
        "Read or change the attributes of a POSIX queue",
        "int mq_getsetattr(mqd_t mqdes, const struct mq_attr *newattr, struct mq_attr *oldattr)",
        kinds=(Kind.FD, Kind.MQ_ATTRIBUTES_IN, Kind.MQ_ATTRIBUTES_OUT),
        returns="0",
        errnos={
            "EBADF": "not a message queue",
            "EINVAL": "an unknown flag",
        },
        advice="Cheap.",
    ),
)
