"""Reading what the program has counted, as deltas."""

import time
from collections import defaultdict
from collections.abc import Mapping
from typing import TYPE_CHECKING

import attrs

from syswatch.base.classes import define
from syswatch.base.redaction import Redactor
from syswatch.model.activity import Activity, ActivityKey, Sums
from syswatch.model.calls import CallTally
from syswatch.model.delta import Delta, Span
from syswatch.model.entries import LOG_ENTRIES
from syswatch.model.evidence import Evidence
from syswatch.model.ledger import Ledger
from syswatch.model.messages import TraceOptions
from syswatch.model.process import ProcessTally
from syswatch.model.slowest import Slowest
from syswatch.model.times import SECOND_NS
from syswatch.model.waits import WaitTally
from syswatch.tracer.objects.masking import Masking
from syswatch.tracer.trace_parents import TraceParents

from .answers import Answers
from .calls import CallNames
from .details import Details, Taken
from .following import Following
from .ledger_growth import LedgerGrowth
from .paths import NewOpens, Paths
from .printer import Printer
from .program import Program
from .records import Records
from .room import Room
from .samples import Samples, Shown
from .tables import ProcessTables, WholeTable, window_of

if TYPE_CHECKING:
    from syswatch.tracer.event_pipe import EventPipe

    from .evidence import EvidenceTable
    from .groups import GroupTables
    from .recording import Recording

_NO_CALLS = CallTally()
_NO_SLOW_CALLS = Slowest()


@define
class Reader:
    """Reads the increments of the maps."""

    following: Following
    options: TraceOptions
    # Where every call is sent, if calls are recorded.
    events: "EventPipe | None" = None
    program: Program = attrs.field(init=False)
    # The wait status of the main process, when it has ended.
    ending: int | None = attrs.field(default=None, init=False)
    redact: Redactor = attrs.field(init=False)
    records: Records = attrs.field(init=False)
    # None if groups are not told apart.
    _groups: "GroupTables | None" = attrs.field(default=None, init=False)
    _table: WholeTable = attrs.field(init=False)
    _tables: ProcessTables = attrs.field(init=False)
    _paths: Paths = attrs.field(init=False)
    _samples: Samples = attrs.field(init=False)
    # None if only calls are counted.
    details: Details | None = attrs.field(default=None, init=False)
    # None without `--profile`.
    _evidence: "EvidenceTable | None" = attrs.field(default=None, init=False)
    # None if calls are not recorded.
    recording: "Recording | None" = attrs.field(default=None, init=False)
    _ledger: LedgerGrowth = attrs.field(init=False)
    # Of the records that only a reading of everything frees.
    _rooms: tuple[Room, ...] = attrs.field(init=False)
    _late_waits: dict[ActivityKey, Sums] = attrs.field(factory=dict, init=False)
    _began_ns: int = attrs.field(init=False)
    _interval_ns: int = attrs.field(init=False)

    def __attrs_post_init__(self) -> None:
        """Map the tables into memory."""
        self.program = self.following.program
        self._began_ns = self._interval_ns = self.following.began_time_ns
        self.redact = Redactor(self.options.redact)
        self.records = Records(self.program, self.redact)
        names = CallNames(self.program)
        self._table = WholeTable(self.program, names)
        self._tables = ProcessTables(self.program, names)
        self._paths = Paths(self.program, self.redact)
        self._ledger = LedgerGrowth(self.program)
        if self.program.settings.profile:
            from .evidence import EvidenceTable

            self._evidence = EvidenceTable(self.program, names, self.redact)
        if self.options.group_by:
            from .groups import GroupTables

            self._groups = GroupTables.by(self.options.group_by, self.program, names, self.redact)
        printer = Printer(self.options, names)
        most_logged = LOG_ENTRIES
        if self.events is not None and self.options.decode_all:
            # The program does not limit the log then.
            most_logged = min(LOG_ENTRIES, self.options.log_rate)
        trace_parents = TraceParents(self.options.trace_parents)
        self.records.noticed = trace_parents.note
        self.records.noticed_again = trace_parents.note_again
        self._samples = Samples(
            self.program, printer, trace_parents=trace_parents, most_logged=most_logged
        )
        if self.program.settings.objects:
            mask = Masking(self.options, self.redact)
            self.details = Details(self.following, names, self.records, printer, mask)
            self._samples.pid_of = self.details.pid_of
            self._samples.object_of = self.details.objects.id_of
            self._samples.received = Answers(self.details.objects).sampled
        tables = (self.records, self.details.thread_records) if self.details else (self.records,)
        self._rooms = tuple(Room(table) for table in tables)
        if self.events is not None:
            from .recording import Recording

            self.recording = Recording(
                self.following, self.events, self._samples, self.records, self.details
            )

    def read(self, *, everything: bool, is_last: bool = False) -> Delta:
        """
        Return a delta; paths and log are expensive, so they are only included on request.

        The last reading is complete if nothing is counted any more.
        """
        self._samples.drain()
        shown = self._samples.take(self.following.clock.offset_ns()) if everything else None
        # In this order: tables of processes that have ended do not grow any more.
        processes = dict(self._process_tallies())
        by_process = self._calls_by_process()
        is_sent = everything or bool(processes)
        taken = self._details(is_sent=is_sent, everything=everything, is_last=is_last)
        if self.recording is not None:
            self.recording.forget_processes()
        self.records.free_ended()
        for room in self._rooms:
            room.note()
        opens = self._paths.read() if everything else NewOpens()
        evidence: Evidence = {}
        cut = 0
        if self._evidence is not None and everything:
            evidence, cut = self._evidence.take(self.following.clock.offset_ns(), is_last=is_last)
        # After everything that is a part of them: counters grow, so no part exceeds the whole.
        delta = self._sums(with_groups=everything, with_times=everything, is_last=is_last)
        delta = attrs.evolve(
            delta,
            span=self._span(),
            by_process=by_process,
            processes=processes,
            paths=opens.counts,
            failed_paths=opens.failed,
            failures=shown.failures if shown else {},
            log=shown.log if shown else (),
            evidence=evidence,
            ledger=delta.ledger
            + self._ledger.take(delta.calls, shown)
            + Ledger(untracked_evidence=cut),
        )
        if taken is None:
            return delta
        if self.options.per_process:
            delta = self._with_waits(delta, taken.activity)
        return _detailed(delta, taken, shown)

    def read_sums(self) -> Delta:
        """Return the sums of all calls and of groups; everything else stays in the kernel."""
        self._samples.drain()
        delta = self._sums(with_groups=True, with_times=False)
        ledger = delta.ledger + self._ledger.take(delta.calls, None)
        return attrs.evolve(delta, span=self._span(), ledger=ledger)

    @property
    def is_crowded(self) -> bool:
        """Return whether half of what was free after the last reading of everything is in use."""
        return any(room.is_scarce for room in self._rooms)

    def drain(self) -> None:
        """Make room for more samples."""
        self._samples.drain()

    def read_threads(self) -> None:
        """Read what the threads do between two deltas."""
        if self.details is not None:
            self.details.read()

    def rest_ns(self) -> int | None:
        """Return when to read what the threads do, from now; None if only for each delta."""
        return self.details.rest_ns() if self.details else None

    def close(self) -> None:
        """Close the ring of wakes."""
        if self.recording is not None:
            self.recording.close()

    def _sums(self, *, with_groups: bool, with_times: bool, is_last: bool = False) -> Delta:
        """Return what has been counted of all calls, and of groups on request."""
        groups = Delta()
        if self._groups is not None and with_groups:
            groups = self._groups.read(with_times=with_times, is_last=is_last)
        now_ns = time.time_ns()
        calls = dict(self._table.read())
        second, self._interval_ns = self._interval_ns // SECOND_NS, now_ns
        return attrs.evolve(
            groups,
            calls=calls,
            window=window_of(second, calls),
        )

    def _span(self) -> Span:
        until_ns = self.records.observed_until(self.following.clock.offset_ns())
        return Span(self._began_ns, until_ns)

    def _details(self, *, is_sent: bool, everything: bool, is_last: bool) -> Taken | None:
        """
        Return what is known besides counts, and free what is not needed any more.

        What a thread does without any calls can wait until there is something to send.
        """
        if self.details is None:
            return None
        ended = frozenset(self.records.ended)
        self.details.read(ended, is_complete=everything, is_last=is_last)
        if self.recording is not None:
            # Before objects are freed that the calls refer to; those in progress are known here.
            self.recording.read()
        taken = self.details.take(everything=everything, is_last=is_last) if is_sent else None
        self.details.free(ended)
        return taken

    def _with_waits(self, delta: Delta, activity: Activity) -> Delta:
        """
        Add the waits to the tables of processes; how long each was is only known of all together.

        Calls may be in the rows before they are in these tables, but not for longer than a reading.
        """
        late, self._late_waits = self._late_waits, {}
        by_process = {pid: dict(calls) for pid, calls in delta.by_process.items()}
        for key, sums in (*late.items(), *activity.items()):
            tally = by_process.get(key.pid, {}).get(key.call)
            if tally is not None:
                more = WaitTally(sums.waits, sums.waiting_ns, sums.ready_ns)
                by_process[key.pid][key.call] = attrs.evolve(tally, waits=tally.waits + more)
            elif key not in late and (sums.waits or sums.ready_ns):
                self._late_waits[key] = sums
        return attrs.evolve(delta, by_process=by_process)

    def _process_tallies(self) -> Mapping[int, ProcessTally]:
        tallies: dict[int, ProcessTally] = {}
        # Ended processes come first, because their PIDs may have been reused.
        for pid, tally, ending in sorted(self.records.read(), key=_is_alive):
            if not pid:
                self._ledger.without_pid += tally.lives
                continue
            tallies[pid] = tallies[pid] + tally if pid in tallies else tally
            # Its PID may be reused later.
            if self.ending is None and pid == self.following.main_pid:
                self.ending = ending
        return tallies

    def _calls_by_process(self) -> Mapping[int, Mapping[str, CallTally]]:
        if not self.options.per_process:
            return {}
        calls: dict[int, dict[str, CallTally]] = defaultdict(dict)
        for record, name, tally in self._tables.read():
            known = calls[self.records.pid_of(record)]
            known[name] = known[name] + tally if name in known else tally
        self._tables.forget(self.records.ended)
        # Processes without a record of their own, or without a PID here, are in the ledger.
        calls.pop(0, None)
        return dict(calls)


def _is_alive(news: tuple[int, ProcessTally, int | None]) -> bool:
    return news[2] is None


def _detailed(delta: Delta, taken: Taken, shown: Shown | None) -> Delta:
    calls = dict(delta.calls)
    for name, waits in taken.waits.items():
        calls[name] = attrs.evolve(calls.get(name, _NO_CALLS), waits=waits)
    return attrs.evolve(
        delta,
        calls=calls,
        activity=taken.activity,
        objects=taken.objects,
        object_waits=taken.object_waits,
        threads=taken.threads,
        timeline=taken.timeline,
        now=taken.now,
        slowest=shown.slowest if shown else _NO_SLOW_CALLS,
        ledger=delta.ledger + taken.ledger,
    )
