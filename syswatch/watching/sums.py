"""The sums of the calls in a block, in the form that tracers report them."""

from collections import Counter
from collections.abc import Iterable, Mapping
from functools import cache

import attrs

from syswatch.base.classes import define
from syswatch.codec.events import FIELDS, Flag
from syswatch.model.activity import ActivityKey, Objects, Sums
from syswatch.model.calls import CallTally
from syswatch.model.delta import Delta
from syswatch.model.errnos import errno_name
from syswatch.model.histogram import Histogram, bucket_of
from syswatch.model.ledger import Ledger
from syswatch.model.objects import ObjectInfo
from syswatch.model.process import ProcessTally
from syswatch.model.waits import WaitTally
from syswatch.tracer.naming import recorded_name
from syswatch.tracer.objects.targets import target_of
from syswatch.tracer.objects.ways import Moved

from .calls import opens_paths
from .stream import Event

_PLACES = {name: place for place, (name, _) in enumerate(FIELDS)}
_DURATION, _WAITING, _READY = (_PLACES[f"{name}_ns"] for name in ("duration", "waiting", "ready"))
_OBJECT, _RESULT, _BYTES = _PLACES["object"], _PLACES["result"], _PLACES["bytes"]
_PID, _TID, _FLAGS = _PLACES["pid"], _PLACES["tid"], _PLACES["flags"]
_NUMBER, _ARCHITECTURE = _PLACES["number"], _PLACES["architecture"]
_FAILED, _UNTIMED, _ESTIMATED = int(Flag.FAILED), int(Flag.UNTIMED), int(Flag.ESTIMATED)
_name_of = cache(recorded_name)
# So many durations of a row are kept as they are.
_MOST_RECENT = 4096


@define
class _Times:
    """Durations, which are added up when there are many: a block may have millions of calls."""

    count: int = 0
    total_ns: int = 0
    min_ns: int = 0
    max_ns: int = 0
    _buckets: Counter[int] = attrs.field(factory=Counter, init=False)
    _recent: list[int] = attrs.field(factory=list, init=False)

    def add(self, spent_ns: int) -> None:
        """Add a duration."""
        self._recent.append(spent_ns)
        if len(self._recent) >= _MOST_RECENT:
            self.settle()

    def settle(self) -> None:
        """Add up what was added, which is in no number before."""
        recent, self._recent = self._recent, []
        if not recent:
            return
        least = min(recent)
        self.min_ns = min(self.min_ns, least) if self.count else least
        self.max_ns = max(self.max_ns, *recent)
        self.count += len(recent)
        self.total_ns += sum(recent)
        self._buckets.update(map(bucket_of, recent))

    @property
    def histogram(self) -> Histogram:
        """How many durations fell into each bucket."""
        return Histogram(dict(self._buckets))


@define
class _Row:
    """The sums of one call of one thread on one object."""

    count: int = 0
    bytes_in: int = 0
    bytes_out: int = 0
    durations: _Times = attrs.field(factory=_Times)
    waiting: _Times = attrs.field(factory=_Times)
    ready_ns: int = 0
    estimated: int = 0
    errnos: Counter[int] = attrs.field(factory=Counter)

    @property
    def activity(self) -> Sums:
        """The row as tracers report it."""
        waiting_ns = self.waiting.total_ns
        return Sums(
            count=self.count,
            errors=self.errnos.total(),
            bytes_in=self.bytes_in,
            bytes_out=self.bytes_out,
            working_ns=self.durations.total_ns - waiting_ns - self.ready_ns,
            waiting_ns=waiting_ns,
            ready_ns=self.ready_ns,
            waits=self.waiting.count,
        )

    @property
    def tally(self) -> CallTally:
        """The sums of the call."""
        return CallTally(
            count=self.count,
            errors=self.errnos.total(),
            total_ns=self.durations.total_ns,
            min_ns=self.durations.min_ns,
            max_ns=self.durations.max_ns,
            histogram=self.durations.histogram,
            errnos={errno_name(result): times for result, times in self.errnos.items()},
            waits=WaitTally(
                self.waiting.count,
                self.waiting.total_ns,
                self.ready_ns,
                self.waiting.histogram,
            ),
        )


@define
class BlockSums:
    """Adds up the calls of a block."""

    # Processes that are not part of the watched program, though they may descend from it.
    without: frozenset[int] = frozenset()
    _rows: dict[tuple[int, int, int, str], _Row] = attrs.field(factory=dict, init=False)

    def count(self, event: Event, moved: Iterable[Event]) -> None:
        """Count a call that has returned."""
        if event[_PID] in self.without:
            return
        name = _name_of(event[_ARCHITECTURE], event[_NUMBER])
        row = self._row(event, name)
        row.count += 1
        flags = event[_FLAGS]
        if flags & _FAILED:
            row.errnos[event[_RESULT]] += 1
        if not flags & _UNTIMED:
            row.durations.add(event[_DURATION])
        if event[_WAITING]:
            row.waiting.add(event[_WAITING])
        row.ready_ns += event[_READY]
        row.estimated += bool(flags & _ESTIMATED)
        if event[_BYTES]:
            is_input, is_output = _direction(name)
            row.bytes_in += event[_BYTES] * is_input
            row.bytes_out += event[_BYTES] * is_output
        for part in moved:
            self._row(part, name).bytes_out += part[_BYTES]

    def _row(self, event: Event, name: str) -> _Row:
        key = event[_PID], event[_TID], event[_OBJECT], name
        row = self._rows.get(key)
        if row is None:
            row = self._rows[key] = _Row()
        return row

    def delta(
        self,
        objects: Objects,
        processes: Mapping[int, ProcessTally],
        without_threads: frozenset[int] = frozenset(),
    ) -> Delta:
        """Return the sums; `objects` and `processes` are those that the tracer has described."""
        rows = {key: row for key, row in self._rows.items() if key[1] not in without_threads}
        for row in rows.values():
            row.durations.settle()
            row.waiting.settle()
        calls: dict[str, CallTally] = {}
        for (*_, name), row in rows.items():
            if row.count:
                calls[name] = calls[name] + row.tally if name in calls else row.tally
        opened, failed = _opens(rows, objects)
        untimed = sum(row.count - row.durations.count for row in rows.values())
        return Delta(
            calls=calls,
            processes=_processes(rows, processes),
            paths=opened,
            failed_paths=failed,
            activity={ActivityKey(*key): row.activity for key, row in rows.items()},
            objects={key[2]: objects[key[2]] for key in rows if key[2] in objects},
            ledger=Ledger(
                untimed_calls=untimed,
                estimated_waits=sum(row.estimated for row in rows.values()),
            ),
        )


def _opens(
    rows: Mapping[tuple[int, int, int, str], _Row], objects: Objects
) -> tuple[Counter[str], Counter[str]]:
    """Return how many calls have opened each path or failed to, and how many failed."""
    opened: Counter[str] = Counter()
    failed: Counter[str] = Counter()
    for (_, _, number, name), row in rows.items():
        info = objects.get(number)
        if info is not None and row.count and opens_paths(name):
            opened[info.name] += row.count
            if row.errnos:
                failed[info.name] += row.errnos.total()
    return opened, failed


def _processes(
    rows: Mapping[tuple[int, int, int, str], _Row], known: Mapping[int, ProcessTally]
) -> Mapping[int, ProcessTally]:
    """Return the processes that made calls, with what is known of them."""
    tallies: dict[int, ProcessTally] = {}
    for (pid, *_), row in rows.items():
        about = known.get(pid, ProcessTally())
        before = tallies.get(pid, attrs.evolve(about, count=0, errors=0, total_ns=0))
        tallies[pid] = attrs.evolve(
            before,
            count=before.count + row.count,
            errors=before.errors + row.errnos.total(),
            total_ns=before.total_ns + row.durations.total_ns,
        )
    return tallies


@cache
def _direction(name: str) -> tuple[bool, bool]:
    """Return whether a call reads bytes from its object, or writes them to it."""
    direction = target_of(name).moved
    is_input = Moved.IN in direction
    return is_input, Moved.OUT in direction and not is_input


def described(known: dict[int, ObjectInfo], more: Objects) -> None:
    """Add descriptions of objects to those that are known."""
    for number, info in more.items():
        known[number] = known[number] + info if number in known else info
