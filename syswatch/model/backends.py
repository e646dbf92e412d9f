"""
What each source of system calls can observe, what it costs and what it requires.

The choice of a backend, `syswatch doctor`, the checks of options, the line printed when tracing
starts and the table in the documentation are computed from these declarations.
"""

import enum

import attrs

from syswatch.base.classes import frozen

from .messages import Attach, RunCommand

AUTO = "auto"
_PTRACE = "ptrace"
_EBPF = "ebpf"
_LOG = "strace log"
_RECORDING = "recording"
_LIVE = (_EBPF, _PTRACE)
_ALL = (*_LIVE, _LOG, _RECORDING)


class Capability(enum.Enum):
    """
    Something that a source can observe or do.

    Each line holds a description, the option that needs the capability, and the sources that have
    it.  A new capability is one line here, and a line in `_is_needed` if it depends on an option.
    """

    COUNTS = "counts of calls and errors", "", *_ALL
    ERRNOS = "errors by name", "", *_ALL
    PROCESSES = "calls by process", "--per-pid", *_ALL
    DURATIONS = "durations of calls", "", *_ALL
    WAITS = "time waiting and ready in calls", "", *_ALL
    OBJECTS = "files, sockets, locks and other objects of calls", "", *_ALL
    THREADS = "where the time of each thread went", "", *_ALL
    IN_PROGRESS = "calls in progress", "", *_LIVE
    SLOWEST = "the slowest calls with their arguments", "", *_ALL
    CALL_TIMES = "time of day of each call", "", *_ALL
    ARGUMENTS = "arguments and results of calls", "", *_ALL
    PATHS = "opened paths", "", *_ALL
    FILTERS = "selection by name", "--trace", *_ALL
    STATUS_FILTER = "selection by result", "--status", _EBPF, _PTRACE, _LOG
    PATH_FILTER = "selection by path", "--trace-path", _EBPF, _PTRACE, _LOG
    DESCRIPTOR_PATHS = "paths of file descriptors", "--decode-fds", _EBPF, _PTRACE, _LOG
    PROFILE = "what profiles are made of", "--profile", *_LIVE, _LOG
    COMMAND = "starting a command", "", *_LIVE
    ATTACH = "attaching to processes", "", *_LIVE
    COUNTS_MODE = "counting without times or arguments", "--mode counts", _EBPF
    CONTROL_GROUP = "tracing a control group", "--cgroup", _EBPF
    WHOLE_MACHINE = "tracing the whole machine", "--all", _EBPF
    GROUPS = "sums of each container, pod or control group", "--by", _EBPF
    SHARED_TARGETS = "tracing a process that a debugger traces", "", _EBPF
    TARGET_RUNS_ON = "observing without stopping the target", "", _EBPF

    def __init__(self, description: str, option: str, *sources: str) -> None:
        self.description = description
        self.option = option
        self.sources = frozenset(sources)

    @property
    def flag_value(self) -> str:
        """Return the value of the option that needs this, empty if any value does."""
        return self.option.partition(" ")[2]


@frozen
class Cost:
    """The time that tracing adds, in microseconds on current hardware."""

    per_traced_call_us: float
    # Added to every system call of every process while the tracer runs.
    per_machine_call_us: float
    description: str


@frozen
class Requirements:
    """What a backend needs from the kernel and the system."""

    kernel: tuple[int, int]
    # All of the first, or any of the second.
    capabilities: frozenset[str]
    or_capabilities: frozenset[str] = frozenset()
    kernel_types: bool = False
    library: str = ""
    forbidden_lockdown: str = ""
    initial_user_namespace: bool = False


@frozen(eq=False)
class Source:
    """Something that system calls are read from."""

    name: str
    title: str
    # Capabilities that depend on something, with what they depend on.
    conditions: dict[Capability, str] = attrs.field(factory=dict)

    @property
    def capabilities(self) -> frozenset[Capability]:
        """Return what this source can observe and do."""
        return frozenset(each for each in Capability if self.name in each.sources)


@frozen(eq=False)
class Backend(Source):
    """A source that observes live processes."""

    cost: Cost = attrs.field(kw_only=True)
    requires: Requirements = attrs.field(kw_only=True)


EBPF = Backend(
    _EBPF,
    "eBPF",
    {
        Capability.DURATIONS: "not with `--mode counts`",
        Capability.ARGUMENTS: "not with `--mode counts`",
        Capability.PATHS: "not with `--mode counts`",
        Capability.WAITS: "not with `--mode counts`",
        Capability.OBJECTS: "not with `--mode counts`",
        Capability.THREADS: "not with `--mode counts`",
        Capability.IN_PROGRESS: "not with `--mode counts`",
        Capability.SLOWEST: "not with `--mode counts`",
    },
    cost=Cost(1, 0.2, "adds about 0.2 µs to every system call on this machine while it runs"),
    requires=Requirements(
        # Storage of local data for each task.
        kernel=(5, 12),
        capabilities=frozenset({"CAP_BPF", "CAP_PERFMON"}),
        or_capabilities=frozenset({"CAP_SYS_ADMIN"}),
        kernel_types=True,
        library="libbpf.so.1",
        forbidden_lockdown="confidentiality",
        initial_user_namespace=True,
    ),
)
PTRACE = Backend(
    _PTRACE,
    "ptrace",
    {
        Capability.WAITS: "exact for long waits, else estimated",
        Capability.THREADS: "with the time that tracing takes apart",
    },
    cost=Cost(20, 0, "adds tens of microseconds to each traced call"),
    requires=Requirements(
        # PTRACE_GET_SYSCALL_INFO.
        kernel=(5, 3),
        # Only for processes of other users, and where Yama restricts tracing.
        capabilities=frozenset({"CAP_SYS_PTRACE"}),
    ),
)
STRACE_LOG = Source(
    _LOG,
    "strace log",
    {
        Capability.PROCESSES: "with `strace -f`, or a PID on each line",
        Capability.DURATIONS: "with `strace -T`",
        Capability.WAITS: "estimated, with `strace -T`",
        Capability.OBJECTS: "estimated from the calls that open and close descriptors",
        Capability.THREADS: "estimated, with `strace -T`",
        Capability.SLOWEST: "with `strace -T`",
        Capability.CALL_TIMES: "with `strace -t`, `-tt`, `-ttt` or `-r`",
        Capability.ARGUMENTS: "as strace printed them",
        Capability.DESCRIPTOR_PATHS: "with `strace -y`",
        Capability.PROFILE: "as far as strace names the arguments",
    },
)
RECORDING = Source(
    _RECORDING,
    "recording",
    {
        Capability.PROCESSES: "if recorded with `--per-pid`",
        Capability.ARGUMENTS: "of the calls kept in the log",
    },
)
SOURCES = (EBPF, PTRACE, STRACE_LOG, RECORDING)
# In the order of preference: the one that costs the target least comes first.
BACKENDS = tuple(sorted((EBPF, PTRACE), key=lambda backend: backend.cost.per_traced_call_us))
BACKEND_CHOICES = (AUTO, *sorted(backend.name for backend in BACKENDS))


def find_backend(name: str) -> Backend | None:
    """Return the backend of this name; None for `auto`."""
    return next((backend for backend in BACKENDS if backend.name == name), None)


def needed_by(job: RunCommand | Attach) -> tuple[Capability, ...]:
    """Return the capabilities that only some backends have and that a job needs."""
    return tuple(capability for capability in Capability if _is_needed(capability, job))


def _is_needed(capability: Capability, job: RunCommand | Attach) -> bool:
    match capability:
        case Capability.COUNTS_MODE:
            return job.options.mode == "counts"
        case Capability.CONTROL_GROUP:
            return isinstance(job, Attach) and bool(job.group)
        case Capability.WHOLE_MACHINE:
            return isinstance(job, Attach) and job.everybody
        case Capability.GROUPS:
            return bool(job.options.group_by)
        case _:
            return False


def not_available(capability: Capability, backend: Backend) -> str:
    """Return the message that a backend lacks what an option needs, and which backends have it."""
    others = " or ".join(each.name for each in BACKENDS if each.name in capability.sources)
    return (
        f"{capability.option} is not available with --backend {backend.name} "
        f"(use --backend {others})"
    )


def needed_backend(capability: Capability) -> str:
    """Return which backend an option needs; empty if every backend will do."""
    capable = [backend.title for backend in BACKENDS if capability in backend.capabilities]
    if len(capable) == len(BACKENDS):
        return ""
    return f"{capability.flag_value} needs {' or '.join(capable)}".lstrip()
