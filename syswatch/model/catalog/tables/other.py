"""Calls about the machine and the kernel itself."""

from syswatch.model.catalog.category import Category
from syswatch.model.catalog.entry import call
from syswatch.model.catalog.kinds import ArgumentKind as Kind

CALLS = (
    call(
        "uname",
        Category.OTHER,
        "Get the names of kernel, host and machine",
        "int uname(struct utsname *buf)",
        kinds=(Kind.UTSNAME_OUT,),
        returns="0",
        advice="Harmless.",
    ),
    call(
        "sysinfo",
        Category.OTHER,
        "Get uptime, load and memory of the machine",
        "int sysinfo(struct sysinfo *info)",
        kinds=(Kind.SYSINFO_OUT,),
        returns="0",
        advice="Reports the host, not the container: programs that size themselves by it use too "
        "much.",
    ),
    call(
        "syslog",
        Category.OTHER,
        "Read or control the kernel's log",
        "int syslog(int type, char *bufp, int len)",
        kinds=(Kind.INT, Kind.OPAQUE_IN, Kind.INT),
        returns="depends on the operation; mostly bytes read",
        errnos={
            "EINVAL": "an unknown operation, or no space for the result",
            "EPERM": "no privilege; kernel.dmesg_restrict may be set",
        },
        advice="What dmesg does; not the logging function of the same name.",
    ),
    call(
        "getrandom",
        Category.OTHER,
        "Get random bytes",
        "ssize_t getrandom(void *buf, size_t buflen, unsigned int flags)",
        kinds=(Kind.BUFFER_OUT, Kind.SIZE, Kind.GETRANDOM_FLAGS),
        returns="bytes written",
        errnos={
            "EAGAIN": "the generator is not ready, and GRND_NONBLOCK was given",
            "EINTR": "a signal ended the wait",
            "EINVAL": "an unknown flag",
            "ENOSYS": "a kernel older than 3.17",
        },
        advice="Only slow early in a boot, while the generator gathers entropy.",
    ),
    call(
        "bpf",
        Category.OTHER,
        "Load and manage eBPF programs and maps",
        "int bpf(int cmd, union bpf_attr *attr, unsigned int size)",
        kinds=(Kind.BPF_COMMAND, Kind.BPF_ATTRIBUTES_IN, Kind.UINT),
        returns="depends on the command: a descriptor or 0",
        errnos={
            "E2BIG": "a structure newer than the kernel, or a map that is full",
            "EACCES": "the verifier found the program unsafe",
            "EINVAL": "a command or attributes that this kernel does not take",
            "ENOENT": "no such element in the map, or the end of an iteration",
            "EPERM": "the caller lacks CAP_BPF, or too much locked memory on an old kernel",
        },
        advice="Loading takes as long as the verifier needs. ENOENT is an answer, EINVAL mostly a "
        "probe for features.",
    ),
    call(
        "perf_event_open",
        Category.OTHER,
        "Start to count or sample events of the CPU or the kernel",
        "int perf_event_open(struct perf_event_attr *attr, pid_t pid, int cpu, int group_fd, "
        "unsigned long flags)",
        kinds=(Kind.PERF_ATTRIBUTES_IN, Kind.PID, Kind.INT, Kind.FD, Kind.PERF_FLAGS),
        returns="a descriptor for the counter",
        errnos={
            "EACCES": "kernel.perf_event_paranoid forbids it",
            "EMFILE": "the process has reached its limit on descriptors",
            "ENOENT": "this machine has no such event; usual on virtual ones",
            "EOPNOTSUPP": "the hardware cannot do what is asked",
            "EPERM": "no privilege for that event or target",
        },
        advice="A profiler at work. ENOENT makes it fall back to a software clock.",
    ),
    call(
        "keyctl",
        Category.OTHER,
        "Manage the kernel's keys and keyrings",
        "long keyctl(int operation, unsigned long arg2, unsigned long arg3, unsigned long arg4, "
        "unsigned long arg5)",
        kinds=(Kind.KEYCTL_OPERATION, Kind.HEX, Kind.HEX_IN, Kind.HEX, Kind.HEX),
        returns="depends on the operation",
        errnos={
            "EACCES": "the key does not allow it",
            "EDQUOT": "the user's quota of keys is exhausted",
            "ENOKEY": "no such key",
            "EOPNOTSUPP": "the key, or this kernel, does not do that",
        },
        advice="ENOKEY is an answer. EDQUOT makes containers fail to start: see "
        "kernel.keys.maxkeys.",
    ),
    call(
        "add_key",
        Category.OTHER,
        "Add a key to a keyring of the kernel",
        "key_serial_t add_key(const char *type, const char *description, const void *payload, "
        "size_t plen, key_serial_t keyring)",
        kinds=(Kind.STRING, Kind.STRING, Kind.BUFFER_IN, Kind.SIZE, Kind.KEY_SERIAL),
        returns="the key's number",
        errnos={
            "EACCES": "the keyring may not be written",
            "EDQUOT": "the user's quota of keys is exhausted",
            "ENOKEY": "no such keyring",
        },
        advice="Network file systems and disk encryption keep their secrets here.",
    ),
    call(
        "request_key",
        Category.OTHER,
        "Find a key, or let a helper create it",
        "key_serial_t request_key(const char *type, const char *description, const char "
        "*callout_info, key_serial_t dest_keyring)",
        kinds=(Kind.STRING, Kind.STRING, Kind.STRING, Kind.KEY_SERIAL),
        returns="the key's number",
        errnos={
            "EKEYEXPIRED": "the key that was found has expired",
            "EKEYREJECTED": "the helper rejected the request",
            "EKEYREVOKED": "the key that was found has been revoked",
            "ENOKEY": "no such key",
        },
        advice="May run a helper program in user space and wait for it.",
    ),
    call(
        "init_module",
        Category.OTHER,
        "Load a kernel module from memory",
        "int init_module(void *module_image, unsigned long len, const char *param_values)",
        kinds=(Kind.POINTER, Kind.SIZE, Kind.STRING),
        returns="0",
        errnos={
            "EEXIST": "the module is loaded already",
            "ENOEXEC": "not a module for this kernel",
            "EPERM": "the caller lacks CAP_SYS_MODULE, or loading is disabled",
        },
        advice="Rare and powerful: administration at work.",
    ),
    call(
        "finit_module",
        Category.OTHER,
        "Load a kernel module from a file",
        "int finit_module(int fd, const char *param_values, int flags)",
        kinds=(Kind.FD, Kind.STRING, Kind.MODULE_FLAGS),
        returns="0",
        errnos={
            "EEXIST": "the module is loaded already",
            "ENOEXEC": "not a module for this kernel",
            "EPERM": "the caller lacks CAP_SYS_MODULE, or loading is disabled",
        },
        advice="Rare and powerful: modprobe at work. It takes as long as the driver's set-up.",
    ),
    call(
        "delete_module",
        Category.OTHER,
        "Unload a kernel module",
        "int delete_module(const char *name, unsigned int flags)",
        kinds=(Kind.STRING, Kind.DELETE_MODULE_FLAGS),
        returns="0",
        errnos={
            "EAGAIN": "others depend on the module, or use it",
            "EBUSY": "the module cannot be unloaded in its present state",
            "ENOENT": "no such module",
            "EPERM": "the caller lacks CAP_SYS_MODULE",
        },
        advice="Rare and powerful: administration at work.",
    ),
    call(
        "reboot",
        Category.OTHER,
        "Restart or stop the machine, or configure Ctrl+Alt+Del",
        "int reboot(int magic, int magic2, int cmd, void *arg)",
        kinds=(Kind.REBOOT_MAGIC, Kind.REBOOT_MAGIC, Kind.REBOOT_COMMAND, Kind.OPAQUE_IN),
        returns="0, if it returns at all",
        errnos={
            "EINVAL": "wrong magic numbers, or no such command",
            "EPERM": "the caller lacks CAP_SYS_BOOT",
        },
        advice="The last call of an init system.",
    ),
    call(
        "sethostname",
        Category.OTHER,
        "Set the name of the host",
        "int sethostname(const char *name, size_t len)",
        kinds=(Kind.BUFFER_IN, Kind.SIZE),
        returns="0",
        errnos={
            "EINVAL": "the name is too long",
            "EPERM": "the caller lacks CAP_SYS_ADMIN",
        },
        advice="Part of a boot or of a container's start.",
    ),
    call(
        "setdomainname",
        Category.OTHER,
        "Set the NIS domain name of the host",
        "int setdomainname(const char *name, size_t len)",
        kinds=(Kind.BUFFER_IN, Kind.SIZE),
        returns="0",
        errnos={
            "EINVAL": "the name is too long",
            "EPERM": "the caller lacks CAP_SYS_ADMIN",
        },
        advice="Part of a boot or of a container's start.",
    ),
)
