"""The nine groups that every system call falls into."""

import enum


class Category(enum.StrEnum):
    """What a system call is about, as people group calls when they read a summary."""

    # Work on an open descriptor: reading, writing, waiting for readiness.
    IO = "I/O"
    # Names, directories, attributes and mounts.
    FS = "FS"
    # Sockets.
    NET = "NET"
    # Address space.
    MEM = "MEM"
    # Processes and threads: their birth, death, identity, limits and scheduling.
    PROC = "PROC"
    # Sending, blocking and handling signals.
    SIG = "SIG"
    # Clocks, sleeps and timers.
    TIME = "TIME"
    # Pipes, futexes, System V IPC and POSIX message queues.
    IPC = "IPC"
    # The machine and the kernel themselves, and everything without a better home.
    OTHER = "OTHER"
