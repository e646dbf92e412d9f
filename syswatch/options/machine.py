"""`syswatch discover` and `syswatch doctor`: what is here, and what is allowed here."""

from twisted.python import usage

from syswatch.machine.capabilities import read_facts
from syswatch.machine.discover import find
from syswatch.machine.doctor import diagnose
from syswatch.options.config import Answer

from . import checks
from .base import BaseOptions
from .diagnosis import render
from .effects import check_unused


class DiscoverOptions(BaseOptions):
    """The flags of `discover`."""

    synopsis = "Usage: syswatch discover [options] NAME"
    longdesc = "Print the pid of a container, a unit or a process."
    optFlags = [["all", "a", "List everything that fits, and why it does."]]

    def parseArgs(self, name: str = "", *others: str) -> None:
        """Take the name."""
        checks.options_first((name, *others))
        if not name:
            raise usage.UsageError("discover needs a NAME")
        if others:
            raise usage.UsageError("discover takes one NAME only; quote a name that has blanks")
        self.name = name

    def action(self) -> Answer:
        """Return the pid, or all of them."""
        check_unused(self, "discover")
        checks.need_proc()
        matches = find(self.name)
        if not matches:
            return Answer(status=1, complaint=f"nothing here is called '{self.name}'")
        if not self["all"]:
            return Answer(str(matches[0].pid))
        width = max(len(str(match.pid)) for match in matches)
        return Answer("\n".join(f"{m.pid:>{width}}  {m.comm:<15}  {m.why}" for m in matches))


class DoctorOptions(BaseOptions):
    """The flags of `doctor`, which has none of its own."""

    synopsis = "Usage: syswatch doctor"
    longdesc = "Say which ways of tracing this machine allows, and what would allow the others."

    def parseArgs(self, *words: str) -> None:
        """Refuse words; there is nothing that they could name."""
        if words:
            raise usage.UsageError(f"doctor takes no argument: '{words[0]}'")

    def action(self) -> Answer:
        """Return the diagnosis; it is a bad one where nothing can be traced."""
        check_unused(self, "doctor")
        facts = read_facts()
        verdicts = diagnose(facts)
        text = render(facts, verdicts).rstrip("\n")
        return Answer(text, status=0 if any(verdict.usable for verdict in verdicts) else 1)
