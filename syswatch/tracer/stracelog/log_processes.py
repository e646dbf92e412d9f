"""What is known of the processes of a log while its lines are read: descriptors and commands."""

import re
from collections import defaultdict
from collections.abc import Callable, Iterable
from collections.abc import Set as AbstractSet
from pathlib import PurePosixPath

import attrs

from syswatch.base.text import escape_text
from syswatch.tracer.objects import describe, effects
from syswatch.tracer.objects.addresses import Endpoint
from syswatch.tracer.objects.describe import Owner
from syswatch.tracer.objects.descriptors import Description, Descriptors, DescriptorTable, Found
from syswatch.tracer.objects.effect import descriptor
from syswatch.tracer.objects.known import KnownObjects

from .decorations import find_in_text
from .log_numbers import whole_number
from .log_place import Place
from .logged_arguments import LoggedArguments, string_of
from .part_names import PartNames

_CLONES = frozenset({"clone", "clone3", "fork", "vfork"})
_MOST_ENDED = 10_000
_MOST_FILES = 20_000
_CLONE_FILES = re.compile(rb"\bCLONE_FILES\b")


def acts_at_once(name: str) -> bool:
    """Return whether a call of this name has to be noted when it begins."""
    return name in _CLONES or effects.closes_at_once(name)


@attrs.define
class LogProcesses:
    """
    Follows the descriptors of all processes of a log.

    `changed` is called with the PIDs whose descriptors may now refer to something else.
    """

    changed: Callable[[Iterable[int]], None]
    # Called with a PID before its working directory becomes another one.
    leave: Callable[[int], None]
    tables: Descriptors = attrs.field(factory=Descriptors)
    is_part: bool = False
    _places: dict[int, Place] = attrs.field(factory=dict, init=False)
    _attached: dict[int, DescriptorTable] = attrs.field(factory=dict, init=False)
    # The processes that share a table, by the identity of the table.
    _sharing: dict[int, set[int]] = attrs.field(factory=dict, init=False)
    # Those that share one with another.
    sharers: set[int] = attrs.field(factory=set, init=False)
    # Descriptors that were opened, or closed, since the table was needed: most are soon closed, so
    # the table is changed once for each descriptor.
    pending: dict[int, dict[bytes, tuple[Description, bool] | None]] = attrs.field(
        factory=lambda: defaultdict(dict), init=False
    )
    # The clones in progress: the child may be seen before they return.
    _cloning: dict[int, LoggedArguments] = attrs.field(factory=dict, init=False)
    _adopted: set[int] = attrs.field(factory=set, init=False)
    # Processes with a command that have ended, for which others may still wait.
    _ended: dict[int, Owner] = attrs.field(factory=dict, init=False)
    # The files that were opened, by the quoted path and the working directory.
    _files: dict[tuple[bytes, bytes], Description] = attrs.field(factory=dict, init=False)
    # The ports that are listened on.
    listening: frozenset[int] = attrs.field(default=frozenset(), init=False)
    # In a part of a log: see `PartNames`.
    _origins: dict[int, int] = attrs.field(factory=dict, init=False)

    @property
    def known(self) -> KnownObjects:
        """Return the objects that have been seen."""
        return self.tables.known

    def meet(self, pid: int) -> None:
        """
        Note a process when its first line is read.

        If just one clone is in progress, it is that of this process, which is described as the
        child; else it is described when the clone returns.
        """
        if pid in self._places:
            return
        if len(self._cloning) == 1 and pid not in self._cloning:
            ((parent, call),) = self._cloning.items()
            self._adopted.add(pid)
            self._fork(parent, pid, shares=bool(_CLONE_FILES.search(call.args)))
        else:
            self._places[pid] = Place(pid)
            self._share(pid)
            self._note_nameless(pid, -1 if pid in self._origins or pid in self._ended else pid)

    def place(self, pid: int) -> Place:
        """Return the place of a process."""
        self.meet(pid)
        return self._places[pid]

    def owner(self, pid: int) -> Owner:
        """Return the process of a thread as it is part of names."""
        place = self._places.get(pid)
        return Owner(place.pid, place.comm) if place else Owner(pid)

    def table(self, pid: int) -> DescriptorTable:
        """Return the descriptors of a process."""
        self.meet(pid)
        self.settle(pid)
        return self.tables.table(pid)

    def sharing(self, pid: int) -> Iterable[int]:
        """Return the processes and threads that share the descriptors of one."""
        return tuple(self._sharing.get(id(self.tables.table(pid)), (pid,)))

    def began(self, call: LoggedArguments) -> None:
        """Note the first half of a call."""
        if call.name in _CLONES:
            self._cloning[call.pid] = call
        self.settle(call.pid)
        effects.began(self.tables, call)
        self.changed(self.sharing(call.pid))

    def returned(self, call: LoggedArguments, *, began: bool) -> None:
        """Apply what a call has done; `began` tells whether its first half was applied."""
        pid = call.pid
        self.settle(pid)
        is_clone = call.name in _CLONES
        if is_clone:
            self._cloning.pop(pid, None)
        if is_clone and call.result > 0:
            if call.result not in self._adopted:
                self._fork(pid, call.result, shares=bool(_CLONE_FILES.search(call.args)))
            self._adopted.discard(call.result)
            return
        before = self.sharing(pid)
        if call.name == "listen":
            self._note_listening(call)
        (effects.returned if began else effects.completed)(self.tables, call)
        self._share(pid)
        self.changed({*before, pid})

    def _note_listening(self, call: LoggedArguments) -> None:
        found = find_in_text(call.argument(0), self.owner(call.pid), self.listening)
        description = self.tables.table(call.pid).open.get(descriptor(call, 0))
        facts = found.socket if found is not None else description and description.socket
        if facts and isinstance(facts.local, Endpoint):
            self.listening |= {facts.local.port}

    def executed(self, pid: int, path: bytes) -> None:
        """Note the command of a process."""
        comm = escape_text(PurePosixPath(path.decode(errors="replace")).name)
        self._places[pid] = Place(pid, comm, self.place(pid).directory)

    def ended(self, pid: int) -> None:
        """Forget a process."""
        if pid in self._places:
            self.leave(pid)
        self._unshare(pid)
        self.tables.ended(pid)
        self.pending[pid].clear()
        place = self._places.pop(pid, None)
        if place is not None and place.comm:
            self._note_ended(pid, Owner(place.pid, place.comm))
        self._cloning.pop(pid, None)
        self._adopted.discard(pid)
        self.changed((pid,))

    def file(self, pid: int, path: bytes) -> Description:
        """Return a file as it is opened by a quoted path, one description for all openings."""
        return self.file_in(self.place(pid).directory, path)

    def file_in(self, directory: bytes, path: bytes) -> Description:
        """Return a file as it is opened by a quoted path that is relative to a directory."""
        description = self._files.get((path, directory))
        if description is None:
            info = describe.opened(describe.full_path(string_of(path), directory))
            # Only descriptions of sockets and epolls ever change.
            description = self.tables.describe(Found(info))
            if len(self._files) >= _MOST_FILES:
                self._files.clear()
            self._files[path, directory] = description
        return description

    def path_of(self, pid: int, fd: int) -> bytes:
        """Return the path that a descriptor refers to, or nothing."""
        return self._path(self.table(pid).open.get(fd))

    def _path(self, description: Description | None) -> bytes:
        info = self.known.info(description.object) if description is not None else None
        return info.name.encode() if info is not None and info.name.startswith("/") else b""

    def directory(self, pid: int, digits: bytes) -> bytes:
        """Return the path of a directory that a descriptor refers to, as `path_of` does."""
        if digits in self.pending[pid]:
            entry = self.pending[pid][digits]
            return self._path(entry[0]) if entry is not None else b""
        return self._path(self.tables.table(pid).open.get(whole_number(digits)))

    def settle(self, pid: int) -> None:
        """Bring the table of a process up to date."""
        pending = self.pending.get(pid)
        if pending:
            table = self.tables.table(pid)
            for digits, entry in pending.items():
                if entry is None:
                    table.closed(whole_number(digits))
                else:
                    table.opened(whole_number(digits), entry[0], cloexec=entry[1])
            pending.clear()

    def comm(self, pid: int) -> str:
        """Return the command of a process, or the last one if it has ended."""
        return self.owner(pid).comm or self._ended.get(pid, Owner(pid)).comm

    def owner_before_end(self, pid: int) -> Owner:
        """Return a process that may have ended."""
        return Owner(pid, self._ended.get(pid, self.owner(pid)).comm)

    @property
    def part_names(self) -> PartNames:
        """Return the names of this part of a log."""
        owners = {pid: self.owner(pid) for pid in self._places}
        cloning = {pid: call.detached() for pid, call in self._cloning.items()}
        return PartNames(dict(self._origins), owners, dict(self._ended), cloning)

    def meet_part(self, names: PartNames) -> None:
        """Note the processes that the next part of the log has come across without a name."""
        for pid, origin in names.origins.items():
            if pid == origin and pid not in self._ended:
                self.meet(pid)

    def owner_in_part(self, names: PartNames, pid: int) -> Owner:
        """Return a process of the next part of the log, which may not know its name."""
        origin = names.origins.get(pid, pid)
        ended = self._ended.get(origin, Owner(origin))
        found = self.owner(origin) if origin in self._places else ended
        return found if origin == pid else Owner(pid, found.comm)

    def add_part(self, names: PartNames, ended: AbstractSet[int]) -> None:
        """Go on after the next part of the log; what descriptors refer to is not known then."""
        now = {
            pid: owner if owner.comm else self.owner_in_part(names, owner.pid)
            for pid, owner in names.owners.items()
        }
        for pid, owner in {**names.ended, **now}.items():
            if pid in ended or pid not in now:
                self._places.pop(pid, None)
                if owner.comm:
                    self._note_ended(pid, owner)
            else:
                self._places[pid] = Place(owner.pid, owner.comm)
        self._cloning.update(names.cloning)
        for each in (self.tables.tables, self.pending, self._attached, self._sharing, self.sharers):
            each.clear()

    def _note_nameless(self, pid: int, origin: int) -> None:
        if self.is_part:
            self._origins[pid] = origin if self._origins.get(pid, origin) == origin else -1

    def _note_ended(self, pid: int, owner: Owner) -> None:
        self._ended.pop(pid, None)
        self._ended[pid] = owner
        if len(self._ended) > _MOST_ENDED:
            del self._ended[next(iter(self._ended))]

    def _fork(self, parent: int, pid: int, *, shares: bool) -> None:
        place = self.place(parent)
        if pid in self._places:
            self.leave(pid)
        self.pending[pid].clear()
        self.settle(parent)
        self._places[pid] = place if shares else attrs.evolve(place, pid=pid)
        if not place.comm and not shares:
            self._note_nameless(pid, self._origins.get(place.pid, -1))
        self.tables.forked(parent, pid, shares=shares)
        self._share(pid)
        self._share(parent)
        self.changed((pid,))

    def _share(self, pid: int) -> None:
        table = self.tables.table(pid)
        if self._attached.get(pid) is not table:
            self._unshare(pid)
            self._attached[pid] = table
            pids = self._sharing.setdefault(id(table), set())
            pids.add(pid)
            if len(pids) > 1:
                self.sharers.update(pids)

    def _unshare(self, pid: int) -> None:
        table = self._attached.pop(pid, None)
        pids = self._sharing.get(id(table), set())
        pids.discard(pid)
        self.sharers.discard(pid)
        if len(pids) == 1:
            self.sharers.difference_update(pids)
        elif not pids:
            self._sharing.pop(id(table), None)

    def settle_all(self) -> None:
        """Bring all tables up to date, and forget what was pending."""
        for pid in self.pending:
            self.settle(pid)
        self.pending.clear()
