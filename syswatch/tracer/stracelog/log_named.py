"""Paths and peers that calls of a log name besides their object."""

from syswatch.base.classes import define
from syswatch.tracer.objects.socket_calls import SENDING, destinations_of
from syswatch.tracer.objects.sockets import USUAL_PORT_RANGE
from syswatch.tracer.objects.targets import Target, target_of

from .line_format import NAME, Row
from .log_groups import LogGroups
from .log_keys import Take
from .log_processes import LogProcesses
from .log_targets import LogTargets
from .log_text import LogText
from .logged_arguments import LoggedArguments


@define
class LogNamed:
    """Makes sure that there are rows for them, though the calls are counted for their objects."""

    groups: LogGroups
    processes: LogProcesses
    targets: LogTargets
    text: LogText

    def note(self, call: LoggedArguments, target: Target) -> None:
        """Note what a call names that has been parsed."""
        if target.other_path >= 0 and (found := self.targets.second_path(call, target)):
            self.groups.note((call.pid, found, call.name))
        if call.name in SENDING:
            for peer in destinations_of(self.processes.tables, call, USUAL_PORT_RANGE):
                self.groups.note((call.pid, self.processes.known.add(peer), call.name))

    def namer(self, pid: int, name: str, take: Take) -> Take:
        """Return a handler that also notes the second path of a call, if it has one."""
        target = target_of(name)
        if target.other_path < 0:
            return take

        def note(row: Row) -> None:
            take(row)
            fd, path = self.text.second_path(row[NAME])
            if not path:
                found = self.targets.second_path(self.text.arguments(row), target)
            elif fd:
                found = self.targets.path_at(pid, fd, path)
            else:
                found = self.targets.path(pid, path)
            if found:
                self.groups.note((pid, found, name))

        return note

    def sender(self, name: str, take: Take) -> Take:
        """Return a handler that also notes the peers to which messages are sent."""
        target = target_of(name)

        def send(row: Row) -> None:
            take(row)
            if b"sa_family=" in self.text.line():
                self.note(self.text.arguments(row), target)

        return send
