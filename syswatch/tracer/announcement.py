"""What the service is told of the target: its description, and the filters in use."""

from collections.abc import Callable

import attrs

from syswatch.base.classes import define
from syswatch.base.text import escape_text
from syswatch.model.messages import FilterOptions, Started, TraceOptions
from syswatch.model.process import ProcessInfo

from .outbox import Outbox
from .subject import redacted


@define
class Announcer:
    """Sends the description of the target whenever it has changed."""

    backend: str
    options: TraceOptions
    outbox: Outbox
    redact: Callable[[str], str]
    # As it was last sent.
    process: ProcessInfo = attrs.field(init=False, factory=ProcessInfo)

    def announce(self, process: ProcessInfo) -> None:
        """Send a description, unless it was sent before or the process has ended."""
        process = redacted(process, self.redact)
        # A process that has ended keeps a name for a while, and nothing else.
        if process != self.process and (process.cmdline or not self.process.pid):
            self.process = process
            only = active_filters(self.options, self.redact)
            self.outbox.send(Started(self.backend, process, only=only))


def active_filters(options: FilterOptions, redact: Callable[[str], str]) -> str:
    """Return the options that leave calls out, as on a command line; empty if none does."""
    flags = {
        "-e": (options.trace,) if options.trace != "all" else (),
        "--status": (options.status,) if options.status else (),
        "-P": options.paths,
    }
    words = [f"{flag} {value}" for flag, values in flags.items() for value in values]
    if isinstance(options, TraceOptions) and not options.follow_children:
        words.append("--no-children")
    return redact(escape_text(" ".join(words)))
