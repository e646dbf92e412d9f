"""
Counting the system calls of commands, and of blocks of the running program.

    from syswatch import watching

    with watching.watch() as seen:
        parse(text)
    assert "%net" not in seen.calls

    assert watching.run(["git", "status"]).calls["openat"] < 100

This is a public interface: what is exported here keeps its meaning.
"""

from .block import Watch, watch
from .calls import Calls
from .command import Completed, run
from .errors import NotPermittedError, WatchError
from .seen import Seen

__all__ = [
    "Calls",
    "Completed",
    "NotPermittedError",
    "Seen",
    "Watch",
    "WatchError",
    "run",
    "watch",
]
