"""Options of strace: those accepted though they change nothing, and hints for the others."""

from collections.abc import Mapping

from .declaration import Clash, Group, Option

# Accepted by `run` and `attach`, so that a command line written for strace works.
COMPATIBILITY = (
    Option(
        "follow-forks",
        "Accepted as in strace; children are followed by default",
        Group.ADVANCED,
        short="f",
        excludes=("no-children",),
        note="-f is not needed: child processes are followed (see --no-children)",
    ),
    Option(
        "syscall-times",
        "Accepted as in strace; durations are always measured",
        Group.ADVANCED,
        short="T",
        clashes=(Clash("mode", "measures no durations", "counts"),),
        note="-T is not needed: the duration of each call is measured",
    ),
    Option(
        "absolute-timestamps",
        "Accepted as in strace; each call has its time",
        Group.ADVANCED,
        short="t",
        note="-t is not needed: each call has its time, in seconds since the epoch",
    ),
)
_NO_CHOICE = "how arguments are shown cannot be chosen"
# What to do instead.
STRACE_OPTIONS: Mapping[str, str] = {
    "-A": "an existing file is replaced",
    "-a": "columns are aligned automatically",
    "-b": "there are no events to detach on",
    "-C": "use -c with --calls FILE",
    "-D": "the command's parent is the tracer",
    "-d": "use --debug",
    "-i": "instruction pointers are not recorded",
    "-k": "stack traces are not recorded",
    "-n": "the summary names each call",
    "-O": "the summary has no overhead to subtract",
    "-q": "nothing is printed about attaching",
    "-r": "each call has its time",
    "-S": "use --sort",
    "-U": "use --format csv",
    "-v": _NO_CHOICE,
    "-w": "durations are wall-clock times",
    "-x": _NO_CHOICE,
    "-X": _NO_CHOICE,
}
