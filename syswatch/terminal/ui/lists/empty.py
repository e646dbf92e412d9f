"""Messages in place of the rows of an empty list."""

from syswatch.model.snapshot import Snapshot


def no_calls(snapshot: Snapshot) -> str:
    """Return the message of a list without system calls."""
    if snapshot.done:
        return "No system calls"
    if not snapshot.source.backend or snapshot.is_of_log:
        return "Starting…"
    return "No system calls yet: the target is computing, or waiting inside a call (press 3)"


def no_data(snapshot: Snapshot, what: str) -> str:
    """Return the message of a list whose rows come from objects, threads or waits."""
    if not snapshot.calls:
        return no_calls(snapshot)
    sums = snapshot.sums
    if sums.activity or sums.threads or sums.now.threads:
        return f"No {what}"
    return f"No data on {what}: an old recording, --no-objects, or --mode counts"
