"""How the object of a call is found, by the name of the call and the beginning of its arguments."""

import enum
from functools import lru_cache

from syswatch.tracer.objects.effects import changes_tables
from syswatch.tracer.objects.targets import Moved, Target, Way, target_of

_QUOTE = b'"'
CHANGING_DIRECTORY = frozenset({"chdir", "fchdir", "getcwd"})
# Their object is what they have made of the descriptor.
EFFECT_FIRST = frozenset({"bind", "connect", "listen"})


class Plan(enum.Enum):
    """How the object of a call is found that begins with a descriptor, a string or neither."""

    # There is none.
    WITHOUT = enum.auto()
    # It is at the beginning.
    PLAIN = enum.auto()
    # The same, and the call changes descriptors.
    CHANGE = enum.auto()
    # It is the directory at the beginning if the path is empty.
    AT_DIRECTORY = enum.auto()
    # It is elsewhere.
    READ = enum.auto()
    # The call changes or returns the working directory.
    DIRECTORY = enum.auto()


@lru_cache(maxsize=4096)
def plan_of(name: str, begin: bytes) -> Plan:
    """Return the plan for calls of a name whose key begins with this character."""
    target = target_of(name)
    if name in CHANGING_DIRECTORY:
        return Plan.DIRECTORY
    if target.way is Way.NONE:
        return Plan.READ if changes_tables(name) else Plan.WITHOUT
    if begin.isdigit() and target.way is Way.PATH and (target.directory, target.argument) == (0, 1):
        return Plan.AT_DIRECTORY
    if name in EFFECT_FIRST or not _is_first(target, name, begin):
        return Plan.READ
    return Plan.CHANGE if changes_tables(name) else Plan.PLAIN


def _is_first(target: Target, name: str, begin: bytes) -> bool:
    """Return whether the object is at the beginning of the arguments."""
    if target.second >= 0 or Moved.MESSAGES in target.moved:
        return False
    if begin == _QUOTE:
        if target.way not in (Way.PATH, Way.OPENED_PATH):
            return False
        return target.argument == 0 or (target.argument == 1 and target.directory == 0)
    if target.way is Way.FUTEX:
        return begin == b"0" and name.startswith("futex")
    return target.way is Way.DESCRIPTOR and target.argument == 0 and begin.isdigit()
