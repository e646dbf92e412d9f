"""What somebody wants to see, where that is not everything."""

from collections.abc import Callable

from syswatch.base.text import inert
from syswatch.model.messages import FilterOptions, TraceOptions


def wanted(options: FilterOptions, redact: Callable[[str], str]) -> str:
    """Return the flags that leave something out, empty where none does."""
    flags = {
        "-e": (options.trace,) if options.trace != "all" else (),
        "--status": (options.status,) if options.status else (),
        "-P": options.paths,
    }
    words = [f"{flag} {value}" for flag, values in flags.items() for value in values]
    if isinstance(options, TraceOptions) and not options.follow_children:
        words.append("--no-children")
    return redact(inert(" ".join(words)))
