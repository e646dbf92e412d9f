"""Options that choose which calls are counted and what is shown of them."""

import platform

from syswatch.model.backends import Capability
from syswatch.model.messages import FilterOptions

from . import checks
from .arguments import Arguments, UsageError
from .declaration import Clash, Group, Option, Value
from .output import NO_ARGUMENTS

OPTIONS = (
    Option(
        "trace",
        "Trace only these calls: names, %classes, /regex, !not",
        Group.FILTER,
        short="e",
        metavar="EXPR",
    ),
    Option(
        "trace-path",
        "Trace only calls that use this path",
        Group.FILTER,
        short="P",
        metavar="PATH",
        value=Value.FILE,
        repeatable=True,
    ),
    Option(
        "status",
        "Trace only calls with this result",
        Group.FILTER,
        metavar="STATUS",
        choices=("failed", "successful"),
    ),
    Option(
        "successful-only",
        "Same as --status successful",
        Group.FILTER,
        short="z",
        alias_of=("status", "successful"),
    ),
    Option(
        "failed-only",
        "Same as --status failed",
        Group.FILTER,
        short="Z",
        alias_of=("status", "failed"),
    ),
    Option(
        "redact",
        "Mask text that matches this regular expression, or the preset 'secrets'",
        Group.SECURITY,
        metavar="REGEX",
        repeatable=True,
    ),
)
NO_OBJECTS = Option(
    "no-objects",
    "Do not follow files, sockets, waits and threads, which makes tracing cheaper",
    Group.ADVANCED,
    clashes=(Clash("mode", "follows none", "counts"),),
)


PROFILE = Option(
    "profile",
    "Count what seccomp profiles are made of: calls with the arguments that rules depend on",
    Group.OUTPUT,
    clashes=(Clash("no-args", "reads no arguments"),),
    capability=Capability.PROFILE,
)


def string_limit(default: str) -> Option:
    """Return the option that limits strings."""
    return Option(
        "string-limit",
        "Show at most N bytes of a string",
        Group.OUTPUT,
        short="s",
        metavar="N",
        default=default,
        clashes=NO_ARGUMENTS,
    )


def filters(arguments: Arguments) -> FilterOptions:
    """Check the options and return them."""
    # The help does not need patterns.
    from syswatch.base.redaction import RedactionError, Redactor

    expression = arguments.value("trace")
    if expression is not None:
        _check_expression(arguments, expression)
    patterns = tuple(arguments.every("redact"))
    try:
        Redactor(patterns)
    except RedactionError as error:
        raise UsageError(f"{arguments.label('redact')}: {error}") from error
    is_limited = arguments.has("string-limit")
    return FilterOptions(
        per_process=arguments.has("per-pid"),
        read_arguments=not arguments.has("no-args"),
        string_limit=checks.whole_number(arguments, "string-limit") if is_limited else None,
        redact=patterns,
        trace="all" if expression is None else expression,
        status=checks.choice(arguments, "status"),
        paths=_paths(arguments),
        objects=not arguments.has("no-objects"),
        profile=arguments.has("profile"),
    )


def _paths(arguments: Arguments) -> tuple[str, ...]:
    paths = tuple(arguments.every("trace-path"))
    if "" in paths:  # An unset variable; calls by descriptor have such a path.
        raise UsageError(f"{arguments.label('trace-path')}: the path is empty")
    return paths


def _check_expression(arguments: Arguments, expression: str) -> None:
    # Most traces are of all calls, and need no catalog yet.
    from syswatch.model.filters import FilterError, traced_names

    try:
        traced_names(expression, platform.machine())
    except FilterError as error:
        raise UsageError(f"{arguments.label('trace')}: {error}") from error
