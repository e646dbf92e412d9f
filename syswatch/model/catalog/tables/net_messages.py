"""Calls that send and receive over sockets."""

from syswatch.model.catalog.category import Category
from syswatch.model.catalog.entry import call
from syswatch.model.catalog.kinds import ArgumentKind as Kind

CALLS = (
    call(
        "sendto",
        Category.NET,
        "Send bytes, to an address if one is given",
        "ssize_t sendto(int sockfd, const void *buf, size_t len, int flags, const struct sockaddr "
        "*dest_addr, socklen_t addrlen)",
        kinds=(
            Kind.FD,
            Kind.DATAGRAM_IN,
            Kind.SIZE,
            Kind.MSG_FLAGS,
            Kind.SOCKADDR_IN,
            Kind.UINT,
        ),
        returns="bytes sent",
        errnos={
            "EAGAIN": "the send buffer is full, and the socket does not block",
            "ECONNRESET": "the peer broke the connection",
            "EDESTADDRREQ": "no address was given, and the socket is not connected",
            "EMSGSIZE": "too big for one message of this protocol",
            "ENOBUFS": "the queue of the network interface is full",
            "EPIPE": "this end has been shut down, or the peer has gone",
        },
        advice="Waiting means a peer that reads slowly. EPIPE and ECONNRESET are clients that "
        "disconnected; ENOBUFS is a saturated network interface.",
    ),
    call(
        "sendmsg",
        Category.NET,
        "Send a message of several buffers, with control data",
        "ssize_t sendmsg(int sockfd, const struct msghdr *msg, int flags)",
        kinds=(Kind.FD, Kind.MSGHDR_IN, Kind.MSG_FLAGS),
        returns="bytes sent",
        errnos={
            "EAGAIN": "the send buffer is full, and the socket does not block",
            "ECONNRESET": "the peer broke the connection",
            "EMSGSIZE": "too big for one message of this protocol",
            "EPIPE": "this end has been shut down, or the peer has gone",
        },
        advice="As sendto. It is also how processes pass descriptors to each other.",
    ),
    call(
        "sendmmsg",
        Category.NET,
        "Send several messages at once",
        "int sendmmsg(int sockfd, struct mmsghdr *msgvec, unsigned int vlen, int flags)",
        kinds=(Kind.FD, Kind.MMSGHDRS_IN, Kind.UINT, Kind.MSG_FLAGS),
        returns="messages sent, possibly fewer than asked",
        errnos={
            "EAGAIN": "the send buffer is full, and the socket does not block",
            "ECONNREFUSED": "nothing received an earlier message",
            "EMSGSIZE": "a message is too big for this protocol",
        },
        advice="The C library sends its two DNS queries with it, so most name look-ups begin with "
        "it.",
    ),
    call(
        "recvfrom",
        Category.NET,
        "Receive bytes, and the address they came from",
        "ssize_t recvfrom(int sockfd, void *buf, size_t len, int flags, struct sockaddr "
        "*src_addr, socklen_t *addrlen)",
        kinds=(
            Kind.FD,
            Kind.DATAGRAM_OUT,
            Kind.SIZE,
            Kind.MSG_FLAGS,
            Kind.SOCKADDR_OUT,
            Kind.SOCKLEN_INOUT,
        ),
        returns="bytes received; 0 when the peer has closed the stream",
        errnos={
            "EAGAIN": "nothing to receive now, or the receive timeout expired",
            "ECONNREFUSED": "nothing received an earlier message",
            "ECONNRESET": "the peer broke the connection",
            "EINTR": "a signal arrived before any data did",
            "ENOTCONN": "the stream is not connected",
        },
        can_wait=True,
        advice="Waiting is idle time, and EAGAIN routine in an event loop. Many ECONNRESET are a "
        "peer or a load balancer that cuts connections.",
    ),
    call(
        "recvmsg",
        Category.NET,
        "Receive a message into several buffers, with control data",
        "ssize_t recvmsg(int sockfd, struct msghdr *msg, int flags)",
        kinds=(Kind.FD, Kind.MSGHDR_OUT, Kind.MSG_FLAGS),
        returns="bytes received; 0 when the peer has closed the stream",
        errnos={
            "EAGAIN": "nothing to receive now, or the receive timeout expired",
            "ECONNRESET": "the peer broke the connection",
            "EINTR": "a signal arrived before any data did",
        },
        can_wait=True,
        advice="As recvfrom; desktop and D-Bus programs use little else.",
    ),
    call(
        "recvmmsg",
        Category.NET,
        "Receive several messages at once",
        "int recvmmsg(int sockfd, struct mmsghdr *msgvec, unsigned int vlen, int flags, struct "
        "timespec *timeout)",
        kinds=(Kind.FD, Kind.MMSGHDRS_OUT, Kind.UINT, Kind.MSG_FLAGS, Kind.TIMESPEC_IN),
        returns="messages received",
        errnos={
            "EAGAIN": "nothing to receive now, or the receive timeout expired",
            "ECONNREFUSED": "nothing received an earlier message",
            "EINTR": "a signal arrived before any data did",
        },
        can_wait=True,
        advice="The timeout is only checked after a message arrives, so the wait can be longer.",
    ),
)
