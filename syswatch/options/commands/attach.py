"""`syswatch attach`: trace running processes."""

import re

from syswatch.model.backends import Capability
from syswatch.model.messages import Attach
from syswatch.options import calls, checks, grouping
from syswatch.options.arguments import Arguments, UsageError
from syswatch.options.config import Config
from syswatch.options.declaration import Command, Example, Group, Option, Value
from syswatch.options.tracing import OPTIONS, trace_options
from syswatch.options.watching import configure

_TARGET = (
    Option(
        "pid",
        "Attach to these processes, separated by commas or blanks",
        Group.TARGET,
        short="p",
        metavar="PID",
        value=Value.PID,
        repeatable=True,
    ),
    Option(
        "container",
        "Attach to a container, service or process of this name, even one of digits",
        Group.TARGET,
        metavar="NAME",
    ),
    Option("wait", "Wait for the named targets to start", Group.TARGET),
    Option(
        "cgroup",
        "Trace all processes of a control group",
        Group.TARGET,
        metavar="PATH",
        value=Value.DIRECTORY,
        capability=Capability.CONTROL_GROUP,
    ),
    Option(
        "all",
        "Trace all processes of this machine",
        Group.TARGET,
        capability=Capability.WHOLE_MACHINE,
    ),
    *grouping.OPTIONS,
)
_SEPARATORS = re.compile(r"[,\s]+")


def _run(arguments: Arguments) -> Config:
    checks.options_first(arguments.operands)
    arguments = calls.with_summary_file(arguments)
    container, group = checks.name(arguments, "container"), checks.name(arguments, "cgroup")
    numbers = [text for text in arguments.operands if checks.is_number(text)]
    names = [text for text in arguments.operands if not checks.is_number(text)]
    pids = (*map(checks.pid, numbers), *_pids(arguments))
    if not all(names):
        raise UsageError("attach: the NAME is empty")
    names += [container] if container else []
    _check_targets(arguments, has_processes=bool(pids or names))
    if arguments.has("wait") and not names:
        raise UsageError("--wait needs a NAME to wait for: a PID must exist already")
    job = Attach(
        pids=tuple(dict.fromkeys(pids)),
        names=tuple(names),
        wait=arguments.has("wait"),
        group=_folder(group) if group else "",
        everybody=arguments.has("all"),
        options=grouping.grouped(arguments, trace_options(arguments)),
    )
    return configure(arguments, job)


def _check_targets(arguments: Arguments, *, has_processes: bool) -> None:
    whole = [arguments.label(name) for name in ("cgroup", "all") if arguments.has(name)]
    if len(whole) + has_processes > 1:
        raise UsageError(f"{whole[0]} cannot be combined with other targets")
    if not whole and not has_processes:
        raise UsageError("attach: missing target, as in 'syswatch attach -p PID'")


def _pids(arguments: Arguments) -> list[int]:
    """Return the values of -p, each of which may be a list, as printed by pidof."""
    label, found = arguments.label("pid"), []
    for value in arguments.every("pid"):
        texts = list(filter(None, _SEPARATORS.split(value)))
        if not texts:
            raise UsageError(f"{label}: the PID is empty")
        for text in texts:
            try:
                found.append(checks.pid(text))
            except UsageError as error:
                hint = f" (to attach by name: syswatch attach {text})" if text.isalpha() else ""
                raise UsageError(f"{label}: {error}{hint}") from error
    return found


def _folder(group: str) -> str:
    # Few targets are control groups.
    from syswatch.machine.groups import GroupError, folder_of

    try:
        return str(folder_of(group))
    except GroupError as error:
        raise UsageError(f"--cgroup: {error}") from error


COMMAND = Command(
    "attach",
    "Trace running processes",
    "[OPTION...] {-p PID | PID | NAME}...",
    "NAME is a container, a service or a process.  An argument that is a number is a PID.\n\n"
    "Ctrl+C detaches; the processes keep running.",
    (
        Example("syswatch attach -p 1234", "trace it in the terminal UI"),
        Example("syswatch attach --report web.html nginx", "write a report at the end"),
        Example("syswatch attach --serve :8080 --wait nginx", "serve a dashboard"),
        Example("syswatch attach --all --by pod --serve :8080", "observe a node by its pods"),
    ),
    (*_TARGET, *OPTIONS),
    _run,
    Value.PID,
)
