"""
The object of a call: read from the registers and the memory of a stopped thread.

At the entry to a call, or while it is in progress, it is not known yet what will wake it.
"""

import struct
from collections.abc import Callable, Mapping
from collections.abc import Set as AbstractSet

import attrs

from syswatch.base.classes import define
from syswatch.model.objects import NO_OBJECT, ObjectInfo
from syswatch.tracer.objects import describe
from syswatch.tracer.objects.describe import Owner
from syswatch.tracer.objects.descriptors import Descriptors
from syswatch.tracer.objects.sleeps import sleep_of
from syswatch.tracer.objects.socket_calls import peer_of
from syswatch.tracer.objects.ways import Way

from .answers import Answers
from .calls import CallKind, Effect, Return
from .destinations import Destinations
from .epolls import EpollRegistrations
from .futexes import Futexes
from .observed import Observed
from .paths import Paths
from .threads import Thread, Threads

_POLLFD = struct.Struct("<iHH")
# More descriptors are not searched for the one that ended a wait.
_MOST_POLLED = 8192
_P_PID = 1
Find = Callable[[Observed], int]


@define
class Subjects:
    """Finds the objects of calls."""

    descriptors: Descriptors
    threads: Threads
    # Whether memory of the target may be read.
    reads: bool = True
    # Whether all calls that change descriptor tables are traced; if not, descriptors are looked up
    # again at each call.
    follows_tables: bool = attrs.field(default=True, init=False)
    answers: Answers = attrs.field(init=False)
    destinations: Destinations = attrs.field(init=False)
    _epolls: EpollRegistrations = attrs.field(init=False)
    _begun: Mapping[Way, Find] = attrs.field(init=False)
    _returned: Mapping[Way, Find] = attrs.field(init=False)
    _futexes: Futexes = attrs.field(init=False)
    paths: Paths = attrs.field(init=False)

    def __attrs_post_init__(self) -> None:
        """Prepare the ways of finding an object."""
        self.answers = Answers(self.descriptors, self.reads)
        self.destinations = Destinations(self.descriptors, self.reads)
        self._epolls = EpollRegistrations(self.descriptors)
        self._futexes = Futexes(self.descriptors.known)
        self.paths = Paths(self.descriptors, self.reads)
        # What is known of the object while the call is in progress.
        self._begun = {
            Way.DESCRIPTOR: self._descriptor,
            Way.PATH: self._path,
            Way.OPENED_PATH: self._path,
            Way.FUTEX: self._futex,
            Way.SLEEP: self._sleep,
            Way.CHILD: self._awaited_child,
            Way.SIGNAL: self._signals,
            Way.POLL: self._polled,
            Way.EPOLL: self._epoll,
        }
        self._returned = {
            **self._begun,
            Way.OPENED_PATH: self._opened,
            Way.RESULT: self._result,
            Way.PAIR: self._pair,
            Way.CHILD: self._ended_child,
            Way.POLL: self._ready_of_poll,
            Way.SELECT: self._ready_of_select,
            Way.EPOLL: self._ready_of_epoll,
        }

    def observe(self, thread: Thread, call: CallKind, returned: Return | None = None) -> Observed:
        """Return a call at its entry or exit, as far as it may be read; a restart is that call."""
        if call.effect is Effect.RESTART and thread.restarted is not None:
            call = thread.restarted
        result = 0
        if returned is not None:
            result = -abs(returned.result) if returned.failed else returned.result
        return Observed(thread, call, result, self.reads)

    def begun(self, call: Observed) -> int:
        """Return the object of a call in progress, as far as it is known."""
        find = self._begun.get(call.kind.target.way)
        return find(call) if find is not None else NO_OBJECT

    def returned(self, call: Observed) -> int:
        """Return the object of a call that has returned."""
        if not self.follows_tables:
            self.descriptors.ended(call.tid)
        find = self._returned.get(call.kind.target.way)
        return find(call) if find is not None else NO_OBJECT

    def fd_object(self, tid: int, fd: int, *, is_first: bool = False) -> int:
        """Return the object of a descriptor; `is_first` begins another call."""
        if is_first and not self.follows_tables:
            self.descriptors.ended(tid)
        return self.descriptors.object_of(tid, fd)

    def path(self, thread: Thread, call: CallKind) -> int:
        """Return the object of the path that a call names."""
        if not self.follows_tables:
            # Neither is it known which directory a thread has changed to.
            self.descriptors.ended(thread.tid)
            self.paths.forget()
        return self.paths.named(thread, call)

    def closing(self, thread: Thread) -> int:
        """Return the object of the descriptor that is about to be closed, and forget it."""
        fd = thread.first.value
        opened = thread.open.get(fd)
        number = opened.object if opened else self.fd_object(thread.tid, fd, is_first=True)
        self.descriptors.table(thread.tid).closed(fd)
        return number

    def forget(self, pid: int) -> None:
        """Forget a process that has ended or replaced its memory."""
        self._futexes.forget(pid)

    def forget_objects(self, numbers: AbstractSet[int]) -> None:
        """Forget objects that are not in use; they are described when they are used again."""
        self.descriptors.forget(numbers)
        self.paths.forget_objects(numbers)
        self._futexes.forget_objects(numbers)

    def add(self, info: ObjectInfo) -> int:
        """Return the ID of an object."""
        return self.descriptors.known.add(info)

    def _descriptor(self, call: Observed) -> int:
        if call.name == "connect":
            peer = peer_of(self.descriptors, call)
            if peer is not None:
                return self.add(peer)
        if call.kind.on_descriptor and call.thread.call is call.kind:
            return call.thread.object
        return self.fd_object(call.tid, call.signed(call.kind.target.argument))

    def _path(self, call: Observed) -> int:
        return self.path(call.thread, call.kind)

    def _opened(self, call: Observed) -> int:
        return self._path(call) if call.result < 0 else self.fd_object(call.tid, call.result)

    def _result(self, call: Observed) -> int:
        return NO_OBJECT if call.result < 0 else self.fd_object(call.tid, call.result)

    def _pair(self, call: Observed) -> int:
        fds = () if call.result < 0 else call.descriptors(call.kind.target.argument)
        return self.fd_object(call.tid, fds[0]) if fds else NO_OBJECT

    def _futex(self, call: Observed) -> int:
        index = call.kind.target.argument
        return self._futexes.find(
            Owner(call.pid, call.comm), call.number(index), call.number(index + 1)
        )

    def _sleep(self, call: Observed) -> int:
        return self.add(sleep_of(call.name, call.number, call.read, call.word))

    def _awaited_child(self, call: Observed) -> int:
        if call.name == "waitid":
            pid = call.signed(1) if call.number(0) == _P_PID else 0
        else:
            pid = 0 if call.name == "vfork" else call.signed(0)
        return self._child(pid)

    def _ended_child(self, call: Observed) -> int:
        if call.name == "waitid" and call.result == 0:
            return self._child(call.waited_pid() or call.signed(1))
        return self._child(call.result) if call.result > 0 else self._awaited_child(call)

    def _child(self, pid: int) -> int:
        if pid <= 0:
            return self.add(describe.ANY_CHILD)
        return self.add(describe.child(Owner(pid, self.threads.comm_of(pid))))

    def _signals(self, _: Observed) -> int:
        return self.add(describe.SIGNALS)

    def _polled(self, call: Observed) -> int:
        """Return the object of a poll for one descriptor; that of several is not known yet."""
        index = call.kind.target.argument
        if call.number(index + 1) != 1:
            return NO_OBJECT
        data = call.read(call.number(index), _POLLFD.size)
        return self.fd_object(call.tid, _POLLFD.unpack(data)[0]) if len(data) == _POLLFD.size else 0

    def _ready_of_poll(self, call: Observed) -> int:
        if call.result <= 0:
            return self._unready(call)
        index = call.kind.target.argument
        count = min(call.number(index + 1), _MOST_POLLED)
        data = call.read(call.number(index), count * _POLLFD.size)
        for fd, _, events in _POLLFD.iter_unpack(data[: len(data) // 8 * 8]):
            if events:
                return self.fd_object(call.tid, fd)
        return NO_OBJECT

    def _ready_of_select(self, call: Observed) -> int:
        if call.result <= 0:
            return self._unready(call)
        first = call.kind.target.argument
        size = min(call.number(0), _MOST_POLLED) + 7 >> 3
        for index in range(first, first + 3):
            bits = int.from_bytes(call.read(call.number(index), size), "little")
            if bits:
                return self.fd_object(call.tid, (bits & -bits).bit_length() - 1)
        return NO_OBJECT

    def _ready_of_epoll(self, call: Observed) -> int:
        if call.result <= 0:
            return self._unready(call)
        data = call.event(call.kind.target.argument)
        return self._epolls.woken_by(call.tid, call.signed(0), data)

    def _epoll(self, call: Observed) -> int:
        return self.fd_object(call.tid, call.signed(0))

    def _unready(self, call: Observed) -> int:
        """Return the object of a poll-like call that ended without a ready descriptor."""
        if call.result == 0:
            return self.add(describe.TIMED_OUT)
        return self.begun(call)
