"""Calls by which a process changes how the kernel treats it."""

from syswatch.model.catalog.category import Category
from syswatch.model.catalog.entry import call
from syswatch.model.catalog.kinds import ArgumentKind as Kind

CALLS = (
    call(
        "prctl",
        Category.PROC,
        "Change or read a setting of the process or thread",
        "int prctl(int option, unsigned long arg2, unsigned long arg3, unsigned long arg4, "
        "unsigned long arg5)",
        kinds=(Kind.PRCTL_OPTION, Kind.HEX_IN, Kind.HEX_IN, Kind.HEX, Kind.HEX_IN),
        returns="depends on the option; mostly 0",
        errnos={
            "EINVAL": "an option or a value that this kernel does not take",
            "EPERM": "the option needs privilege",
        },
        harmless=("EINVAL",),
        advice="Naming threads, dropping privileges, asking for a signal when the parent dies. "
        "EINVAL is mostly a probe for a newer kernel.",
    ),
    call(
        "arch_prctl",
        Category.PROC,
        "Set registers and features specific to x86",
        "int arch_prctl(int code, unsigned long addr)",
        kinds=(Kind.ARCH_PRCTL_OPTION, Kind.POINTER),
        returns="0",
        errnos={
            "EINVAL": "a request that this kernel or CPU does not take",
            "EPERM": "an address outside the program's range",
        },
        harmless=("EINVAL",),
        advice="Twice in every program start: setting up thread storage, and a probe that ends in "
        "EINVAL. Both harmless.",
    ),
    call(
        "personality",
        Category.PROC,
        "Set or read how the process is emulated",
        "int personality(unsigned long persona)",
        kinds=(Kind.PERSONALITY,),
        returns="the previous setting",
        errnos={"EINVAL": "the setting could not be changed"},
        advice="Debuggers disable address randomisation with it.",
    ),
    call(
        "seccomp",
        Category.PROC,
        "Limit the system calls of this thread",
        "int seccomp(unsigned int operation, unsigned int flags, void *args)",
        kinds=(Kind.SECCOMP_OPERATION, Kind.HEX, Kind.OPAQUE_IN),
        returns="0, or a descriptor when listening was asked for",
        errnos={
            "EACCES": "neither privileged nor under no_new_privs",
            "EFAULT": "a null filter, which is how libraries probe for a flag",
            "EINVAL": "an operation, flags or a filter that the kernel does not take",
        },
        harmless=("EFAULT", "EINVAL"),
        advice="From here on calls may fail with EPERM or ENOSYS, or kill the process, as its "
        "rules say. EFAULT and EINVAL at the start are probes.",
    ),
    call(
        "landlock_create_ruleset",
        Category.PROC,
        "Start a set of rules for what this process may reach",
        "int landlock_create_ruleset(const struct landlock_ruleset_attr *attr, size_t size, "
        "uint32_t flags)",
        kinds=(Kind.LANDLOCK_RULESET_IN, Kind.SIZE, Kind.LANDLOCK_RULESET_FLAGS),
        returns="a descriptor for the set, or the version when that was asked for",
        errnos={
            "E2BIG": "a structure newer than the kernel",
            "EINVAL": "an unknown flag, or rights that the kernel does not know",
            "ENOSYS": "the kernel was built without it",
            "EOPNOTSUPP": "not enabled at boot",
        },
        advice="ENOSYS and EOPNOTSUPP leave the program without this sandbox; most continue.",
    ),
    call(
        "landlock_add_rule",
        Category.PROC,
        "Allow something in a set of rules",
        "int landlock_add_rule(int ruleset_fd, int rule_type, const void *rule_attr, uint32_t "
        "flags)",
        kinds=(Kind.FD, Kind.LANDLOCK_RULE, Kind.LANDLOCK_RULE_IN, Kind.HEX),
        returns="0",
        errnos={
            "EBADF": "not a set of rules, or no such file descriptor in the rule",
            "EINVAL": "rights that the set does not handle",
            "ENOMSG": "a rule that allows nothing",
        },
        advice="Part of building a sandbox at start-up.",
    ),
    call(
        "landlock_restrict_self",
        Category.PROC,
        "Put the calling thread under a set of rules permanently",
        "int landlock_restrict_self(int ruleset_fd, uint32_t flags)",
        kinds=(Kind.FD, Kind.HEX),
        returns="0",
        errnos={
            "E2BIG": "too many layers of rules",
            "EBADF": "not a set of rules",
            "EPERM": "neither privileged nor under no_new_privs",
        },
        advice="From here on, accesses outside the rules fail with EACCES, as intended.",
    ),
    call(
        "set_tid_address",
        Category.PROC,
        "Register the word to clear when this thread ends",
        "pid_t set_tid_address(int *tidptr)",
        kinds=(Kind.POINTER,),
        returns="the thread id; the call cannot fail",
        advice="Once in every program start.",
    ),
    call(
        "set_robust_list",
        Category.PROC,
        "Register the locks to release if this thread dies",
        "long set_robust_list(struct robust_list_head *head, size_t len)",
        kinds=(Kind.POINTER, Kind.SIZE),
        returns="0",
        errnos={"EINVAL": "a length that the kernel does not expect"},
        advice="Once for each thread.",
    ),
    call(
        "rseq",
        Category.PROC,
        "Register a thread's area for restartable sequences",
        "int rseq(struct rseq *rseq, uint32_t rseq_len, int flags, uint32_t sig)",
        kinds=(Kind.POINTER, Kind.HEX, Kind.HEX, Kind.HEX),
        returns="0",
        errnos={
            "EBUSY": "the thread has registered already",
            "EINVAL": "a length or an alignment that the kernel does not take",
            "ENOSYS": "the kernel was built without it",
            "EPERM": "the signature is not the one registered",
        },
        advice="Once for each thread; a failure only costs a little speed.",
    ),
)
