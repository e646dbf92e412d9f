"""The command line: parsed, and done at once where it needs no reactor."""

from syswatch.base.streams import print_message, print_output
from syswatch.options import USAGE_STATUS, UsageError, action
from syswatch.options.config import Answer, Check, Config, Diff, Profiling, Reading, Remote


def parse(words: list[str]) -> Config | Remote | Check | Profiling:
    """Return what to run; exit where there is an error or only something to print."""
    try:
        found = action(words)
    except UsageError as error:
        print_message(str(error))
        raise SystemExit(USAGE_STATUS) from error
    if isinstance(found, Reading):
        from syswatch.app import recordings

        raise SystemExit(recordings.run(found))
    if isinstance(found, Diff):
        from syswatch.app import comparing

        raise SystemExit(comparing.run(found))
    if isinstance(found, Check) and found.traced is None:
        from syswatch.app import checking

        raise SystemExit(checking.run(found))
    if isinstance(found, Profiling) and found.traced is None:
        from syswatch.app import profiling

        raise SystemExit(profiling.run(found))
    if not isinstance(found, Answer):
        return found
    if found.error:
        print_message(found.error)
        raise SystemExit(found.status)
    raise SystemExit(print_output(f"{found.text}\n") or found.status)
