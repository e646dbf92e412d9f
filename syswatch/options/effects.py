"""Options that contradict each other, or that have no effect without, or beside, another."""

from collections.abc import Mapping, Sequence

from twisted.python import usage

from .base import BaseOptions

# What does nothing without another option.  What merely asks for what holds anyway is not here.
_NEEDS: Mapping[str, str] = {
    **dict.fromkeys(
        (
            "ws-token",
            "ws-token-file",
            "http-token",
            "http-token-file",
            "max-clients",
            "allow-host",
            "trusted-proxy",
        ),
        "serve",
    ),
    "report-top-files": "report",
}
_CONTRADICTIONS = (
    ("ws-token", "ws-token-file"),
    ("http-token", "http-token-file"),
    ("children", "no-children"),
)
# What does nothing beside an option, or beside one value of it, and why.
_IN_VAIN: Sequence[tuple[str, str, str, Sequence[str]]] = (
    ("mode", "counts", "reads no arguments", ("string-limit", "decode-fds", "report-top-files")),
    ("mode", "counts", "keeps no log", ("log-rate",)),
    ("no-args", "", "reads no arguments", ("string-limit", "decode-fds", "report-top-files")),
    ("all", "", "traces every process", ("no-children",)),
    ("cgroup", "", "traces every process of the group", ("no-children",)),
)
_EBPF_ONLY = (("mode", "counts"), ("cgroup", ""), ("all", ""))
# Before a command that watches nothing these are harmless, and before `top` so is its token.
_EVERYWHERE = frozenset({"debug", "log-format"})


def check_contradictions(options: BaseOptions) -> None:
    """Refuse two options of which only one can hold."""
    for flag, other in _CONTRADICTIONS:
        if options.has(flag) and options.has(other):
            raise usage.UsageError(f"--{flag} and --{other} contradict each other")


def check_effects(options: BaseOptions) -> None:
    """Refuse what cannot have the effect that its user wants."""
    check_contradictions(options)
    for flag, value in _EBPF_ONLY if options.given("backend") == "ptrace" else ():
        if _is_set(options, flag, value):
            given = f"--{flag} {value}".rstrip()
            raise usage.UsageError(f"{given} needs eBPF, and --backend asks for ptrace")
    for flag, needed in _NEEDS.items():
        if options.has(flag) and not options.has(needed):
            raise usage.UsageError(f"--{flag} has no effect without --{needed}")
    for flag, value, why, others in _IN_VAIN:
        for other in filter(options.has, others if _is_set(options, flag, value) else ()):
            given = f"--{flag} {value}".rstrip()
            raise usage.UsageError(f"--{other} has no effect with {given}, which {why}")


def _is_set(options: BaseOptions, flag: str, value: str) -> bool:
    return options.has(flag) and (not value or options.given(flag) == value)


def check_unused(options: BaseOptions, command: str, used: Sequence[str] = ()) -> None:
    """Refuse what stands before a command that watches nothing, and does not know it."""
    before = options.parent
    if not isinstance(before, BaseOptions):
        return
    for flag in before.flags():
        if before.has(flag) and flag not in {*used, *_EVERYWHERE}:
            raise usage.UsageError(f"--{flag} has no effect with {command}")
