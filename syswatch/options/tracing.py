"""Options of `run` and `attach`."""

import attrs

from syswatch.model.backends import AUTO, BACKEND_CHOICES, Capability
from syswatch.model.messages import TraceOptions

from . import calls, checks, filtering, flight, otlp, output, preferences, serving
from .arguments import Arguments
from .declaration import GENERAL, Clash, Group, Option
from .strace_habits import COMPATIBILITY

_STRING_LIMIT = 32
CHILDREN = (
    Option(
        "no-children",
        "Do not follow child processes",
        Group.TARGET,
        excludes=("children",),
        clashes=(
            Clash("all", "traces every process"),
            Clash("cgroup", "traces every process of the group"),
        ),
    ),
    Option("children", "Follow child processes (the default)", Group.TARGET),
)
_OUTPUT = (
    filtering.PROFILE,
    filtering.string_limit(str(_STRING_LIMIT)),
    Option(
        "decode-fds",
        "Show the paths of file descriptors",
        Group.OUTPUT,
        short="y",
        clashes=output.NO_ARGUMENTS,
    ),
)
_SERVE = (
    Option("exit-with-target", "Stop the server when the target ends", Group.SERVE),
    otlp.OPTION,
    otlp.SPANS,
)
BACKEND = Option(
    "backend",
    "How to trace",
    Group.ADVANCED,
    metavar="NAME",
    choices=BACKEND_CHOICES,
    default=AUTO,
)
NO_COLOCATE = Option("no-colocate", "Never bind tracer and target to one CPU", Group.ADVANCED)
_ADVANCED = (
    BACKEND,
    Option(
        "mode",
        "Trace everything, or only count calls, at a lower cost",
        Group.ADVANCED,
        metavar="MODE",
        choices=("full", "counts"),
        default="full",
        capability=Capability.COUNTS_MODE,
    ),
    Option(
        "log-rate",
        "Keep at most N log entries a second",
        Group.ADVANCED,
        metavar="N",
        default="2000",
        clashes=(Clash("mode", "keeps no log", "counts"),),
    ),
    Option("no-args", "Do not read arguments from the target's memory", Group.ADVANCED),
    filtering.NO_OBJECTS,
    NO_COLOCATE,
    output.DEBUG,
)
OPTIONS = (
    *CHILDREN,
    *filtering.OPTIONS,
    *output.OPTIONS,
    *output.OF_TRACES,
    *flight.OPTIONS,
    *calls.OPTIONS,
    *_OUTPUT,
    *preferences.OPTIONS,
    *serving.OPTIONS,
    *_SERVE,
    *_ADVANCED,
    *COMPATIBILITY,
    *GENERAL,
)


def trace_options(arguments: Arguments) -> TraceOptions:
    """Check the options and return them."""
    filters = filtering.filters(arguments)
    limit = _STRING_LIMIT if filters.string_limit is None else filters.string_limit
    return TraceOptions(
        **{**attrs.asdict(filters, recurse=False), "string_limit": limit},
        follow_children=not arguments.has("no-children"),
        descriptor_paths=arguments.has("decode-fds"),
        colocate=not arguments.has("no-colocate"),
        log_rate=checks.whole_number(arguments, "log-rate"),
        debug=arguments.has("debug"),
        backend=checks.choice(arguments, "backend"),
        mode=checks.choice(arguments, "mode"),
        decode_all=arguments.has("calls"),
        trace_parents=arguments.has("otlp-spans"),
    )
