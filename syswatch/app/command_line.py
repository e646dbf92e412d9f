"""The command line: parsed, and done at once where it needs no reactor."""

import gc

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
    if isinstance(found, Config | Remote):
        return found
    if isinstance(found, Check | Profiling) and found.traced is not None:
        return found
    gc.enable()
    raise SystemExit(_do(found))


def _do(action: Reading | Diff | Check | Profiling | Answer) -> int:
    """Do what needs no reactor; return the exit status."""
    if isinstance(action, Reading):
        from syswatch.app import recordings

        return recordings.run(action)
    if isinstance(action, Diff):
        from syswatch.app import comparing

        return comparing.run(action)
    if isinstance(action, Check):
        from syswatch.app import checking

        return checking.run(action)
    if isinstance(action, Profiling):
        from syswatch.app import profiling

        return profiling.run(action)
    if action.error:
        print_message(action.error)
        return action.status
    return print_output(f"{action.text}\n") or action.status
