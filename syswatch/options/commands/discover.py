"""`syswatch discover`: find the PID of a container, a service or a process."""

from syswatch.options import checks
from syswatch.options.arguments import Arguments, UsageError
from syswatch.options.config import Answer
from syswatch.options.declaration import GENERAL, Command, Example, Group, Option


def _run(arguments: Arguments) -> Answer:
    checks.options_first(arguments.operands)
    if not arguments.operands or not arguments.operands[0]:
        raise UsageError("discover: missing NAME, as in 'syswatch discover nginx'")
    name, *others = arguments.operands
    if others:
        raise UsageError("discover takes a single NAME; quote a name with spaces")
    checks.need_proc()
    # Of all commands, only this one looks at processes.
    from syswatch.machine.discover import find

    matches = find(name)
    if not matches:
        return Answer(status=1, error=f"no container, service or process matches '{name}'")
    if not arguments.has("all"):
        return Answer(str(matches[0].pid))
    width = max(len(str(match.pid)) for match in matches)
    return Answer("\n".join(f"{m.pid:>{width}}  {m.comm:<15}  {m.why}" for m in matches))


COMMAND = Command(
    "discover",
    "Find the PID of a container, service or process",
    "[OPTION...] NAME",
    "Print the PID of the best match; the exit status is 1 if nothing matches.",
    (
        Example("syswatch discover nginx", "print one PID"),
        Example("syswatch discover --all python3", "list all matches, and what matched"),
    ),
    (
        Option("all", "List all matches, and what matched", Group.TARGET, short="a"),
        *GENERAL,
    ),
    _run,
)
