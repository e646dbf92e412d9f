"""What is known of the processes of a log while its lines are read: descriptors and commands."""

import re
from collections.abc import Callable, Iterable
from collections.abc import Set as AbstractSet
from functools import partial
from pathlib import PurePosixPath

import attrs

from syswatch.base.classes import define
from syswatch.base.text import escape_text
from syswatch.tracer.objects import describe, effects
from syswatch.tracer.objects.addresses import Endpoint
from syswatch.tracer.objects.describe import Owner
from syswatch.tracer.objects.descriptors import Description, Descriptors, DescriptorTable
from syswatch.tracer.objects.effect import descriptor
from syswatch.tracer.objects.known import KnownObjects

from .clones_in_progress import CLONES, ClonesInProgress, EarlyChild
from .decorations import find_in_text
from .log_numbers import whole_number
from .log_place import Place
from .logged_arguments import LoggedArguments
from .opened_files import OpenedFiles
from .part_names import PartNames
from .pending_changes import PendingChanges
from .shared_tables import SharedTables

_MOST_ENDED = 10_000
_CLONE_FILES = re.compile(rb"\bCLONE_FILES\b")


def acts_at_once(name: str) -> bool:
    """Return whether a call of this name has to be noted when it begins."""
    return name in CLONES or effects.closes_at_once(name)


@define
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
    places: dict[int, Place] = attrs.field(factory=dict, init=False)
    shared: SharedTables = attrs.field(factory=SharedTables, init=False)
    pending: PendingChanges = attrs.field(init=False)
    _clones: ClonesInProgress = attrs.field(factory=ClonesInProgress, init=False)
    # Processes with a command that have ended, for which others may still wait.
    _ended: dict[int, Owner] = attrs.field(factory=dict, init=False)
    files: OpenedFiles = attrs.field(init=False)
    # The ports that are listened on.
    listening: frozenset[int] = attrs.field(default=frozenset(), init=False)
    # In a part of a log: see `PartNames`.
    _origins: dict[int, int] = attrs.field(factory=dict, init=False)

    def __attrs_post_init__(self) -> None:
        """Start without processes."""
        self.files = OpenedFiles(self.tables)
        self.pending = PendingChanges(self.tables, self._clones.note)

    @property
    def known(self) -> KnownObjects:
        """Return the objects that have been seen."""
        return self.tables.known

    def meet(self, pid: int) -> None:
        """Note a process when its first line is read."""
        if pid in self.places:
            return
        clone = self._clones.meet(pid)
        if clone is not None:
            self._fork(clone.pid, pid, shares=_shares_files(clone))
        else:
            self.places[pid] = Place(pid)
            self._share(pid)
            self._note_nameless(pid, -1 if pid in self._origins or pid in self._ended else pid)

    def place(self, pid: int) -> Place:
        """Return the place of a process."""
        self.meet(pid)
        return self.places[pid]

    def owner(self, pid: int) -> Owner:
        """Return the process of a thread as it is part of names."""
        place = self.places.get(pid)
        return Owner(place.pid, place.comm) if place else Owner(pid)

    def table(self, pid: int) -> DescriptorTable:
        """Return the descriptors of a process."""
        self.meet(pid)
        self.pending.settle(pid)
        return self.tables.table(pid)

    def sharing(self, pid: int) -> Iterable[int]:
        """Return the processes and threads that share the descriptors of one."""
        return self.shared.with_table(self.tables.table(pid), pid)

    def began(self, call: LoggedArguments) -> None:
        """Note the first half of a call."""
        if call.name in CLONES:
            self._clones.begin(call)
        self.pending.settle(call.pid)
        effects.began(self.tables, call)
        self._clones.note(call.pid, partial(effects.began, self.tables, call))
        self.changed(self.sharing(call.pid))

    def returned(self, call: LoggedArguments, *, began: bool) -> None:
        """Apply what a call has done; `began` tells whether its first half was applied."""
        pid = call.pid
        self.pending.settle(pid)
        if call.name in CLONES:
            self.pending.settle(call.result)
            child = self._clones.complete(pid, call.result)
            if call.result > 0:
                self._made(call, child)
                return
        before = self.sharing(pid)
        if call.name == "listen":
            self._note_listening(call)
        effect = partial(effects.returned if began else effects.completed, self.tables, call)
        if call.name == "epoll_ctl":
            effect = partial(self._watching, call, effect)
        effect()
        self._clones.note(pid, effect)
        self._share(pid)
        self.changed({*before, pid})

    def _watching(self, call: LoggedArguments, effect: Callable[[], None]) -> None:
        """Apply an epoll_ctl, which may name what is watched."""
        found = find_in_text(call.argument(2), self.owner(call.pid), self.listening)
        if found is not None:
            table, fd = self.tables.table(call.pid), descriptor(call, 2)
            known = table.open.get(fd)
            if known is None or known.object != found.info.id:
                table.found_open(fd, self.tables.describe(found))
        effect()

    def _note_listening(self, call: LoggedArguments) -> None:
        found = find_in_text(call.argument(0), self.owner(call.pid), self.listening)
        description = self.tables.table(call.pid).open.get(descriptor(call, 0))
        facts = found.socket if found is not None else description and description.socket
        if facts and isinstance(facts.local, Endpoint):
            self.listening |= {facts.local.port}

    def executed(self, pid: int, path: bytes) -> None:
        """Note the command of a process."""
        comm = escape_text(PurePosixPath(path.decode(errors="replace")).name)
        self.places[pid] = Place(pid, comm, self.place(pid).directory)

    def ended(self, pid: int) -> None:
        """Forget a process."""
        if pid in self.places:
            self.leave(pid)
        self.shared.detach(pid)
        self.tables.ended(pid)
        self.pending.of(pid).clear()
        place = self.places.pop(pid, None)
        if place is not None and place.comm:
            self._note_ended(pid, Owner(place.pid, place.comm))
        self._clones.end(pid)
        self.changed((pid,))

    def file(self, pid: int, path: bytes) -> Description:
        """Return a file as it is opened by a quoted path."""
        return self.files.opened(self.place(pid).directory, path)

    def path_of(self, pid: int, fd: int) -> bytes:
        """Return the path that a descriptor refers to, or nothing."""
        return self._path(self.table(pid).open.get(fd))

    def _path(self, description: Description | None) -> bytes:
        info = self.known.info(description.object) if description is not None else None
        return info.name.encode() if info is not None and info.name.startswith("/") else b""

    def directory(self, pid: int, digits: bytes) -> bytes:
        """Return the path of a directory that a descriptor refers to, as `path_of` does."""
        pending = self.pending.of(pid)
        if digits in pending:
            entry = pending[digits]
            return self._path(entry[0]) if entry is not None else b""
        return self._path(self.tables.table(pid).open.get(whole_number(digits)))

    def comm(self, pid: int) -> str:
        """Return the command of a process, or the last one if it has ended."""
        return self.owner(pid).comm or self._ended.get(pid, Owner(pid)).comm

    def owner_before_end(self, pid: int) -> Owner:
        """Return a process that may have ended."""
        return Owner(pid, self._ended.get(pid, self.owner(pid)).comm)

    @property
    def part_names(self) -> PartNames:
        """Return the names of this part of a log."""
        owners = {pid: self.owner(pid) for pid in self.places}
        cloning = {pid: call.detached() for pid, call in self._clones.calls.items()}
        children = frozenset(self._clones.children)
        return PartNames(dict(self._origins), owners, dict(self._ended), cloning, children)

    def meet_part(self, names: PartNames) -> None:
        """Note the processes that the next part of the log has come across without a name."""
        for pid, origin in names.origins.items():
            if pid == origin and pid not in self._ended:
                self.meet(pid)

    def owner_in_part(self, names: PartNames, pid: int) -> Owner:
        """Return a process of the next part of the log, which may not know its name."""
        origin = names.origins.get(pid, pid)
        ended = self._ended.get(origin, Owner(origin))
        found = self.owner(origin) if origin in self.places else ended
        return found if origin == pid else Owner(pid, found.comm)

    def add_part(self, names: PartNames, ended: AbstractSet[int]) -> None:
        """Go on after the next part of the log; what descriptors refer to is not known then."""
        now = {
            pid: owner if owner.comm else self.owner_in_part(names, owner.pid)
            for pid, owner in names.owners.items()
        }
        for pid, owner in {**names.ended, **now}.items():
            if pid in ended or pid not in now:
                self.places.pop(pid, None)
                if owner.comm:
                    self._note_ended(pid, owner)
            else:
                self.places[pid] = Place(owner.pid, owner.comm)
        self._clones.add_part(names.cloning, names.children)
        for each in (self.tables.tables, self.pending, self.shared):
            each.clear()

    def _note_nameless(self, pid: int, origin: int) -> None:
        if self.is_part:
            self._origins[pid] = origin if self._origins.get(pid, origin) == origin else -1

    def _note_ended(self, pid: int, owner: Owner) -> None:
        self._ended.pop(pid, None)
        self._ended[pid] = owner
        if len(self._ended) > _MOST_ENDED:
            del self._ended[next(iter(self._ended))]

    def _made(self, clone: LoggedArguments, child: EarlyChild | None) -> None:
        """Note the child of a clone that has returned, which may have been seen before."""
        pid = clone.result
        if child is None:
            self._fork(clone.pid, pid, shares=_shares_files(clone))
        elif child.has_ended:
            comm = self.place(clone.pid).comm
            if comm and pid not in self._ended:
                self._note_ended(pid, Owner(pid, comm))
        elif not child.has_inherited:
            own = self.place(pid)
            self._fork(clone.pid, pid, shares=_shares_files(clone))
            for effect in child.effects:
                effect()
            self._share(pid)
            self._go_on(pid, own)
            self.changed(self.sharing(pid))

    def _fork(self, parent: int, pid: int, *, shares: bool) -> None:
        place = self.place(parent)
        if pid in self.places:
            self.leave(pid)
        self.pending.of(pid).clear()
        self.pending.settle(parent)
        self.places[pid] = place if shares else attrs.evolve(place, pid=pid)
        if not place.comm:
            self._note_nameless(pid, self._origins.get(place.pid, -1))
        self.tables.forked(parent, pid, shares=shares)
        self._share(pid)
        self._share(parent)
        self.changed((pid,))

    def _go_on(self, pid: int, own: Place) -> None:
        """Let a process that has inherited keep the command and the directory it had set."""
        place = self.places[pid]
        directory = describe.full_path(own.directory, place.directory)
        if own.comm:
            self.places[pid] = Place(pid, own.comm, directory)
        elif own.directory:
            place.directory = directory

    def _share(self, pid: int) -> None:
        self.shared.attach(pid, self.tables.table(pid))


def _shares_files(clone: LoggedArguments) -> bool:
    return bool(_CLONE_FILES.search(clone.args))
