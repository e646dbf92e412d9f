"""
Small recordings for tests, from made-up calls.

Events, texts and deltas are made of the same calls, so that they agree with each other.
"""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from pathlib import Path

import attrs

from syswatch.codec.event_frames import Life, Loss, Text
from syswatch.codec.events import EVENT, UNFINISHED_NS, Flag
from syswatch.codec.frames import encode
from syswatch.model.activity import NO_SUMS, ActivityKey, Sums
from syswatch.model.catalog import number_of
from syswatch.model.delta import Delta, Span
from syswatch.model.errnos import NAMES
from syswatch.model.histogram import Histogram
from syswatch.model.ledger import Ledger
from syswatch.model.messages import Ended, Failed, Started
from syswatch.model.objects import NO_OBJECT, ObjectInfo, ObjectKind
from syswatch.model.process import ProcessInfo
from syswatch.model.threads import ThreadTally, ThreadTimes, Wait
from syswatch.model.times import SECOND_NS
from syswatch.recording.manifest import Manifest
from syswatch.recording.write.recorder import Recorder
from syswatch.tracer.collector import Collector
from syswatch.tracer.naming import machine
from syswatch.tracer.objects.targets import target_of
from syswatch.tracer.objects.ways import Moved

BEGUN_NS = 1_700_000_000 * SECOND_NS
FLUSH_NS = SECOND_NS // 10
FILE = ObjectInfo(ObjectKind.FILE, "/etc/hosts")
PEER = ObjectInfo(ObjectKind.TCP, "10.0.0.5:443", service="https")
PIPE = ObjectInfo(ObjectKind.PIPE, "pipe [42]")
COMMAND = "cat /etc/hosts"
NO_FLAG = Flag(0)
_NUMBERS = {name: number for number, name in NAMES.items()}
_ARCHITECTURES = {"x86_64": 0, "aarch64": 3}

LIVES = (
    Life(7, None, 0, "cat", "cat /etc/hosts"),
    Life(9, BEGUN_NS + 1_050_000_000, 7, "sh", "sh -c date", BEGUN_NS + 1_300_000_000, 0, None),
)


@attrs.frozen
class Call:
    """A call of a thread; `start_ns` counts from the beginning of the trace."""

    start_ns: int
    # None if it has not returned.
    duration_ns: int | None = 1000
    tid: int = 7
    pid: int = 7
    name: str = "read"
    result: int = 0
    errno: str = ""
    # Bytes.
    moved: int = 0
    waiting_ns: int = 0
    ready_ns: int = 0
    object: ObjectInfo | None = None
    # The object to which a call between two descriptors wrote.
    second: ObjectInfo | None = None
    # What strace would show; None if it was not decoded.
    args: str | None = None
    ret: str = "0"
    flags: Flag = NO_FLAG

    @property
    def end_ns(self) -> int:
        """When it returned, from the beginning of the trace."""
        return self.start_ns + (self.duration_ns or 0)

    @property
    def event(self) -> bytes:
        """The events of the call: a second one for what it moved to a second object."""
        moved = self._event(self.second, self.flags | Flag.MOVED) if self.second else b""
        return self._event(self.object, self.flags | self._state) + moved

    @property
    def text(self) -> Text | None:
        """Its text, if it was decoded."""
        if self.args is None:
            return None
        return Text(self.tid, BEGUN_NS + self.start_ns, self.args, self.ret)

    @property
    def _state(self) -> Flag:
        state = Flag.FAILED if self.errno else NO_FLAG
        state |= Flag.WAITED if self.waiting_ns else NO_FLAG
        return state | (Flag.UNFINISHED if self.duration_ns is None else NO_FLAG)

    def _event(self, on: ObjectInfo | None, flags: Flag) -> bytes:
        return EVENT.pack(
            BEGUN_NS + self.start_ns,
            UNFINISHED_NS if self.duration_ns is None else self.duration_ns,
            self.waiting_ns,
            self.ready_ns,
            on.id if on else NO_OBJECT,
            -_NUMBERS[self.errno] if self.errno else self.result,
            self.moved,
            *range(6),
            self.pid,
            self.tid,
            number_of(self.name, machine()) or 0,
            _ARCHITECTURES[machine()],
            flags,
            0,
            0,
        )


SOME = (
    Call(1_000, 5_000, name="openat", result=3, object=FILE, args='"/etc/hosts"', ret="3"),
    Call(10_000, 2_000, name="read", result=512, moved=512, object=FILE),
    Call(20_000, 400, name="openat", errno="ENOENT", args='"/nowhere"', ret="-1 ENOENT"),
    Call(
        150_000_000,
        900_000_000,
        name="recvfrom",
        result=64,
        moved=64,
        waiting_ns=880_000_000,
        ready_ns=5_000_000,
        object=PEER,
        args='3, "", 64',
        ret="64",
    ),
    Call(160_000_000, 3_000, tid=8, name="write", result=9, moved=9, object=PIPE),
    Call(1_100_000_000, 30_000, tid=9, pid=9, name="sendfile", moved=77, object=FILE, second=PIPE),
    Call(1_200_000_000, 100, tid=9, pid=9, name="getpid", result=9),
    Call(2_400_000_000, None, name="read", object=PIPE, args="0"),
)

# Calls that never return: two end with their process, one of them at once, and one does not end.
ENDED = (
    Call(0, None, tid=8, pid=8, name="read"),
    Call(10_000_000, 1_000_000, name="getpid"),
    Call(20_000_000, None, tid=9, pid=9, name="exit_group"),
    Call(30_000_000, None, name="pause"),
    Call(4_000_000_000, 1_000_000, tid=10, pid=10, name="getpid"),
)
ENDED_LIVES = (
    Life(7, None, 0, "sh", "sh"),
    # An earlier process with the PID.
    Life(8, None, 7, "cat", "cat", BEGUN_NS - 1_000, 0, None),
    Life(8, BEGUN_NS - 500, 7, "cat", "cat", BEGUN_NS + 3_000_000_000, 0, None),
    # Longer than its call of exit_group, for example because it was writing a core dump.
    Life(9, None, 7, "true", "true", BEGUN_NS + 3_500_000_000, 0, None),
)


def delta_of(calls: Iterable[Call], *, per_process: bool = False) -> Delta:
    """Return what a tracer reports of some calls: the sums of those that have returned."""
    calls = list(calls)
    returned = [call for call in calls if call.duration_ns is not None]
    collector = Collector(per_process=per_process)
    for call in returned:
        is_timed = Flag.UNTIMED not in call.flags
        second = (BEGUN_NS + call.end_ns) // SECOND_NS
        collector.count(
            call.pid, call.name, call.errno, call.duration_ns if is_timed else None, second
        )
        collector.sums_of(call.pid, call.name).add_wait(call.waiting_ns, call.ready_ns)
        if call.name == "openat" and call.args is not None:
            collector.count_path(call.args.strip('"'), failed=bool(call.errno))
    objects = [info for call in calls for info in (call.object, call.second) if info]
    sums = collector.take()
    estimates = sum(Flag.ESTIMATED in call.flags for call in returned)
    ends = [BEGUN_NS + call.end_ns for call in calls]
    return attrs.evolve(
        sums,
        activity=_activity(returned),
        objects={info.id: info for info in objects},
        object_waits=_object_waits(returned),
        threads=_threads(returned),
        span=Span(BEGUN_NS, max(ends)) if ends else None,
        ledger=sums.ledger + Ledger(estimated_waits=estimates),
    )


def write(  # noqa: PLR0913  each argument is something that may be missing or different
    folder: Path,
    calls: Sequence[Call] = SOME,
    *,
    lives: Sequence[Life] = LIVES,
    losses: Sequence[Loss] = (),
    end: Ended | Failed | None = Ended(0),  # noqa: B008  it is immutable
    calls_in_segment: int = 3,
    per_process: bool = False,
) -> Path:
    """Write a recording of some calls and return its directory; without an end it is cut short."""
    recorder = Recorder(folder, Manifest(BEGUN_NS, backend="ptrace", command=COMMAND))
    recorder.begin()
    recorder.receive_lives(lives)
    process = ProcessInfo(7, "cat", COMMAND)
    recorder.receive_frame(encode(Started("ptrace", process)))
    for part in _parts(sorted(calls, key=_arrival), calls_in_segment):
        recorder.receive_texts([text for call in part if (text := call.text)])
        recorder.receive_events(b"".join(call.event for call in part))
        for flush in _flushes(part):
            recorder.receive_frame(encode(delta_of(flush, per_process=per_process)))
        recorder.close_segment()
    if losses:
        recorder.receive_losses(losses)
        recorder.close_segment()
    if end is not None:
        recorder.receive_frame(encode(end))
        last_ns = BEGUN_NS + max((call.end_ns for call in calls), default=0)
        recorder.about = attrs.evolve(recorder.about, ended_ns=last_ns)
    recorder.finish(end)
    return folder


def many(number: int) -> list[Call]:
    """Return so many different calls of some threads, one about every microsecond."""
    kinds = (
        Call(0, name="read", moved=100, object=FILE),
        Call(0, name="write", moved=7, object=PIPE),
        Call(0, name="recvfrom", object=PEER, waiting_ns=300, ready_ns=20),
        Call(0, name="openat", errno="ENOENT"),
        Call(0, name="getpid"),
    )
    return [
        attrs.evolve(
            kinds[place % len(kinds)],
            start_ns=place * 1000,
            duration_ns=400 + place * 7919 % 5000,
            tid=7 + place % 3,
            pid=7 + place % 3 // 2,
        )
        for place in range(number)
    ]


def _arrival(call: Call) -> tuple[bool, int]:
    """Return the place of a call in the order in which tracers send them: by their ends."""
    return call.duration_ns is None, call.end_ns


def _parts(calls: Sequence[Call], length: int) -> Iterable[Sequence[Call]]:
    return (calls[at : at + length] for at in range(0, len(calls), length))


def _flushes(calls: Sequence[Call]) -> Iterable[Sequence[Call]]:
    """Return the calls that a tracer reports together."""
    flushes: dict[int, list[Call]] = defaultdict(list)
    for call in calls:
        flushes[call.end_ns // FLUSH_NS].append(call)
    return [flushes[at] for at in sorted(flushes)]


def _rows(call: Call) -> Iterable[tuple[ActivityKey, Sums]]:
    """Yield what a call adds to the activity."""
    direction = target_of(call.name).moved
    is_timed = Flag.UNTIMED not in call.flags
    spent_ns = (call.duration_ns or 0) if is_timed else 0
    key = ActivityKey(call.pid, call.tid, call.object.id if call.object else 0, call.name)
    yield (
        key,
        Sums(
            count=1,
            errors=bool(call.errno),
            bytes_in=call.moved if Moved.IN in direction else 0,
            bytes_out=call.moved if direction is Moved.OUT else 0,
            working_ns=spent_ns - call.waiting_ns - call.ready_ns,
            waiting_ns=call.waiting_ns,
            ready_ns=call.ready_ns,
            waits=bool(call.waiting_ns),
        ),
    )
    if call.second:
        yield key._replace(object=call.second.id), Sums(bytes_out=call.moved)


def _activity(calls: Iterable[Call]) -> dict[ActivityKey, Sums]:
    rows: dict[ActivityKey, Sums] = {}
    for call in calls:
        for key, sums in _rows(call):
            rows[key] = rows.get(key, NO_SUMS) + sums
    return rows


def _object_waits(calls: Iterable[Call]) -> dict[int, Histogram]:
    waits: dict[int, list[int]] = defaultdict(list)
    for call in calls:
        if call.waiting_ns:
            waits[call.object.id if call.object else NO_OBJECT].append(call.waiting_ns)
    return {number: Histogram.of(times) for number, times in waits.items()}


def _threads(calls: Iterable[Call]) -> dict[int, ThreadTally]:
    """Return the threads, which are in their own code for as long as in calls."""
    threads: dict[int, ThreadTally] = {}
    for call in calls:
        lasted_ns = call.duration_ns or 0
        wait = Wait(call.object.id if call.object else NO_OBJECT, call.name)
        times = ThreadTimes(
            user_ns=lasted_ns,
            working_ns=lasted_ns - call.waiting_ns - call.ready_ns,
            ready_ns=call.ready_ns,
            waiting={wait: call.waiting_ns} if call.waiting_ns else {},
        )
        tally = ThreadTally(call.pid, f"thread-{call.tid}", times, 1, int(bool(call.errno)))
        threads[call.tid] = threads.get(call.tid, ThreadTally()) + tally
    return threads
