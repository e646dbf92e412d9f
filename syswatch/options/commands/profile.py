"""`syswatch profile`: write, check, merge and compare seccomp profiles."""

import re
import sys

import attrs

from syswatch.model.messages import RunCommand, TraceOptions
from syswatch.options import checks, engine, reading
from syswatch.options.arguments import Arguments, UsageError
from syswatch.options.commands import run
from syswatch.options.config import Config, Profiling, Reporting
from syswatch.options.declaration import GENERAL, Command, Example, Group, Option, Value
from syswatch.options.effects import check_effects
from syswatch.options.serving import PRESENTED_TOKEN, token
from syswatch.options.tracing import BACKEND
from syswatch.profiles.capabilities import CAPABILITIES, DOCKER_CAPABILITIES
from syswatch.profiles.formats import BINARY, CONTENTS

# What has no effect unless a command is traced.
_TRACING = (*run.TARGET, BACKEND)
# The first operand, with the fewest and the most profiles that follow it.
_TASKS = {"check": (1, 1), "merge": (1, None), "diff": (2, 2)}
_VERSION = re.compile(r"(\d{1,3})\.(\d{1,3})(?:[.-].*)?")
_SIDES = "profile diff: two profiles are needed, as in 'syswatch profile diff old.json new.json'"
_MISSING = {
    "check": "profile check: missing PROFILE, as in 'syswatch profile check app.json app.rec'",
    "merge": "profile merge: missing PROFILE, as in 'syswatch profile merge a.json b.json'",
    "diff": _SIDES,
}


def _run(arguments: Arguments) -> Profiling:
    check_effects(arguments)
    operands, command = _split(arguments)
    task = operands[0] if operands and operands[0] in _TASKS else "write"
    if task != "write":
        operands = operands[1:]
    profiles, inputs = _roles(task, operands)
    inputs = engine.expanded(inputs)
    if task in {"write", "check"}:
        _check_origin(task, inputs, command)
    elif command:
        raise UsageError(f"profile {task}: it takes profiles, not a command")
    _check_used(arguments, task, inputs, is_traced=bool(command))
    checks.check_named("profile", operands, "an input")
    output = reading.destination(arguments)
    checks.check_distinct_files(arguments, ["output"], operands)
    form = checks.choice(arguments, "format")
    if form in BINARY and output == "-" and sys.stdout.isatty():
        raise UsageError(f"{form} is not text: write it to a file with -o FILE")
    if command and output == "-" and form != "text":
        raise UsageError(
            f"profile: --format {form} with a command needs --output FILE, since standard output is"
            " that of the command"
        )
    return Profiling(
        task,
        profiles,
        inputs,
        _traced(arguments, command) if command else None,
        level=_level(arguments),
        capabilities=_capabilities(arguments),
        kernel=_kernel(arguments),
        token=token(arguments, "http-token"),
        format=form,
        log_only=arguments.has("log-only"),
        output=output,
        scheduler=engine.scheduler(arguments, inputs),
    )


def _level(arguments: Arguments) -> str:
    return next((name for name in ("exact", "broad") if arguments.has(name)), "")


def _capabilities(arguments: Arguments) -> tuple[str, ...] | None:
    """Return the names of the capabilities, None if the option was not given."""
    if not arguments.has("cap"):
        return None
    names = [name for text in arguments.every("cap") for name in text.split(",")]
    found: list[str] = []
    for name in names:
        full = name.upper() if name.upper().startswith("CAP_") else f"CAP_{name.upper()}"
        if name.lower() in {"none", "docker"}:
            found += sorted(DOCKER_CAPABILITIES) if name.lower() == "docker" else []
        elif full in CAPABILITIES:
            found.append(full)
        else:
            raise UsageError(
                f"--cap: unknown capability '{name}' (expected a name such as NET_ADMIN,"
                " or 'docker' or 'none')"
            )
    return tuple(dict.fromkeys(found))


def _kernel(arguments: Arguments) -> tuple[int, int] | None:
    text = arguments.value("kernel")
    if text is None:
        return None
    version = _VERSION.fullmatch(text)
    if version is None:
        raise UsageError(f"--kernel: invalid version '{text}' (expected one such as 6.1)")
    return int(version[1]), int(version[2])


def _split(arguments: Arguments) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the operands before `--`, and the command after it."""
    at = arguments.separator
    if at is None:
        return arguments.operands, ()
    return arguments.operands[:at], arguments.operands[at:]


def _roles(task: str, operands: tuple[str, ...]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return which operands are profiles, and which are inputs."""
    if task == "write":
        return (), operands
    fewest, most = _TASKS[task]
    if len(operands) < fewest:
        raise UsageError(_MISSING[task])
    if task == "diff" and len(operands) > fewest:
        raise UsageError(_SIDES)
    return operands[:most], operands[len(operands) if most is None else most :]


def _check_origin(task: str, inputs: tuple[str, ...], command: tuple[str, ...]) -> None:
    name, words = ("profile", "") if task == "write" else ("profile check", " check app.json")
    if inputs and command:
        raise UsageError(f"{name}: INPUT and COMMAND cannot be given together")
    if not inputs and not command:
        example = f"syswatch profile{words} -- ls"
        raise UsageError(f"{name}: missing INPUT or '-- COMMAND', as in '{example}'")
    if inputs.count("-") > 1:
        raise UsageError("profile: standard input ('-') can be read only once")


def _check_used(
    arguments: Arguments, task: str, inputs: tuple[str, ...], *, is_traced: bool
) -> None:
    """Refuse options that the task would ignore."""
    for name in ("cap", "kernel"):
        if arguments.has(name) and task == "write":
            raise UsageError(f"--{name} has no effect without a profile that is read")
    if arguments.has(engine.OPTION.name) and (task not in {"write", "check"} or not inputs):
        raise UsageError("--engine has an effect only with INPUT: recordings and logs")
    if arguments.has("format") and task in {"check", "diff"}:
        raise UsageError(f"--format has no effect with profile {task}")
    if arguments.has("log-only") and task in {"check", "diff"}:
        raise UsageError(f"--log-only has no effect with profile {task}")
    for option in () if is_traced else _TRACING:
        if arguments.has(option.name):
            raise UsageError(f"{arguments.label(option.name)} has no effect without a command")


def _traced(arguments: Arguments, command: tuple[str, ...]) -> Config:
    """Return how the command is traced: for evidence only."""
    checks.need_proc()
    options = TraceOptions(log_rate=0, backend=checks.choice(arguments, "backend"), profile=True)
    job = RunCommand(
        argv=command,
        cwd=checks.directory(arguments, "cwd"),
        environment=run.environment(arguments),
        user=checks.name(arguments, "user"),
        options=options,
    )
    return Config(job, reporting=Reporting(summary=False))


COMMAND = Command(
    "profile",
    "Write, check, merge and compare seccomp profiles",
    "[OPTION...] INPUT... | -- COMMAND [ARGUMENT...]",
    "A profile permits the calls that were seen, and refuses all others.  INPUTs are recordings"
    " made with --record, logs written by strace, profiles in the format json, and URLs of servers"
    " that trace with --profile.  After '--', a command is traced instead.\n\n"
    "'profile check PROFILE INPUT...' or 'profile check PROFILE -- COMMAND' says which calls a"
    " profile would refuse.  'profile merge PROFILE...' writes a profile that permits what any of"
    " them permits.  'profile diff A B' says what B permits and A does not, and the reverse."
    "  Profiles are read in every format; instead of one, a recording or a URL can be given, of"
    " which a profile is made first.  A file with the name of such a word is given as ./check."
    "\n\n"
    "Exit status: 0 if it was written, nothing would be refused, or nothing differs; 1 if a call"
    " would or may be refused, or the profiles differ; 2 if something cannot be read, written or"
    " started; and 3 if COMMAND failed although no call would be refused.",
    (
        Example("syswatch profile -- ls -l", "what a command needs"),
        Example("syswatch profile --format oci -o app.json app.rec", "for containers"),
        Example("syswatch profile check app.json new.rec", "what is refused"),
        Example("syswatch profile diff old.json new.json", "what is added"),
    ),
    (
        Option(
            "exact",
            "Permit only what was seen, and what every program needs",
            Group.FILTER,
            excludes=("broad",),
        ),
        Option(
            "broad",
            "Also permit what the loaded programs and libraries are likely to call",
            Group.FILTER,
            excludes=("exact",),
        ),
        Option(
            "cap",
            "Capabilities of the container, separated by commas, for profiles with conditions on"
            " them, as those of Docker",
            Group.FILTER,
            metavar="NAME",
            default="docker",
            repeatable=True,
        ),
        Option(
            "kernel",
            "Version of the container's kernel, for such profiles; by default that of this machine",
            Group.FILTER,
            metavar="VERSION",
        ),
        Option(
            "format",
            "Format of the profile",
            Group.OUTPUT,
            metavar="FORMAT",
            choices=tuple(CONTENTS),
            default="text",
        ),
        Option(
            "log-only",
            "Log calls that are not permitted instead of refusing them, to try the profile first",
            Group.OUTPUT,
        ),
        attrs.evolve(
            reading.OUTPUT,
            help="Write to a file instead of standard output, or of stderr with a command",
        ),
        *run.TARGET,
        BACKEND,
        *PRESENTED_TOKEN,
        engine.OPTION,
        *GENERAL,
    ),
    _run,
    Value.FILE,
    options_anywhere=True,
)
