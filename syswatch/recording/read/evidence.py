"""
The evidence of a recording that was made without it, from its calls, on standard output.

    python -m syswatch.recording.read.evidence DIR

If the recording cannot be read, a sentence is on standard error.
"""

import os
import resource
import signal
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, Final

import attrs
import msgspec

from syswatch.base.classes import define, frozen
from syswatch.codec.events import ARCHITECTURES
from syswatch.codec.frames import WireError
from syswatch.codec.recording import RecordingError
from syswatch.model.catalog import number_of
from syswatch.model.delta import Delta
from syswatch.model.evidence import Evidence, EvidenceKey, EvidenceTally, add_evidence
from syswatch.model.ledger import Ledger
from syswatch.model.process import describe_ending
from syswatch.model.ruled_arguments import MOST_RULED, ruled_arguments
from syswatch.recording.exits import is_exit
from syswatch.recording.extra import MissingPackageError, load
from syswatch.recording.notes import kept
from syswatch.recording.recorded_evidence import RecordedEvidence
from syswatch.tracer.naming import machine
from syswatch.tracer.stracelog.log_evidence import only_architecture, printed_values

from .batch import Batch
from .ends import Ends, process_ends, process_rows, until_ends
from .files import reason_of
from .fold import Folder
from .grouping import Groups
from .opening import Recording
from .programs import Programs, ProgramTable
from .selected import MOST_MEMORY

_REFUSED: Final = describe_ending(-signal.SIGSYS)
_FILTERS: Final = (
    "a program installed a seccomp filter: calls that it refused without killing the process are"
    " counted as made"
)
_PR_SET_SECCOMP: Final = 22


def evidence_of(folder: Path) -> RecordedEvidence:
    """Return the evidence of all calls of a recording, finished or not."""
    recording = Recording.open(folder)
    reader = Folder(recording)
    reader.deltas.scan()
    programs = Programs(reader.deltas.known, is_of_log=bool(recording.about.logs))
    reader.of_calls(_noting(programs))
    counter = _Counter(reader, programs.table(recording))
    total = reader.of_calls(counter.rows)
    rows = dict(total.evidence)
    counter.refuse(rows)
    notes = (*kept(recording.about), *recording.damage(), *counter.notes(rows))
    return RecordedEvidence(tuple(rows.items()), notes, total.ledger.untracked_evidence)


def _noting(programs: Programs) -> Callable[[Batch], Delta]:
    def note(batch: Batch) -> Delta:
        programs.note(batch)
        return Delta()

    return note


@frozen
class _Name:
    """A recorded name: the call, its architecture, and whether that is known."""

    call: str
    architecture: str
    is_known: bool = True

    @classmethod
    def of(cls, name: str) -> "_Name":
        call, _, architecture = name.partition("@")
        if not architecture:
            # Recorded logs do not name it.
            return cls(call, only_architecture(call))
        return cls(call, architecture, architecture in ARCHITECTURES)


@define
class _Counter:
    """Counts the rows of evidence of batches."""

    folder: Folder
    programs: ProgramTable
    # The calls of architectures that are not known.
    unknown: int = attrs.field(default=0, init=False)
    _ends: Ends = attrs.field(init=False)
    # The processes that SIGSYS has ended, and the call of each that was most likely refused.
    _killed: frozenset[int] = attrs.field(init=False)
    _refused: dict[int, tuple[bool, int, EvidenceKey]] = attrs.field(factory=dict, init=False)

    def __attrs_post_init__(self) -> None:
        """Read how the processes ended."""
        recording = self.folder.recording
        self._ends = process_ends(recording)
        rows = process_rows(recording)
        self._killed = frozenset(row.pid for row in rows if row.ending == _REFUSED)

    def rows(self, batch: Batch) -> Delta:
        """Return the evidence of some calls."""
        if not len(batch):
            return Delta()
        numpy = load("numpy")
        batch = until_ends(batch, self._ends, self.folder.deltas.known.thread_ends)
        names = [_Name.of(each) for each in batch.names]
        known = numpy.array([*(each.is_known for each in names), False])[batch.name]
        self.unknown += int((~known).sum())
        batch = batch.where(known)
        values, counts = _values(batch, names)
        program = self.programs.at(batch.pid, batch.end)
        groups = Groups.of(batch.name, program, counts, *values.T)
        keys = [
            EvidenceKey(
                names[batch.name[first]].call,
                tuple(values[first][: counts[first]].tolist()),
                names[batch.name[first]].architecture,
                self.programs.names[program[first]],
            )
            for first in groups.first.tolist()
        ]
        self._note_refused(batch, names, groups, keys)
        firsts = batch.start[groups.first].tolist()
        rows: dict[EvidenceKey, EvidenceTally] = {}
        for key, count, first_ns in zip(keys, groups.counts(), firsts, strict=True):
            tally = EvidenceTally(count, first_ns)
            rows[key] = rows[key] + tally if key in rows else tally
        evidence, cut = add_evidence({}, rows)
        return Delta(evidence=evidence, ledger=Ledger(untracked_evidence=cut))

    def refuse(self, rows: dict[EvidenceKey, EvidenceTally]) -> None:
        """Count the calls apart for which processes were killed."""
        for _, at_ns, key in self._refused.values():
            # The limit may have added it to a coarser row.
            if (tally := rows.get(key)) is None:
                continue
            del rows[key]
            if tally.count > 1:
                rows[key] = attrs.evolve(tally, count=tally.count - 1)
            other = key._replace(refused=True)
            rows[other] = rows.get(other, EvidenceTally()) + EvidenceTally(1, at_ns)

    def _note_refused(
        self, batch: Batch, names: Sequence[_Name], groups: Groups, keys: Sequence[EvidenceKey]
    ) -> None:
        """
        Note the call of each process that a filter has killed.

        It returned its own number, or its first argument on arm64, or else it did not return.
        """
        if not self._killed:
            return
        numpy = load("numpy")
        numbers = numpy.array([_number_of(each) for each in names], "i8")[batch.name]
        if machine() == "aarch64":
            numbers = numpy.where(batch.has_registers, batch.registers[:, 0].view("i8"), -1)
        ending = numpy.array([is_exit(each.call) for each in names])[batch.name]
        answered = batch.returned & (batch.result == numbers)
        mine = numpy.isin(batch.pid, list(self._killed)) & (answered | ~(batch.returned | ending))
        for place in numpy.flatnonzero(mine).tolist():
            pid, key = int(batch.pid[place]), keys[groups.index[place]]
            found = bool(answered[place]), int(batch.start[place]), key
            self._refused[pid] = max(found, self._refused.get(pid, found))

    def notes(self, rows: Evidence) -> Iterator[str]:
        """Yield what the rows do not tell."""
        if self.unknown:
            calls = "1 call is" if self.unknown == 1 else f"{self.unknown} calls are"
            yield f"{calls} left out, because the architecture is not known"
        if any(map(_installs_filter, rows)):
            yield _FILTERS


def _values(batch: Batch, names: Sequence[_Name]) -> tuple[Any, Any]:
    """Return the values that rules depend on, a row for each call, and how many are known."""
    numpy = load("numpy")
    values = numpy.zeros((len(batch), MOST_RULED), "u8")
    counts = numpy.zeros(len(batch), "i8")
    for place, name in enumerate(names):
        ruled = ruled_arguments(name.call, name.architecture)
        if not ruled:
            continue
        calls = batch.name == place
        with_registers = calls & batch.has_registers
        counts[with_registers] = len(ruled)
        for index, each in enumerate(ruled):
            registers = batch.registers[with_registers, each.position]
            values[with_registers, index] = registers & numpy.uint64(each.mask)
        _read_texts(batch, name, numpy.flatnonzero(calls & ~batch.has_registers), values, counts)
    return values, counts


def _read_texts(batch: Batch, name: _Name, places: Any, values: Any, counts: Any) -> None:
    """Read the arguments of calls from their texts, each different one once."""
    if not len(places):
        return
    numpy, arrow, compute = load("numpy"), load("pyarrow"), load("pyarrow.compute")
    texts = batch.args.take(arrow.array(places)).cast("string")
    encoded = compute.dictionary_encode(compute.fill_null(texts, ""))
    printed = [
        printed_values(name.call, text.encode(), name.architecture) if text else ()
        for text in encoded.dictionary.to_pylist()
    ]
    rows = numpy.zeros((len(printed), MOST_RULED), "u8")
    for row, found in enumerate(printed):
        rows[row, : len(found)] = found
    indices = encoded.indices.to_numpy()
    values[places] = rows[indices]
    counts[places] = numpy.array([len(found) for found in printed], "i8")[indices]


def _number_of(name: _Name) -> int:
    number = number_of(name.call, name.architecture or machine())
    return -1 if number is None else number


def _installs_filter(key: EvidenceKey) -> bool:
    return key.call == "seccomp" or (key.call == "prctl" and key.values == (_PR_SET_SECCOMP,))


def main() -> None:
    """Write the evidence; exit with a sentence if that is not possible."""
    resource.setrlimit(resource.RLIMIT_DATA, (MOST_MEMORY, MOST_MEMORY))
    output = os.dup(1)
    os.dup2(2, 1)
    try:
        found = evidence_of(Path(sys.argv[1]))
    except MemoryError:
        sys.exit("reading its calls takes too much memory")
    except (RecordingError, MissingPackageError, WireError, OSError) as error:
        sys.exit(reason_of(error))
    with os.fdopen(output, "wb") as file:
        file.write(msgspec.msgpack.encode(found))


if __name__ == "__main__":
    main()
