"""`syswatch doctor`: check what can be traced on this machine."""

from syswatch.options.arguments import Arguments, UsageError
from syswatch.options.config import Answer
from syswatch.options.declaration import GENERAL, Command, Example


def _run(arguments: Arguments) -> Answer:
    if arguments.operands:
        raise UsageError(f"doctor takes no arguments: '{arguments.operands[0]}'")
    # Of all commands, only this one describes the machine.
    from syswatch.machine.capabilities import read_facts
    from syswatch.machine.doctor import diagnose
    from syswatch.options.diagnosis import render

    facts = read_facts()
    verdicts = diagnose(facts)
    text = render(facts, verdicts).rstrip("\n")
    return Answer(text, status=0 if any(verdict.usable for verdict in verdicts) else 1)


COMMAND = Command(
    "doctor",
    "Check what can be traced on this machine",
    "",
    "Print which backends work here, and what would make the others work.  The exit status is"
    " 1 if nothing can be traced.",
    (
        Example("syswatch doctor", "check as this user"),
        Example("sudo syswatch doctor", "check as root"),
    ),
    GENERAL,
    _run,
)
