"""Reads a recording, applying the filters that sums and samples allow."""

from collections.abc import Callable, Generator, Mapping
from contextlib import closing
from functools import cache
from pathlib import Path

import attrs

from syswatch.base.classes import define
from syswatch.codec.events import ARCHITECTURES
from syswatch.codec.frames import Message
from syswatch.codec.recording import RecordingError, RecordingReader
from syswatch.machine.folder_locks import is_locked
from syswatch.model.activity import Objects
from syswatch.model.calls import CallTally
from syswatch.model.delta import Calls, Delta
from syswatch.model.evidence import Evidence, EvidenceKey, EvidenceTally
from syswatch.model.ledger import Ledger
from syswatch.model.merging import merge
from syswatch.model.messages import Ended, Failed, Started
from syswatch.model.now import NOTHING_REPORTED, Now
from syswatch.model.objects import ObjectInfo
from syswatch.model.process import ProcessTally
from syswatch.model.slowest import SlowCall, Slowest
from syswatch.model.timeline import Timeline
from syswatch.tracer.objects.masking import Masking
from syswatch.tracer.stracelog.grammar import OPENS
from syswatch.tracer.stracelog.log_filter import LogFilter
from syswatch.tracer.subject import redacted

from .input_file import InputError, InputFile
from .recorded_objects import masked_objects
from .selected_calls import selected_blocks
from .sink import SEND_INTERVAL_S, Sink

_OPENS = frozenset(name.decode() for name in OPENS)
_NOT_FOR_SUMS = (
    "{}: -P and --status cannot be applied to a recording of an older version, which holds sums;"
    " give them to `run`, `attach`, or `stats` of a log"
)
_NO_PROFILE = (
    "{}: --profile cannot be applied to a recording;"
    " give it to `run`, `attach`, or `stats` of a log"
)
_NO_TABLES = "{}: recorded without --per-pid, so there is no table for each process"


class InapplicableOptionError(InputError):
    """An option cannot be applied to a recording."""

    exit_status = 2


@define
class RecordingSource:
    """A recording, whose deltas are sent on as if they were happening now."""

    file: InputFile
    filter: LogFilter

    def read_into(self, sink: Sink) -> None:
        """Send what was recorded."""
        applied = RecordingFilter(self.file.name, self.filter, has_calls=self.file.is_folder)
        # The sums of selected calls are made of the calls, so none is missing.
        is_being_made = self.file.is_folder and is_locked(Path(self.file.name))
        reader = RecordingReader(has_calls=self.file.is_folder and not self._is_selected)
        try:
            with closing(self._blocks()) as blocks:
                for block, _ in blocks:
                    for message in reader.receive_data(block):
                        self._replay(message, applied, sink)
                        sink.send_if_due()
                    sink.send_if_due()
            if is_being_made and not reader.has_end:
                sink.end(self.file.name, Ended())
            else:
                reader.close()
        except RecordingError as error:
            raise InputError(f"{self.file.name}: {error}") from error

    @property
    def _is_selected(self) -> bool:
        """Return whether single calls are selected, which only a recording of them allows."""
        options = self.filter.options
        return self.file.is_folder and bool(options.status or options.paths)

    def _blocks(self) -> Generator[tuple[bytes, int]]:
        if self._is_selected:
            return selected_blocks(self.file.name, self.filter, SEND_INTERVAL_S)
        return self.file.blocks(SEND_INTERVAL_S)

    def _replay(self, message: Message, applied: "RecordingFilter", sink: Sink) -> None:
        # A recording of a program that made no call is not an empty input.
        sink.has_records = True
        match message:
            case Started():
                sink.start(self.file.name, applied.started(message))
            case Delta():
                delta = applied.delta(message)
                if self._is_selected and not self.filter.options.per_process:
                    # They were needed for the processes.
                    delta = attrs.evolve(delta, by_process={})
                sink.add(delta)
            case Ended() | Failed():
                sink.end(self.file.name, message)


@define
class RecordingFilter:
    """Applies the filters of the job to the deltas of one recording."""

    name: str
    filter: LogFilter
    # Whether it is a recording of every call.
    has_calls: bool = False
    _described: dict[int, ObjectInfo] = attrs.field(factory=dict, init=False)
    _has_tables: bool | None = attrs.field(default=None, init=False)
    # Processes before the first call: only then is it known whether there are tables for them.
    _early: Mapping[int, ProcessTally] = attrs.field(factory=dict, init=False)

    def __attrs_post_init__(self) -> None:
        """Reject filters that cannot be applied to sums."""
        options = self.filter.options
        if not self.has_calls and (options.status or options.paths):
            raise InapplicableOptionError(_NOT_FOR_SUMS.format(self.name))
        if options.profile:
            raise InapplicableOptionError(_NO_PROFILE.format(self.name))

    def started(self, message: Started) -> Started:
        """Return the start with secrets masked."""
        redact = self.filter.redact
        return attrs.evolve(
            message, process=redacted(message.process, redact), only=redact(message.only)
        )

    def delta(self, delta: Delta) -> Delta:
        """Return the selected calls of a delta, with secrets masked."""
        if delta.calls and self._has_tables is None:
            self._has_tables = bool(delta.by_process)
            if self.filter.options.per_process and not self._has_tables:
                raise InapplicableOptionError(_NO_TABLES.format(self.name))
        if self.filter.names is not None:
            delta = self._selected(delta, _counted_names(self.filter.names))
        # The backlog at the time of the recording means nothing now.
        return self._masked(attrs.evolve(delta, backlog=0))

    def _selected(self, delta: Delta, names: frozenset[str]) -> Delta:
        calls = _only(delta.calls, names)
        paths, failed_paths, untracked = self._paths(delta, names)
        activity = {key: sums for key, sums in delta.activity.items() if key.call in names}
        used = {key.object for key in activity}
        by_process = {pid: _only(table, names) for pid, table in delta.by_process.items()}
        processes, unknown = self._processes(delta, by_process)
        return attrs.evolve(
            delta,
            calls=calls,
            by_process={pid: table for pid, table in by_process.items() if table},
            processes=processes,
            paths=paths,
            failed_paths=failed_paths,
            failures={name: each for name, each in delta.failures.items() if name in names},
            log=tuple(entry for entry in delta.log if entry.name in names),
            activity=activity,
            # Of the waits for an object it is not known for which calls they were, nor what a
            # thread did at which time.
            object_waits={},
            threads={},
            timeline=Timeline(),
            now=NOTHING_REPORTED,
            slowest=Slowest.of(
                call
                for name, calls in delta.slowest.by_call.items()
                if name in names
                for call in calls
            ),
            objects={each: delta.objects[each] for each in used if each in delta.objects},
            evidence={key: each for key, each in delta.evidence.items() if key.call in names},
            # The durations, and a row without a call, are those of several calls of a group.
            groups={key: sums for key, sums in delta.groups.items() if key.call in names},
            group_times={},
            window=delta.window.only(names),
            ledger=delta.ledger + Ledger(untracked_paths=untracked, untracked_processes=unknown),
        )

    def _paths(
        self, delta: Delta, names: frozenset[str]
    ) -> tuple[Mapping[str, int], Mapping[str, int], int]:
        """Return the paths, and how many may belong to calls that are left out."""
        opened = _counted_names(_OPENS) & delta.calls.keys()
        if opened <= names:
            return delta.paths, delta.failed_paths, 0
        return {}, {}, sum(delta.paths.values()) if opened & names else 0

    def _processes(
        self, delta: Delta, by_process: Mapping[int, Calls]
    ) -> tuple[Mapping[int, ProcessTally], int]:
        """Return the processes, and the number of those without sums for these calls."""
        if self._has_tables is None:
            self._early = merge(self._early, delta.processes, ProcessTally.__add__)
            return {}, 0
        processes = merge(self._early, delta.processes, ProcessTally.__add__)
        self._early = {}
        if not self._has_tables:
            return {}, sum(tally.lives for tally in processes.values())
        tallies = {
            pid: _with_sums(tally, by_process.get(pid, {})) for pid, tally in processes.items()
        }
        return tallies, 0

    def _masked(self, delta: Delta) -> Delta:
        view, redact = self.filter, self.filter.redact
        if view.hides_nothing:
            return delta
        # An object is described once only, so those described before are masked in later deltas.
        self._described.update(delta.objects)
        delta = masked_objects(
            attrs.evolve(delta, objects={**self._used(delta), **delta.objects}),
            Masking(view.options, redact),
        )
        return attrs.evolve(
            delta,
            log=tuple(
                attrs.evolve(entry, args=self._args(entry.name, entry.args), ret=redact(entry.ret))
                for entry in delta.log
            ),
            failures={
                name: tuple(
                    attrs.evolve(each, args=self._args(name, each.args)) for each in samples
                )
                for name, samples in delta.failures.items()
            },
            paths=_masked_paths(delta.paths, view),
            failed_paths=_masked_paths(delta.failed_paths, view),
            processes={
                pid: attrs.evolve(tally, comm=redact(tally.comm))
                for pid, tally in delta.processes.items()
            },
            threads={
                tid: attrs.evolve(tally, comm=redact(tally.comm))
                for tid, tally in delta.threads.items()
            },
            evidence=_masked_evidence(delta.evidence, redact),
            group_infos={
                key: attrs.evolve(
                    info, labels={name: redact(text) for name, text in info.labels.items()}
                )
                for key, info in delta.group_infos.items()
            },
            now=self._now(delta.now),
            slowest=delta.slowest.shown(self._slow_call),
            odd_lines=tuple(view.text(line.encode()) for line in delta.odd_lines),
        )

    def _used(self, delta: Delta) -> Objects:
        """Return the objects described before that a delta mentions."""
        used = {key.object for key in delta.activity} | set(delta.object_waits)
        used |= {entry.object for entry in delta.log}
        used |= {each.object for each in delta.now.threads.values()}
        used |= {wait.object for each in delta.threads.values() for wait in each.times.waiting}
        used |= {call.object for calls in delta.slowest.by_call.values() for call in calls}
        return {each: self._described[each] for each in used if each in self._described}

    def _now(self, now: Now) -> Now:
        redact = self.filter.redact
        threads = {
            tid: attrs.evolve(
                thread, comm=redact(thread.comm), args=self._args(thread.call, thread.args)
            )
            for tid, thread in now.threads.items()
        }
        return attrs.evolve(now, threads=threads)

    def _slow_call(self, call: SlowCall) -> SlowCall:
        return attrs.evolve(
            call, args=self._args(call.name, call.args), ret=self.filter.redact(call.ret)
        )

    def _args(self, name: str, args: str) -> str:
        return self.filter.args(name, args.encode()).decode()


@cache
def _counted_names(names: frozenset[str]) -> frozenset[str]:
    """Return the names by which calls are counted: those of 32-bit programs have a suffix."""
    return names | {f"{name}@{abi}" for name in names for abi in ARCHITECTURES}


def _only(calls: Calls, names: frozenset[str]) -> Mapping[str, CallTally]:
    return {name: tally for name, tally in calls.items() if name in names}


def _with_sums(tally: ProcessTally, calls: Calls) -> ProcessTally:
    return attrs.evolve(
        tally,
        count=sum(each.count for each in calls.values()),
        errors=sum(each.errors for each in calls.values()),
        total_ns=sum(each.total_ns for each in calls.values()),
    )


def _masked_evidence(evidence: Evidence, redact: Callable[[str], str]) -> Evidence:
    shown: dict[EvidenceKey, EvidenceTally] = {}
    for key, tally in evidence.items():
        masked = key._replace(program=redact(key.program))
        shown[masked] = shown[masked] + tally if masked in shown else tally
    return shown


def _masked_paths(paths: Mapping[str, int], view: LogFilter) -> Mapping[str, int]:
    shown: dict[str, int] = {}
    if view.options.read_arguments:
        for path, times in paths.items():
            text = view.redact(path)
            shown[text] = shown.get(text, 0) + times
    return shown
