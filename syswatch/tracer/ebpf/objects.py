"""What the objects of the program are: their IDs, names and other facts."""

import ctypes
import os
import struct
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress

import attrs

from syswatch.base.classes import define
from syswatch.machine.proc import comm_of
from syswatch.model.objects import ObjectInfo, ObjectKind, Side, other_object
from syswatch.tracer.objects import describe
from syswatch.tracer.objects.addresses import Address, Endpoint, SocketFacts, UnixAddress, endpoint
from syswatch.tracer.objects.describe import FileType, Owner
from syswatch.tracer.objects.hosts import HostNames, read_hosts
from syswatch.tracer.objects.known import KnownObjects

from . import layout
from . import object_layout as objects
from .mappings import Mappings
from .memory import link_target
from .program import Program
from .table_memory import TableMemory

_SIZE = ctypes.sizeof(objects.Object)
_EMPTY = bytes(_SIZE)
_STATE = struct.Struct("I")
_STATE_AT = objects.Object.state.offset
_KEY_BYTES = ctypes.sizeof(objects.ObjectKey)
_KINDS = tuple(ObjectKind)
_SIDES = {
    objects.SIDE_CLIENT: Side.CLIENT,
    objects.SIDE_SERVER: Side.SERVER,
    objects.SIDE_LISTENING: Side.LISTENING,
}
_IPV6 = 10
# The start of a path of which only the last parts are known.
_CUT = b".../"
_FUTEX_PRIVATE = 128
_MINOR_BITS = 20
_MINORS = (1 << _MINOR_BITS) - 1
# Those that stand for a kind and have a name.
_NAMED = {
    ObjectKind.TIMEOUT: describe.TIMED_OUT,
    ObjectKind.SIGNAL: describe.SIGNALS,
    ObjectKind.CHILD: describe.ANY_CHILD,
}


@define
class Objects:
    """
    Describes each object when it is first seen.

    The ID depends on the name, so it stays as it is; details may be added later.
    """

    program: Program
    # Returns what may be shown of an object.
    mask: Callable[[ObjectInfo], ObjectInfo]
    owner_of: Callable[[int], Owner]
    # Returns the name of a process by its PID, which may have ended.
    comm_of: Callable[[int], str] = comm_of
    known: KnownObjects = attrs.field(init=False)
    # The inodes of pipes by number.
    pipes: dict[int, int] = attrs.field(factory=dict, init=False)
    _mappings: Mappings = attrs.field(factory=Mappings, init=False)
    _ids: dict[int, int] = attrs.field(factory=dict, init=False)
    # Those that were asked for; None is not a socket, or an unknown one.
    _sockets: dict[int, SocketFacts | None] = attrs.field(factory=dict, init=False)
    _memory: TableMemory = attrs.field(init=False)

    def __attrs_post_init__(self) -> None:
        """Map the objects into memory."""
        self.known = KnownObjects(mask=self.mask, hosts=HostNames(read_hosts()))
        self._memory = TableMemory(self.program, "objects", objects.OBJECTS * _SIZE)

    def id_of(self, number: int) -> int:
        """Return the ID of an object."""
        known = self._ids.get(number)
        return self._new(number) if known is None else known

    def alive(self) -> list[int]:
        """Return the numbers of all objects that are complete."""
        used = min(int(self.program.totals.unused_objects), objects.OBJECTS)
        memory = self._memory.upto(used * _SIZE)
        return [
            number
            for number in range(objects.FIRST_OBJECT, used)
            if _STATE.unpack_from(memory, number * _SIZE + _STATE_AT)[0] == layout.ALIVE
        ]

    def socket(self, number: int) -> SocketFacts | None:
        """Return what is known of a socket; None if the object is something else."""
        if number not in self._sockets:
            self._sockets[number] = self._socket(number)
        return self._sockets[number]

    def retire(self, numbers: Iterable[int]) -> None:
        """Let no call find some objects any more."""
        for number in numbers:
            at = number * _SIZE
            self.program.delete("object_index", self._memory.part(at, at + _KEY_BYTES))

    def release(self, numbers: Iterable[int]) -> None:
        """Let the program use the numbers of objects that no call can find for others."""
        forgotten = set()
        for number in numbers:
            forgotten.add(self._ids.pop(number, 0))
            self.pipes.pop(number, None)
            self._sockets.pop(number, None)
            self._memory.write(number * _SIZE, _EMPTY)
            self.program.free("vacant_objects", number)
        # Objects that differ for the program may have the same name.
        self.known.forget(forgotten.difference(self._ids.values()))

    def take(self, used: Iterable[int]) -> Mapping[int, ObjectInfo]:
        """Return what has become known since the last time; `used` are the IDs that are sent."""
        return self.known.take(used)

    def _new(self, number: int) -> int:
        if number < objects.FIRST_OBJECT:
            kind = _KINDS[number]
            known = self.known.add(_NAMED[kind]) if kind in _NAMED else other_object(kind)
        else:
            raw = self._memory.part(number * _SIZE, (number + 1) * _SIZE)
            record = objects.Object.from_buffer_copy(raw)
            if record.state != layout.ALIVE:
                # It is being written at this moment.
                return other_object(_KINDS[record.kind])
            info = self._info(record, raw)
            known = self.add(info)
            if info.kind is ObjectKind.PIPE and record.number:
                self.pipes[number] = record.number
        self._ids[number] = known
        return known

    def add(self, info: ObjectInfo) -> int:
        """Add what is known of an object; return its ID."""
        return self.known.add(info)

    def futex(self, process: int, tid: int, address: int, operation: int) -> ObjectInfo:
        """Return the futex of a call."""
        is_shared = not operation & _FUTEX_PRIVATE
        return self._futex_at(process, tid, address, is_shared=is_shared)

    def _futex_at(self, process: int, pid: int, address: int, *, is_shared: bool) -> ObjectInfo:
        mapping = self._mappings.find(pid, address)
        return describe.futex(address, mapping, None if is_shared else self.owner_of(process))

    def _info(self, record: objects.Object, raw: bytes) -> ObjectInfo:
        kind = _KINDS[record.kind]
        describe_kind = _DESCRIBE.get(kind)
        if describe_kind is not None:
            return describe_kind(self, record, raw)
        return self._descriptor(record, raw)

    def _descriptor(self, record: objects.Object, raw: bytes) -> ObjectInfo:
        link = link_target(raw[objects.Object.link.offset :])
        # The kernel itself numbers devices otherwise than programs.
        device = os.makedev(record.special >> _MINOR_BITS, record.special & _MINORS)
        file_type = FileType(record.mode, device)
        if link.startswith(_CUT):
            # If not even the last part is known, the inode tells it from others.
            known = link if link != _CUT else b"%s[%d]" % (_CUT, record.number)
            return attrs.evolve(describe.opened(known, file_type), kind=_KINDS[record.kind])
        owner = self.owner_of(record.process)
        info = describe.from_link(link, record.descriptor, owner, file_type)
        return info if link else attrs.evolve(info, kind=_KINDS[record.kind])

    def _path(self, record: objects.Object, raw: bytes) -> ObjectInfo:
        folder = link_target(raw[objects.Object.link.offset :])
        info = describe.path(_text(record), folder)
        return attrs.evolve(info, name=f"{info.name}...") if record.text_cut else info

    def _socket(self, number: int) -> SocketFacts | None:
        if number < objects.FIRST_OBJECT:
            return None
        raw = self._memory.part(number * _SIZE, (number + 1) * _SIZE)
        record = objects.Object.from_buffer_copy(raw)
        kind = _KINDS[record.kind]
        remote: Address | None = _remote(record)
        if kind is ObjectKind.UNIX:
            remote = UnixAddress(_text(record))
        elif kind not in (ObjectKind.TCP, ObjectKind.UDP):
            return None
        return SocketFacts(kind, record.family, remote=remote, side=_side(record))

    def _internet(self, record: objects.Object, _raw: bytes) -> ObjectInfo:
        local = _endpoint(record.family, bytes(record.local), record.local_port)
        return describe.internet_socket(_KINDS[record.kind], local, _remote(record), _side(record))

    def _unix(self, record: objects.Object, _raw: bytes) -> ObjectInfo:
        peer = None
        if record.peer_pid:
            peer = Owner(record.peer_pid, self.comm_of(record.peer_pid))
        return describe.unix_socket(_text(record), _side(record), peer, record.number)

    def _futex(self, record: objects.Object, _raw: bytes) -> ObjectInfo:
        return self._futex_at(record.process, record.pid, record.value, is_shared=record.shared)

    def _sleep(self, record: objects.Object, _raw: bytes) -> ObjectInfo:
        return describe.sleep(None if record.key.detail else record.value)

    def _child(self, record: objects.Object, _raw: bytes) -> ObjectInfo:
        return describe.child(Owner(record.value, self.comm_of(record.value)))


_DESCRIBE: Mapping[ObjectKind, Callable[[Objects, objects.Object, bytes], ObjectInfo]] = {
    ObjectKind.PATH: Objects._path,  # noqa: SLF001
    ObjectKind.TCP: Objects._internet,  # noqa: SLF001
    ObjectKind.UDP: Objects._internet,  # noqa: SLF001
    ObjectKind.UNIX: Objects._unix,  # noqa: SLF001
    ObjectKind.FUTEX: Objects._futex,  # noqa: SLF001
    ObjectKind.SLEEP: Objects._sleep,  # noqa: SLF001
    ObjectKind.CHILD: Objects._child,  # noqa: SLF001
}


def _text(record: objects.Object) -> bytes:
    return bytes(record.text)[: record.text_length]


def _side(record: objects.Object) -> Side:
    return _SIDES.get(record.side, Side.UNKNOWN)


def _remote(record: objects.Object) -> Endpoint | None:
    return _endpoint(record.family, bytes(record.remote), record.remote_port)


def _endpoint(family: int, address: bytes, port: int) -> Endpoint | None:
    if not port:
        return None
    with suppress(ValueError, OSError):
        return endpoint(address if family == _IPV6 else address[:4], port)
    return None
