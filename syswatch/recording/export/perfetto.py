"""
Perfetto's trace format: packets of protocol buffers, written one after the other.

Every thread has a track on which each call is a slice.  Names are sent once and then referred to by
a number.
"""

from collections.abc import Iterable
from typing import Any, BinaryIO, Final

import attrs

from syswatch.base.classes import define
from syswatch.model.catalog import category_of
from syswatch.model.objects import ObjectKind
from syswatch.recording.extra import load

from .chrome import details
from .counters import Counters
from .selection import Row, Selection

_PACKET_FIELD = b"\x0a"
_SEQUENCE: Final = 1
_STATE_CLEARED, _NEEDS_STATE = 1, 2
_BEGIN, _END, _COUNTER = 1, 2, 4
# Clocks of the format: time of day, and the one that times of packets are of.
_REALTIME, _BOOTTIME = 1, 6
# IDs of tracks: those of threads and processes are their numbers with a bit for the kind.
_PROCESS, _THREAD, _COUNTERS = 1 << 32, 2 << 32, 3 << 32
# Texts beyond that are sent each time, so that neither we nor a reader keep them all.
_MOST_INTERNED: Final = 100_000
_READS = frozenset({"read", "readv", "pread64", "preadv", "recvfrom", "recvmsg"})
_WRITES = frozenset({"write", "writev", "pwrite64", "pwritev", "sendto", "sendmsg"})


def write(selection: Selection, out: BinaryIO) -> None:
    """Write all calls, the flows between them, and counters."""
    trace = _Trace(selection, out)
    trace.begin()
    counters = Counters()
    for rows in selection.parts():
        flows = _flows(selection, rows)
        for place, row in enumerate(rows):
            trace.call(row, flows.get(place, ()))
        counters.add(rows)
    for loss in selection.losses():
        counters.lose(loss)
    for number, (name, unit, values) in enumerate(counters.tracks()):
        trace.counter(number, name, unit, values)


def _flows(selection: Selection, rows: list[Row]) -> dict[int, list[int]]:
    """
    Return the flows of calls by their places: from a write to the read that waited for it.

    The number of a flow is that of the write, and is negative where the flow ends.
    """
    flows: dict[int, list[int]] = {}
    readers: dict[int, list[int]] = {}
    for place, row in enumerate(rows):
        found = selection.object(row)
        if found is None or found.kind is not ObjectKind.PIPE or row.errno is not None:
            continue
        if row.name in _READS and row.waited:
            readers.setdefault(row.object or 0, []).append(place)
        elif row.name in _WRITES:
            for reader in readers.get(row.object or 0, ()):
                if rows[reader].start_ns < row.start_ns <= rows[reader].end_ns:
                    flow = _flow_id(row)
                    flows.setdefault(place, []).append(flow)
                    flows.setdefault(reader, []).append(-flow)
                    readers[row.object or 0].remove(reader)
                    break
    return flows


def _flow_id(row: Row) -> int:
    return (row.start_ns * 31 + row.tid) & ((1 << 62) - 1)


@define
class _Trace:
    """Writes packets."""

    selection: Selection
    out: BinaryIO
    _messages: Any = attrs.field(
        factory=lambda: load("perfetto.protos.perfetto.trace.perfetto_trace_pb2"), init=False
    )
    _interned: dict[tuple[str, str], int] = attrs.field(factory=dict, init=False)
    _threads: set[int] = attrs.field(factory=set, init=False)
    _processes: set[int] = attrs.field(factory=set, init=False)
    # When the last call of a thread ended: slices of a track may not overlap, and a log has only
    # microseconds.
    _ends: dict[int, int] = attrs.field(factory=dict, init=False)

    def begin(self) -> None:
        """Write which clock the times are of."""
        packet = self._packet()
        packet.sequence_flags = _STATE_CLEARED
        packet.first_packet_on_sequence = True
        begun_ns = max(self.selection.recording.about.begun_ns, 0)
        packet.timestamp = begun_ns
        for clock in (_BOOTTIME, _REALTIME):
            packet.clock_snapshot.clocks.add(clock_id=clock, timestamp=begun_ns)
        self._write(packet)

    def call(self, row: Row, flows: Iterable[int]) -> None:
        """Write the slice of a call."""
        self._describe(row)
        begin_ns = max(row.start_ns, self._ends.get(row.tid, 0))
        packet = self._packet(begin_ns)
        event = packet.track_event
        event.type = _BEGIN
        event.track_uuid = _THREAD | row.tid
        event.name_iid = self._intern(packet, "event_names", row.name)
        for category in (str(category_of(row.name)), _state(row)):
            event.category_iids.append(self._intern(packet, "event_categories", category))
        for name, value in details(self.selection, row).items():
            self._annotate(packet, name, value)
        event.flow_ids.extend(flow for flow in flows if flow > 0)
        self._write(packet)
        if row.duration_ns is None:
            return
        end_ns = self._ends[row.tid] = max(row.end_ns, begin_ns)
        packet = self._packet(end_ns)
        packet.track_event.type = _END
        packet.track_event.track_uuid = _THREAD | row.tid
        packet.track_event.terminating_flow_ids.extend(-flow for flow in flows if flow < 0)
        self._write(packet)

    def counter(
        self, number: int, name: str, unit: str, values: Iterable[tuple[int, float]]
    ) -> None:
        """Write a counter as a track of its own."""
        uuid = _COUNTERS | number
        packet = self._packet()
        packet.track_descriptor.uuid = uuid
        packet.track_descriptor.name = name
        packet.track_descriptor.counter.unit_name = unit
        self._write(packet)
        for at_ns, value in values:
            packet = self._packet(at_ns)
            packet.track_event.type = _COUNTER
            packet.track_event.track_uuid = uuid
            packet.track_event.double_counter_value = value
            self._write(packet)

    def _describe(self, row: Row) -> None:
        """Write the tracks of a thread and its process before their first slice."""
        if row.tid in self._threads:
            return
        self._threads.add(row.tid)
        if row.pid not in self._processes:
            self._processes.add(row.pid)
            packet = self._packet()
            packet.track_descriptor.uuid = _PROCESS | row.pid
            process = packet.track_descriptor.process
            process.pid = row.pid
            command = self.selection.commands.get(row.pid)
            process.process_name = command or f"process {row.pid}"
            self._write(packet)
        packet = self._packet()
        packet.track_descriptor.uuid = _THREAD | row.tid
        packet.track_descriptor.parent_uuid = _PROCESS | row.pid
        thread = packet.track_descriptor.thread
        thread.pid, thread.tid = row.pid, row.tid
        named = self.selection.known.threads.get(row.tid)
        thread.thread_name = (named.comm if named else "") or f"thread {row.tid}"
        self._write(packet)

    def _annotate(self, packet: Any, name: str, value: str | int) -> None:
        annotation = packet.track_event.debug_annotations.add()
        annotation.name_iid = self._intern(packet, "debug_annotation_names", name)
        if isinstance(value, int):
            annotation.int_value = value
        elif name in {"errno", "object", "kind"} and len(self._interned) < _MOST_INTERNED:
            annotation.string_value_iid = self._intern(
                packet, "debug_annotation_string_values", value
            )
        else:
            annotation.string_value = value

    def _intern(self, packet: Any, table: str, text: str) -> int:
        """Return the number of a text, which the packet explains if it is the first to have it."""
        number = self._interned.get((table, text))
        if number is None:
            number = self._interned[table, text] = len(self._interned) + 1
            entry = getattr(packet.interned_data, table).add(iid=number)
            if table == "debug_annotation_string_values":
                entry.str = text.encode()
            else:
                entry.name = text
        return number

    def _packet(self, time_ns: int | None = None) -> Any:
        packet = self._messages.TracePacket(trusted_packet_sequence_id=_SEQUENCE)
        if time_ns is not None:
            packet.timestamp = time_ns
            packet.sequence_flags = _NEEDS_STATE
        return packet

    def _write(self, packet: Any) -> None:
        data = packet.SerializeToString()
        self.out.write(_PACKET_FIELD + _varint(len(data)) + data)


def _state(row: Row) -> str:
    """
    Return what a thread mostly did in a call, by which viewers can colour it.

    What a call that began before the trace has waited is not known; it was blocked at that time.
    """
    working_ns = (row.duration_ns or 0) - row.waiting_ns - row.ready_ns
    began_before = row.untimed and bool(row.duration_ns)
    if row.duration_ns is None or began_before or row.waiting_ns > max(working_ns, row.ready_ns):
        return "waiting"
    return "ready" if row.ready_ns > working_ns else "working"


def _varint(number: int) -> bytes:
    parts = bytearray()
    while number > 0x7F:  # noqa: PLR2004  seven bits at a time
        parts.append(number & 0x7F | 0x80)
        number >>= 7
    parts.append(number)
    return bytes(parts)
