"""`syswatch profile`: write, check, merge and compare seccomp profiles."""

import attrs

from syswatch.model.messages import RunCommand, TraceOptions
from syswatch.options import checks, reading
from syswatch.options.arguments import Arguments, UsageError
from syswatch.options.config import Config, Profiling, Reporting
from syswatch.options.declaration import GENERAL, Command, Example, Group, Option, Value
from syswatch.options.effects import check_effects
from syswatch.profiles.formats import CONTENTS

# The first operand, with the fewest and the most profiles that follow it.
_TASKS = {"check": (1, 1), "merge": (1, None), "diff": (2, 2)}
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
    if task in {"write", "check"}:
        _check_origin(task, inputs, command)
    elif command:
        raise UsageError(f"profile {task}: it takes profiles, not a command")
    _check_used(arguments, task)
    if "" in operands:
        raise UsageError("profile: the name of an input is empty")
    output = reading.destination(arguments)
    checks.check_distinct_files(arguments, ["output"], operands)
    form = checks.choice(arguments, "format")
    if command and output == "-" and form != "text":
        raise UsageError(
            f"profile: --format {form} with a command needs --output FILE, since standard output is"
            " that of the command"
        )
    return Profiling(
        task,
        profiles,
        inputs,
        _traced(command) if command else None,
        level="exact" if arguments.has("exact") else "default",
        format=form,
        output=output,
    )


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


def _check_used(arguments: Arguments, task: str) -> None:
    """Refuse options that the task would ignore."""
    if arguments.has("exact") and task != "write":
        raise UsageError(f"--exact has no effect with profile {task}")
    if arguments.has("format") and task in {"check", "diff"}:
        raise UsageError(f"--format has no effect with profile {task}")


def _traced(command: tuple[str, ...]) -> Config:
    """Return how the command is traced: for evidence only."""
    checks.need_proc()
    options = TraceOptions(log_rate=0, backend="ptrace", profile=True)
    job = RunCommand(argv=command, cwd="", environment={}, user="", options=options)
    return Config(job, reporting=Reporting(summary=False))


COMMAND = Command(
    "profile",
    "Write, check, merge and compare seccomp profiles",
    "[OPTION...] INPUT... | -- COMMAND [ARGUMENT...]",
    "A profile permits the calls that were seen, and refuses all others.  INPUTs are recordings"
    " made with --record and --profile, and logs written by strace.  After '--', a command is"
    " traced with ptrace instead.\n\n"
    "'profile check PROFILE INPUT...' or 'profile check PROFILE -- COMMAND' says which calls a"
    " profile would refuse.  'profile merge PROFILE...' writes a profile that permits what any of"
    " them permits.  'profile diff A B' says what B permits and A does not, and the reverse."
    "  Profiles are read in every format except text.  A file with the name of such a word is"
    " given as ./check.\n\n"
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
        Option("exact", "Permit only what was seen, and what every program needs", Group.FILTER),
        Option(
            "format",
            "Format of the profile",
            Group.OUTPUT,
            metavar="FORMAT",
            choices=tuple(CONTENTS),
            default="text",
        ),
        attrs.evolve(
            reading.OUTPUT,
            help="Write to a file instead of standard output, or of stderr with a command",
        ),
        *GENERAL,
    ),
    _run,
    Value.FILE,
    options_anywhere=True,
)
