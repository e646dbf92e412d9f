"""The call that a thread is in, even if it began before the thread was followed."""

from collections.abc import Callable
from typing import NamedTuple

import attrs

from syswatch.base.classes import define
from syswatch.machine.proc import read_link
from syswatch.model.objects import NO_OBJECT, ObjectInfo, ObjectKind
from syswatch.model.threads import Wait
from syswatch.tracer.decode.numbers import signed_32
from syswatch.tracer.decode.traced_call import WORD_BYTES
from syswatch.tracer.objects import describe
from syswatch.tracer.objects.live import LiveDescriptors
from syswatch.tracer.objects.sleeps import sleep_of
from syswatch.tracer.objects.targets import Target, Way, target_of
from syswatch.tracer.ptrace.memory import LONGEST_PATH, ThreadMemory

from .calls import CallName, CallNames
from .objects import Objects
from .thread_records import ThreadRecord

_SOME_PATH = list(ObjectKind).index(ObjectKind.PATH)
_AT_FDCWD = -100
# Of these, the kind is known.
_UNNAMED = {Way.CHILD: describe.ANY_CHILD, Way.SIGNAL: describe.SIGNALS}


class InProgress(NamedTuple):
    """A call in progress; it began at the time of the monotonic clock, or 0 if that is unknown."""

    call: int
    arguments: tuple[int, ...]
    wait: Wait
    began_ns: int


@define
class Progress:
    """Finds the call that a thread is in."""

    names: CallNames
    objects: Objects
    _descriptors: LiveDescriptors = attrs.field(init=False)
    # By record: how often the thread had been switched out, and its first call.
    _found: dict[int, tuple[int, InProgress]] = attrs.field(factory=dict, init=False)
    # By record: when the call began that names a path, and the object of that.
    _named: dict[int, tuple[int, int]] = attrs.field(factory=dict, init=False)

    def __attrs_post_init__(self) -> None:
        """Prepare to look up descriptors."""
        self._descriptors = LiveDescriptors(self._owner_of, asks_sockets=False)

    def of(self, record: ThreadRecord, looked_ns: int) -> InProgress | None:
        """Return the call of a thread that was looked at; None if it is in none."""
        if record.is_in_call(looked_ns):
            wait = self._wait(record.call, self._id_of(record))
            return InProgress(record.call, record.arguments, wait, record.began_ns)
        if not record.is_in_first_call:
            return None
        known = self._found.get(record.number)
        if known is None or known[0] != record.switches:
            known = self._found[record.number] = record.switches, self._first_call(record)
        return known[1]

    def forget(self, numbers: set[int]) -> None:
        """Forget threads that have ended."""
        for number in numbers:
            self._found.pop(number, None)
            self._named.pop(number, None)

    def _wait(self, call: int, known: int) -> Wait:
        return Wait(known, self.names.name(call).name)

    def _id_of(self, record: ThreadRecord) -> int:
        """Return the object of a call; the program reads what a call opens only at its end."""
        if record.object != _SOME_PATH:
            return self.objects.id_of(record.object)
        known = self._named.get(record.number)
        if known is None or known[0] != record.began_ns:
            target = target_of(self.names.name(record.call).plain_name)
            info = _named_path(target, record.arguments, record.tid)
            number = self.objects.add(info) if info else self.objects.id_of(record.object)
            known = self._named[record.number] = record.began_ns, number
        return known[1]

    def _owner_of(self, tid: int) -> describe.Owner:
        return describe.Owner(tid, self.objects.comm_of(tid))

    def _first_call(self, record: ThreadRecord) -> InProgress:
        """Return the call that the thread was in when it was found, as its registers have it."""
        info = self._object(self.names.name(record.call), record.arguments, record)
        known = self.objects.add(info) if info else NO_OBJECT
        return InProgress(record.call, record.arguments, self._wait(record.call, known), 0)

    def _object(
        self, call: CallName, arguments: tuple[int, ...], record: ThreadRecord
    ) -> ObjectInfo | None:
        target = target_of(call.plain_name)
        if target.way is Way.SLEEP:
            read, word = ThreadMemory(record.tid).read, WORD_BYTES.get(call.architecture, 8)
            return sleep_of(call.plain_name, arguments.__getitem__, read, word)
        if target.way in _UNNAMED:
            return _UNNAMED[target.way]
        if target.way is Way.FUTEX:
            return self.objects.futex(record.process, record.tid, *arguments[:2])
        if target.way in (Way.PATH, Way.OPENED_PATH):
            return _named_path(target, arguments, record.tid)
        if target.way not in (Way.DESCRIPTOR, Way.EPOLL):
            return None
        # The first argument of a wait for an epoll is the epoll, not the events.
        argument = 0 if target.way is Way.EPOLL else target.argument
        fd = arguments[argument] & 0x7FFFFFFF
        found = self._descriptors(record.tid, fd)
        return found.info if found else describe.from_link(b"", fd, self._owner_of(record.tid))


def _named_path(target: Target, arguments: tuple[int, ...], tid: int) -> ObjectInfo | None:
    """Return the path that a call names; None if there is none, or it cannot be read."""
    if target.way not in (Way.PATH, Way.OPENED_PATH):
        return None
    text = ThreadMemory(tid).string(arguments[target.argument], LONGEST_PATH)
    if not text:
        return None
    directory = signed_32(arguments[target.directory]) if target.directory >= 0 else _AT_FDCWD
    base = "cwd" if directory == _AT_FDCWD else f"fd/{directory}"
    return describe.path(text, b"" if text.startswith(b"/") else read_link(tid, base))


Find = Callable[[ThreadRecord, int], InProgress | None]
