"""The command line: parsed, and done at once where it needs no reactor."""

from syswatch.base.streams import print_message, print_output
from syswatch.options import USAGE_STATUS, UsageError, action
from syswatch.options.config import Answer, Config, Reading, Remote


def parse(words: list[str]) -> Config | Remote:
    """Return what to run; exit where there is an error or only something to print."""
    try:
        found = action(words)
    except UsageError as error:
        print_message(str(error))
        raise SystemExit(USAGE_STATUS) from error
    if isinstance(found, Reading):
        from syswatch.app import recordings

        raise SystemExit(recordings.run(found))
    if not isinstance(found, Answer):
        return found
    if found.error:
        print_message(found.error)
        raise SystemExit(found.status)
    raise SystemExit(print_output(f"{found.text}\n") or found.status)
