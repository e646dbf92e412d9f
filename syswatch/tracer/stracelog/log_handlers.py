"""Handlers of calls whose object is not at the beginning of the arguments, or that change it."""

import attrs

from syswatch.base.classes import define
from syswatch.model.catalog import executes
from syswatch.model.objects import NO_OBJECT
from syswatch.tracer.objects.addresses import SocketFacts
from syswatch.tracer.objects.answers import learn, may_answer
from syswatch.tracer.objects.effects import changes_tables
from syswatch.tracer.objects.targets import Target, Way, target_of

from .left_in_place import may_leave_in_place
from .line_format import ERRNO, FIRST, NAME, PATH, RESULT, Row, name_of
from .log_bytes import LogBytes
from .log_groups import LogGroups
from .log_keys import Pids, Take
from .log_named import LogNamed
from .log_plans import CHANGING_DIRECTORY, EFFECT_FIRST, Plan
from .log_processes import LogProcesses
from .log_targets import NEEDED, LogTargets, is_needed
from .log_text import LogText
from .logged_arguments import LoggedArguments, address, received, string_of
from .opened_files import opens_cloexec

_MAPS = frozenset({"mmap", "mmap2"})
# So many changes of descriptors are kept at most until they are applied.
_MOST_PENDING = 1000


@define
class LogHandlers:
    """
    Makes handlers, which add calls to groups.

    Calls that are not counted are followed, too.
    """

    groups: LogGroups
    processes: LogProcesses
    targets: LogTargets
    pids: Pids
    text: LogText
    moved: LogBytes = attrs.field(init=False)
    named: LogNamed = attrs.field(init=False)
    # First halves of calls that have closed descriptors, with the objects of these.
    begun: dict[int, tuple[str, int]] = attrs.field(factory=dict, init=False)
    # The object that the last handler has found; -1 if there was no handler.
    found: int = attrs.field(default=-1, init=False)

    def __attrs_post_init__(self) -> None:
        """Count bytes in the same groups."""
        self.moved = LogBytes(self.groups, self.targets)
        self.named = LogNamed(self.groups, self.processes, self.targets, self.text)

    def parser(self, pid: int, name: str, plan: Plan) -> Take:
        """Return a handler for calls whose object is not at the beginning of the arguments."""
        target = target_of(name)
        if plan is Plan.DIRECTORY:
            return self._directory_taker(pid, name)
        read = self._reader(name, target)
        if name in _MAPS:
            return self._map_searcher(pid, name, read)
        return self._epoll_searcher(name, read) if target.way is Way.EPOLL else read

    def without_object(self, take: Take) -> Take:
        """Return a handler for calls whose first argument is a number of another kind."""

        def without(row: Row) -> None:
            self.found = NO_OBJECT
            take(row)

        return without

    def at_directory(self, pid: int, name: str, take: Take, read: Take) -> Take:
        """Return a handler for calls on a descriptor if the path is empty, else on a path."""

        def at(row: Row) -> None:
            fd = row[FIRST]
            path = self.text.string_after(row, fd)
            if path == b'""':
                take(row)
            elif path and fd.isdigit():
                self.found = self.targets.path_at(pid, fd, path)
                self.groups.of(pid, self.found, name)(row)
            else:
                read(row)

        return at

    def receiver(self, take: Take, facts: SocketFacts | None) -> Take:
        """Return a handler that also learns from the answers of name servers, if any may come."""
        if facts is None or not may_answer(facts):
            return take
        hosts = self.processes.known.hosts

        def receive(row: Row) -> None:
            take(row)
            args = self.text.arguments(row).args
            learn(hosts, facts, received(args), address(args))

        return receive

    def _reader(self, name: str, target: Target) -> Take:
        """Return a handler that finds the object in the arguments."""
        changes = changes_tables(name)
        finds_first = target.way is Way.DESCRIPTOR and name not in EFFECT_FIRST

        def take(row: Row) -> None:
            pid = self.text.pid(row)
            call = self.text.arguments(row)
            ret = self.text.ret or row[RESULT]
            found = self.targets.find(call, target, ret) if finds_first else -1
            if changes:
                self.apply(call)
            if found < 0:
                found = self.targets.find(call, target, ret)
            self.found = found
            self.groups.of(pid, found, name)(row)
            self.moved.add(call, found, target)
            self.named.note(call, target)

        return take

    def looker(self, found: int, name: str, take: Take) -> Take:
        """Return a handler for calls that may leave in place what they have received."""
        target = target_of(name)

        def look(row: Row) -> None:
            take(row)
            if may_leave_in_place(self.text.arguments_text(row)) and row[RESULT].isdigit():
                self.moved.add(self.text.arguments(row), found, target)

        return look

    def _map_searcher(self, pid: int, name: str, read: Take) -> Take:
        """Return a faster handler for mappings, which parses only what it cannot find."""
        keys = self.pids.keys_of(pid)
        nothing = self.groups.of(pid, NO_OBJECT, name)

        def search(row: Row) -> None:
            fd = self.targets.mapped(self.text.line())
            if not fd:
                read(row)
            elif fd.startswith(b"-"):
                self.found = NO_OBJECT
                nothing(row)
            else:
                self.found = keys[fd].object
                self.groups.of(pid, self.found, name)(row)

        return search

    def _epoll_searcher(self, name: str, read: Take) -> Take:
        """Return a faster handler for waits for an epoll."""

        def search(row: Row) -> None:
            pid = self.text.pid(row)
            found = self.targets.reported(pid, row[FIRST], row[RESULT], self.text.line())
            if found is None:
                read(row)
            else:
                self.found = found
                self.groups.of(pid, found, name)(row)

        return search

    # --- what calls change

    def changer(self, pid: int, name: str, take: Take) -> Take:
        """Return a handler that collects calls, and applies what they change."""
        if name == "close":
            return self._closer(pid, take)
        if target_of(name).way is Way.OPENED_PATH:
            return self._opener(pid, name, take)
        if executes(name):
            return self._executer(take)
        needed = NEEDED.get(name, ())

        def change(row: Row) -> None:
            take(row)
            args = self.text.arguments_text(row)
            if not needed or is_needed(needed, args):
                self.apply(self.text.arguments(row))

        return change

    def begin_close(self, pid: int, fd: bytes) -> None:
        """Note the first half of a close: the descriptor may be used again before the second."""
        self.begun[pid] = "close", self.pids.keys_of(pid)[fd].object
        self._closed(pid, fd)

    def _closer(self, pid: int, take: Take) -> Take:
        def close(row: Row) -> None:
            begun = self.begun.pop(pid, None) if self.begun else None
            if begun is not None and begun[0] == "close":
                self.found = begun[1]
                self.groups.of(pid, begun[1], "close")(row)
                return
            take(row)
            if row[ERRNO] != b"EBADF":
                self._closed(pid, row[FIRST])

        return close

    def _closed(self, pid: int, fd: bytes) -> None:
        self.pids.keys_of(pid).pop(fd, None)
        self.processes.pending.of(pid)[fd if fd.isdigit() else fd.partition(b"<")[0]] = None
        if pid in self.processes.shared.sharers:
            self._changed_key(pid, fd)

    def _opener(self, pid: int, name: str, take: Take) -> Take:
        keys, pending = self.pids.keys_of(pid), self.processes.pending.of(pid)
        files, read = keys.files, self._reader(name, target_of(name))

        def opened(row: Row) -> None:
            path, fd = row[PATH], row[RESULT]
            if path.startswith(b'"'):
                take(row)
                directory = None
            else:
                at, _, path = path.partition(b", ")
                if not at.isdigit() or path == b'""':
                    read(row)
                    return
                directory = self.processes.directory(pid, at)
                self.found = self.targets.path_in(directory, path)
                self.groups.of(pid, self.found, name)(row)
            # What the log itself says of descriptors need not be followed.
            if row[ERRNO] or not fd.isdigit():
                return
            if directory is None:
                file = files.get(path) or keys.file(path, self.processes.file(pid, path))
            else:
                description = self.processes.files.opened(directory, path)
                file = keys.opened(description)
            pending[fd] = file[1], opens_cloexec(self.text.line())
            if pid in self.processes.shared.sharers or len(pending) > _MOST_PENDING:
                self._changed_key(pid, fd)
            keys[fd] = file[0]

        return opened

    def _changed_key(self, pid: int, key: bytes) -> None:
        """Apply the change of a descriptor at once, for all that share it."""
        self.processes.pending.settle(pid)
        self.pids.forget_key(self.processes.sharing(pid), key)

    def _executer(self, take: Take) -> Take:
        def execute(row: Row) -> None:
            take(row)
            self._executed(row)

        return execute

    def _executed(self, row: Row) -> None:
        if not row[ERRNO]:
            path = string_of(row[PATH]) if row[PATH] else b""
            self.processes.executed(self.text.pid(row), path)
            self.apply(self.text.arguments(row))

    def _directory_taker(self, pid: int, name: str) -> Take:
        target = target_of(name)
        if target.way is Way.NONE:
            collect = self.without_object(self.groups.of(pid, NO_OBJECT, name))
        else:
            collect = self._reader(name, target)

        def take(row: Row) -> None:
            collect(row)
            self._changed_directory(pid, row)

        return take

    def _changed_directory(self, pid: int, row: Row) -> None:
        if not (row[ERRNO] or self._is_directory(pid, row)):
            for each in self.processes.sharing(pid):
                self.groups.end_paths(each)
            self.targets.change_directory(self.text.arguments(row))

    def _is_directory(self, pid: int, row: Row) -> bool:
        """Return whether a path is the working directory, as most that `getcwd` returns are."""
        path = row[PATH]
        return bool(path) and string_of(path) == self.processes.place(pid).directory

    def follow(self, row: Row) -> None:
        """Apply what a call has changed that is not counted."""
        name = name_of(row[NAME])
        if executes(name):
            self._executed(row)
        elif name in CHANGING_DIRECTORY:
            self._changed_directory(self.text.pid(row), row)
        elif changes_tables(name):
            self.apply(self.text.arguments(row))

    def apply(self, call: LoggedArguments) -> None:
        """Apply what a call has done."""
        begun = self.begun.pop(call.pid, None)
        self.processes.returned(call, began=begun is not None and begun[0] == call.name)
