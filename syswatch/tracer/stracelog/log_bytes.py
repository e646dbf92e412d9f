"""Bytes that the calls of a log have moved, but not as the result counts them for the object."""

from syswatch.base.classes import define
from syswatch.tracer.objects.targets import Moved, Target
from syswatch.tracer.objects.ways import bytes_moved

from .left_in_place import leaves_in_place
from .log_groups import LogGroups
from .log_targets import LogTargets
from .logged_arguments import LoggedArguments


@define
class LogBytes:
    """Adds bytes to groups of calls."""

    groups: LogGroups
    targets: LogTargets

    def add(self, call: LoggedArguments, found: int, target: Target) -> None:
        """Add the bytes of a call that differ from what its result counts."""
        if call.result < 0 or not target.moved:
            return
        is_sum = Moved.MESSAGES in target.moved
        if target.second >= 0:
            second = self.targets.descriptor(call, target.second)
            self.groups.add_bytes((call.pid, second, call.name), 0, bytes_moved(call.result))
        elif leaves_in_place(call.args, target.flags):
            # The result is added to the bytes when the group is counted.
            self._add(call, found, target, 0 if is_sum else -bytes_moved(call.result))
        elif is_sum:
            self._add(call, found, target, self.targets.message_bytes(call))

    def _add(self, call: LoggedArguments, found: int, target: Target, size: int) -> None:
        is_read = Moved.IN in target.moved
        key = (call.pid, found, call.name)
        self.groups.add_bytes(key, size * is_read, size * (not is_read))
