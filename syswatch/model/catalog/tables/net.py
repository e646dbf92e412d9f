"""Calls on sockets: making them, connecting them, asking about them."""

from syswatch.model.catalog.category import Category
from syswatch.model.catalog.entry import call
from syswatch.model.catalog.kinds import ArgumentKind as Kind

CALLS = (
    call(
        "socket",
        Category.NET,
        "Create a socket",
        "int socket(int domain, int type, int protocol)",
        kinds=(Kind.SOCKET_DOMAIN, Kind.SOCKET_TYPE, Kind.SOCKET_PROTOCOL),
        returns="a new descriptor",
        errnos={
            "EACCES": "this kind of socket needs privilege",
            "EAFNOSUPPORT": "the kernel, or a sandbox, has no such address family",
            "EMFILE": "the process has reached its limit on descriptors",
            "EPROTONOSUPPORT": "no such protocol in this family",
        },
        advice="EAFNOSUPPORT for AF_INET6 just means a host without IPv6. EMFILE is a connection "
        "leak or a low limit.",
    ),
    call(
        "socketpair",
        Category.NET,
        "Create two sockets connected to each other",
        "int socketpair(int domain, int type, int protocol, int sv[2])",
        kinds=(
            Kind.SOCKET_DOMAIN,
            Kind.SOCKET_TYPE,
            Kind.SOCKET_PROTOCOL,
            Kind.FD_PAIR_OUT,
        ),
        returns="0",
        errnos={
            "EAFNOSUPPORT": "the kernel has no such address family",
            "EMFILE": "the process has reached its limit on descriptors",
            "EOPNOTSUPP": "the protocol cannot make pairs",
        },
        advice="A channel between a parent and its child; cheap.",
    ),
    call(
        "bind",
        Category.NET,
        "Give a socket its local address",
        "int bind(int sockfd, const struct sockaddr *addr, socklen_t addrlen)",
        kinds=(Kind.FD, Kind.SOCKADDR_IN, Kind.UINT),
        returns="0",
        errnos={
            "EACCES": "a port below 1024 without privilege, or a directory that may not be written",
            "EADDRINUSE": "another socket has the address",
            "EADDRNOTAVAIL": "no interface of this machine has the address",
            "EINVAL": "the socket has an address already, or the address is malformed",
        },
        advice="EADDRINUSE at start-up: another instance is running, or the old one has not "
        "closed its socket. EADDRNOTAVAIL at boot: the service is up before the network.",
    ),
    call(
        "listen",
        Category.NET,
        "Let a socket accept connections",
        "int listen(int sockfd, int backlog)",
        kinds=(Kind.FD, Kind.INT),
        returns="0",
        errnos={
            "EADDRINUSE": "another socket listens on the port",
            "EOPNOTSUPP": "a socket of this type cannot listen",
        },
        advice="Never slow. The backlog is silently limited to net.core.somaxconn.",
    ),
    call(
        "accept",
        Category.NET,
        "Accept the next waiting connection",
        "int accept(int sockfd, struct sockaddr *addr, socklen_t *addrlen)",
        kinds=(Kind.FD, Kind.SOCKADDR_OUT, Kind.SOCKLEN_INOUT),
        returns="a descriptor for the connection",
        errnos={
            "EAGAIN": "no connection is waiting, and the socket does not block",
            "ECONNABORTED": "the peer gave up before it was accepted",
            "EINTR": "a signal ended the wait",
            "EMFILE": "the process has reached its limit on descriptors",
        },
        can_wait=True,
        advice="Waiting is idle time, and EAGAIN is routine with many workers. EMFILE makes a "
        "server spin on a connection that it cannot accept.",
    ),
    call(
        "accept4",
        Category.NET,
        "Accept the next waiting connection, with flags for its descriptor",
        "int accept4(int sockfd, struct sockaddr *addr, socklen_t *addrlen, int flags)",
        kinds=(Kind.FD, Kind.SOCKADDR_OUT, Kind.SOCKLEN_INOUT, Kind.SOCKET_FLAGS),
        returns="a descriptor for the connection",
        errnos={
            "EAGAIN": "no connection is waiting, and the socket does not block",
            "ECONNABORTED": "the peer gave up before it was accepted",
            "EINTR": "a signal ended the wait",
            "EMFILE": "the process has reached its limit on descriptors",
            "ENFILE": "the machine has reached its limit on open files",
        },
        can_wait=True,
        advice="Waiting is idle time, and EAGAIN is routine with many workers. EMFILE makes a "
        "server spin on a connection that it cannot accept.",
    ),
    call(
        "connect",
        Category.NET,
        "Connect a socket to an address",
        "int connect(int sockfd, const struct sockaddr *addr, socklen_t addrlen)",
        kinds=(Kind.FD, Kind.SOCKADDR_IN, Kind.UINT),
        returns="0 when connected",
        errnos={
            "EADDRNOTAVAIL": "no local port is free",
            "ECONNREFUSED": "nothing listens there",
            "EINPROGRESS": "the connection is in progress; the socket does not block",
            "ENETUNREACH": "no route to that network",
            "ENOENT": "no socket file at that path",
            "ETIMEDOUT": "the peer did not answer at all",
        },
        advice="EINPROGRESS is how event loops connect. ECONNREFUSED is a service that is down; "
        "slow connects and ETIMEDOUT are a firewall, a lost route or a full backlog.",
    ),
    call(
        "shutdown",
        Category.NET,
        "End one or both directions of a connection",
        "int shutdown(int sockfd, int how)",
        kinds=(Kind.FD, Kind.SHUTDOWN_HOW),
        returns="0",
        errnos={
            "EBADF": "no such open descriptor",
            "ENOTCONN": "the socket is not connected, or not any more",
        },
        harmless=("ENOTCONN",),
        advice="ENOTCONN means that the peer closed first, and is harmless.",
    ),
    call(
        "getsockname",
        Category.NET,
        "Get a socket's own address",
        "int getsockname(int sockfd, struct sockaddr *addr, socklen_t *addrlen)",
        kinds=(Kind.FD, Kind.SOCKADDR_OUT, Kind.SOCKLEN_INOUT),
        returns="0",
        errnos={
            "EBADF": "no such open descriptor",
            "ENOTSOCK": "the descriptor is not a socket",
        },
        advice="Cheap. ENOTSOCK is a program checking what kind of descriptor it was given.",
    ),
    call(
        "getpeername",
        Category.NET,
        "Get the address at the other end",
        "int getpeername(int sockfd, struct sockaddr *addr, socklen_t *addrlen)",
        kinds=(Kind.FD, Kind.SOCKADDR_OUT, Kind.SOCKLEN_INOUT),
        returns="0",
        errnos={
            "ENOTCONN": "the socket is not connected",
            "ENOTSOCK": "the descriptor is not a socket",
        },
        advice="ENOTCONN after an accept is a client that disconnected at once, as health checks "
        "do.",
    ),
    call(
        "getsockopt",
        Category.NET,
        "Read an option of a socket",
        "int getsockopt(int sockfd, int level, int optname, void *optval, socklen_t *optlen)",
        kinds=(
            Kind.FD,
            Kind.SOCKOPT_LEVEL,
            Kind.SOCKOPT_NAME,
            Kind.SOCKOPT_OUT,
            Kind.SOCKLEN_INOUT,
        ),
        returns="0",
        errnos={
            "ENOPROTOOPT": "no such option at that level",
            "ENOTSOCK": "the descriptor is not a socket",
        },
        advice="SO_ERROR after a connect carries the true outcome, though the call itself "
        "succeeds.",
    ),
    call(
        "setsockopt",
        Category.NET,
        "Set an option of a socket",
        "int setsockopt(int sockfd, int level, int optname, const void *optval, socklen_t optlen)",
        kinds=(
            Kind.FD,
            Kind.SOCKOPT_LEVEL,
            Kind.SOCKOPT_NAME,
            Kind.SOCKOPT_IN,
            Kind.UINT,
        ),
        returns="0",
        errnos={
            "EINVAL": "a length or a value that the option does not take",
            "ENOPROTOOPT": "no such option at that level",
            "EOPNOTSUPP": "a socket of this family has no options at that level",
            "EPERM": "the option needs privilege",
        },
        harmless=("EOPNOTSUPP",),
        advice="Mostly best effort: a failed TCP_NODELAY on a Unix socket (EOPNOTSUPP) is "
        "harmless.",
    ),
)
