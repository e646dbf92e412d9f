"""The filters of a trace that leave calls out."""

import re

from syswatch.model.snapshot import Snapshot

# Others select processes.
_OF_CALLS = re.compile(r"(?:^| )(?:-e|-P|--status) ")


def left_out(snapshot: Snapshot) -> str:
    """Return the filters that leave calls of the traced threads out; empty if none does."""
    only = snapshot.source.only
    return only if _OF_CALLS.search(only) else ""
