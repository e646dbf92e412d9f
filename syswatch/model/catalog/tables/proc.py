"""Calls that start, replace, await and end processes and threads."""

from syswatch.model.catalog.category import Category
from syswatch.model.catalog.entry import call
from syswatch.model.catalog.kinds import ArgumentKind as Kind

CALLS = (
    # The last two arguments of clone change places on aarch64 and i386; they print alike.
    call(
        "clone",
        Category.PROC,
        "Start a thread or a process that shares chosen parts with its parent",
        "long clone(unsigned long flags, void *stack, int *parent_tid, int *child_tid, unsigned "
        "long tls)",
        kinds=(Kind.CLONE_FLAGS, Kind.POINTER, Kind.POINTER, Kind.POINTER, Kind.POINTER),
        returns="the id of the new thread or process to the parent, 0 to the new one",
        errnos={
            "EAGAIN": "the user's limit on processes, or the group's, is reached",
            "EINVAL": "flags that do not go together",
            "ENOMEM": "not enough memory",
            "EPERM": "a new namespace needs privilege",
        },
        advice="EAGAIN means that RLIMIT_NPROC or the pids limit of the control group is reached. "
        "Slow ones copy the page tables of a big process.",
    ),
    call(
        "clone3",
        Category.PROC,
        "Start a thread or a process, described by a structure",
        "long clone3(struct clone_args *cl_args, size_t size)",
        kinds=(Kind.CLONE_ARGS_IN, Kind.SIZE),
        returns="the id of the new thread or process to the parent, 0 to the new one",
        errnos={
            "EAGAIN": "the user's limit on processes, or the group's, is reached",
            "EINVAL": "flags that do not go together",
            "ENOMEM": "not enough memory",
            "ENOSYS": "a kernel older than 5.3, or a sandbox that hides the call",
            "EPERM": "a new namespace, or a chosen id, needs privilege",
        },
        advice="ENOSYS makes the C library use clone. EPERM for every thread is an outdated "
        "seccomp profile of a container runtime.",
    ),
    call(
        "fork",
        Category.PROC,
        "Start a copy of the process",
        "pid_t fork(void)",
        returns="the id of the child to the parent, 0 to the child",
        errnos={
            "EAGAIN": "the user's limit on processes, or the group's, is reached",
            "ENOMEM": "not enough memory",
        },
        advice="Copies page tables, so a process of many gigabytes stalls for a while: known from "
        "Redis snapshots.",
    ),
    call(
        "vfork",
        Category.PROC,
        "Start a child in the parent's memory, and wait until it runs a program or ends",
        "pid_t vfork(void)",
        returns="the id of the child to the parent, 0 to the child",
        errnos={
            "EAGAIN": "the user's limit on processes, or the group's, is reached",
            "ENOMEM": "not enough memory",
        },
        can_wait=True,
        advice="The parent is suspended until the child calls execve, so its time is the child's.",
    ),
    call(
        "execve",
        Category.PROC,
        "Replace the running program by another one",
        "int execve(const char *pathname, char *const argv[], char *const envp[])",
        kinds=(Kind.PATH, Kind.ARGV, Kind.ENVP),
        returns="does not return when it works",
        errnos={
            "E2BIG": "arguments and environment are too long",
            "EACCES": "not a file that may be run, or the mount forbids programs",
            "ENOENT": "the program, or the interpreter that it names, does not exist",
            "ENOEXEC": "not in any format that the kernel runs",
            "ETXTBSY": "the file is open for writing",
        },
        advice="A run of ENOENT is a search along PATH, and harmless when it ends in a success. "
        "ENOENT for a file that is there means that its interpreter or loader is missing.",
    ),
    call(
        "execveat",
        Category.PROC,
        "Replace the running program by one found relative to a directory",
        "int execveat(int dirfd, const char *pathname, char *const argv[], char *const envp[], "
        "int flags)",
        kinds=(Kind.DIRFD, Kind.PATH, Kind.ARGV, Kind.ENVP, Kind.AT_FLAGS),
        returns="does not return when it works",
        errnos={
            "EACCES": "not a file that may be run, or the mount forbids programs",
            "ELOOP": "a symbolic link where none is allowed",
            "ENOENT": "no such program, or a script behind a close-on-exec descriptor",
            "ENOEXEC": "not in any format that the kernel runs",
        },
        advice="As execve; container runtimes use it with a descriptor and an empty path.",
    ),
    call(
        "exit",
        Category.PROC,
        "End this thread",
        "void exit(int status)",
        kinds=(Kind.INT,),
        returns="does not return",
        advice="The end of one thread of several; harmless.",
    ),
    call(
        "exit_group",
        Category.PROC,
        "End all threads of this process",
        "void exit_group(int status)",
        kinds=(Kind.INT,),
        returns="does not return",
        advice="The end of the program. If the status is not 0, look at the calls before it.",
    ),
    call(
        "wait4",
        Category.PROC,
        "Wait for a child to change state, and get its resource usage",
        "pid_t wait4(pid_t pid, int *wstatus, int options, struct rusage *rusage)",
        kinds=(Kind.PID, Kind.WAIT_STATUS_OUT, Kind.WAIT_OPTIONS, Kind.RUSAGE_OUT),
        returns="the id of the child; 0 with WNOHANG when none has changed",
        errnos={
            "ECHILD": "there is no such child, or none at all",
            "EINTR": "a signal ended the wait",
            "EINVAL": "an unknown option",
        },
        can_wait=True,
        advice="Its time is the lifetime of a child. ECHILD ends the loop of a shell or a "
        "supervisor, and is harmless.",
    ),
    call(
        "waitid",
        Category.PROC,
        "Wait for chosen children to change state",
        "int waitid(idtype_t idtype, id_t id, siginfo_t *infop, int options, struct rusage "
        "*rusage)",
        kinds=(
            Kind.WAIT_ID_TYPE,
            Kind.PID,
            Kind.SIGINFO_OUT,
            Kind.WAIT_OPTIONS,
            Kind.RUSAGE_OUT,
        ),
        returns="0",
        errnos={
            "ECHILD": "there is no such child, or none at all",
            "EINTR": "a signal ended the wait",
            "EINVAL": "options that do not fit",
        },
        can_wait=True,
        advice="Its time is the lifetime of a child.",
    ),
    call(
        "pidfd_open",
        Category.PROC,
        "Get a descriptor for a process",
        "int pidfd_open(pid_t pid, unsigned int flags)",
        kinds=(Kind.PID, Kind.PIDFD_FLAGS),
        returns="a descriptor that becomes readable when the process ends",
        errnos={
            "EINVAL": "an unknown flag, or an id that cannot be a process",
            "ENOSYS": "a kernel older than 5.3, or a sandbox that hides the call",
            "ESRCH": "no such process",
        },
        advice="ESRCH means that the process was gone already.",
    ),
    call(
        "pidfd_getfd",
        Category.PROC,
        "Take a copy of another process's descriptor",
        "int pidfd_getfd(int pidfd, int targetfd, unsigned int flags)",
        kinds=(Kind.FD, Kind.FD, Kind.HEX),
        returns="a new descriptor",
        errnos={
            "EBADF": "not a process descriptor, or nothing open at that number in that process",
            "EPERM": "the caller may not trace that process",
            "ESRCH": "the process has ended",
        },
        advice="Debuggers, sandboxes and live migration; anything else deserves a second look.",
    ),
    call(
        "setns",
        Category.PROC,
        "Join a namespace",
        "int setns(int fd, int nstype)",
        kinds=(Kind.FD, Kind.NAMESPACE_FLAGS),
        returns="0",
        errnos={
            "EBADF": "no such open descriptor",
            "EINVAL": "not a namespace of that type, or the process has several threads",
            "EPERM": "the privilege is lacking in the namespace to join",
        },
        advice="What nsenter and docker exec do first.",
    ),
    call(
        "unshare",
        Category.PROC,
        "Stop sharing parts with the parent, or enter new namespaces",
        "int unshare(int flags)",
        kinds=(Kind.NAMESPACE_FLAGS,),
        returns="0",
        errnos={
            "EINVAL": "flags that do not fit, or several threads",
            "ENOSPC": "the limit on namespaces, or on their depth, is reached",
            "EPERM": "the privilege is lacking, or user namespaces are restricted",
        },
        advice="EPERM for a user namespace is a hardened distribution or a container: sandboxes "
        "of browsers then fall back or refuse.",
    ),
    call(
        "ptrace",
        Category.PROC,
        "Observe and control another thread",
        "long ptrace(int request, pid_t pid, void *addr, void *data)",
        kinds=(Kind.PTRACE_REQUEST, Kind.PID, Kind.POINTER, Kind.OPAQUE_IN),
        returns="depends on the request; mostly 0",
        errnos={
            "EIO": "an unknown request, or memory that cannot be reached",
            "EPERM": "it is traced already, or the caller may not trace it",
            "ESRCH": "no such thread, not traced by the caller, or not stopped",
        },
        advice="EPERM is a second tracer, yama's ptrace_scope, or a container's profile. A "
        "program that calls PTRACE_TRACEME and expects failure is detecting tracers.",
    ),
    call(
        "kcmp",
        Category.PROC,
        "Compare whether two processes share a resource",
        "int kcmp(pid_t pid1, pid_t pid2, int type, unsigned long idx1, unsigned long idx2)",
        kinds=(Kind.PID, Kind.PID, Kind.HEX, Kind.HEX, Kind.HEX),
        returns="0 if shared, otherwise how the two are ordered",
        errnos={
            "EBADF": "a descriptor that is not open in that process",
            "EPERM": "the caller may not look into those processes",
            "ESRCH": "no such process",
        },
        advice="Checkpoint tools and graphics drivers; systemd compares descriptors with it.",
    ),
)
