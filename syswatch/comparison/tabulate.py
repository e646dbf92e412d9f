"""Makes a run from what is known of it: aligns the names and adds what becomes one."""

import attrs

from syswatch.base.classes import define
from syswatch.model.catalog import executes
from syswatch.model.objects import ObjectKind

from .alignment.objects import align_object
from .alignment.paths import align_path
from .alignment.peers import align_peer
from .facts import NOT_KNOWN, CallFacts, Facts, ObjectFacts, Programs
from .run import Figure, Kind, Run, Subject

_FILES = frozenset(
    {
        ObjectKind.PATH,
        ObjectKind.FILE,
        ObjectKind.DIRECTORY,
        ObjectKind.DEVICE,
        ObjectKind.TTY,
    }
)
_PEERS = frozenset({ObjectKind.TCP, ObjectKind.UDP, ObjectKind.UNIX, ObjectKind.SOCKET})
_PERCENTILES = {Figure.P50: 0.50, Figure.P95: 0.95, Figure.P99: 0.99}
_TIMES = (Figure.WORKING, Figure.WAITING, *_PERCENTILES)
# Python takes long to find a member of an Enum, and rows of 100 000 objects are made of these.
_COUNTS = (_COUNT, _ERRORS, _BYTES_IN, _BYTES_OUT) = (
    Figure.COUNT,
    Figure.ERRORS,
    Figure.BYTES_IN,
    Figure.BYTES_OUT,
)
_WORKING, _WAITING = Figure.WORKING, Figure.WAITING
STILL_RUNNING = "was still running"
NAMELESS = "a process"
_OF_OBJECTS = (Kind.FILE, Kind.PEER, Kind.OBJECT, Kind.PROGRAM)


def run_of_facts(facts: Facts, name: str) -> Run:
    """Return the run that the facts describe."""
    table = _Table()
    for call in facts.calls:
        table.add_call(call)
    for each in facts.objects or ():
        table.add_object(each)
    for path, opens, failed in facts.paths:
        subject = table.named(Kind.PATH, align_path(path), path)
        table.add(subject, {Figure.COUNT: opens, Figure.ERRORS: failed})
    for process in facts.processes:
        ending = f"{process.comm or NAMELESS} {process.ending or STILL_RUNNING}"
        table.add(Subject(Kind.ENDING, ending), {Figure.COUNT: process.lives})
    if command := _ending_of_command(facts):
        table.add(Subject(Kind.ENDING, command), {Figure.COUNT: 1})
    table.add(Subject(Kind.TOTAL), {Figure.WALL: facts.elapsed_ns})
    return Run(
        name=name,
        figures=table.figures,
        unknown=_unknown(facts),
        examples=table.examples,
        histograms={call.name: call.histogram for call in facts.calls if call.histogram.counts},
        notes=tuple(facts.notes),
        is_estimated=facts.is_estimated,
        backend=facts.backend,
        threads=facts.threads,
        processes=sum(each.lives for each in facts.processes),
        programs=table.programs,
        children=facts.children,
        only=facts.only,
        ledger=facts.ledger,
        is_cut_short=facts.is_cut_short,
        facts=facts,
    )


def _ending_of_command(facts: Facts) -> str:
    """Return how the command ended; a log with several processes does not tell which one it is."""
    if facts.ending or len(facts.processes) != 1:
        return facts.ending
    (process,) = facts.processes
    return process.ending if process.lives == 1 else ""


def _unknown(facts: Facts) -> frozenset[tuple[Kind, Figure]]:
    unknown: set[tuple[Kind, Figure]] = set()
    if facts.calls and not any(call.histogram.counts for call in facts.calls):
        unknown.update((kind, figure) for kind in Kind for figure in _TIMES)
    if facts.objects is None:
        unknown.update((kind, figure) for kind in _OF_OBJECTS for figure in (*_COUNTS, *_TIMES))
        both = (Figure.BYTES_IN, Figure.BYTES_OUT)
        unknown.update((kind, figure) for kind in (Kind.TOTAL, Kind.CALL) for figure in both)
    if not facts.elapsed_ns:
        unknown.add((Kind.TOTAL, Figure.WALL))
    return frozenset(unknown)


@define
class _Table:
    figures: dict[Subject, dict[Figure, int]] = attrs.field(factory=dict)
    examples: dict[Subject, str] = attrs.field(factory=dict)
    programs: dict[Subject, Programs] = attrs.field(factory=dict)

    def add(self, subject: Subject, values: dict[Figure, int]) -> None:
        """Add to the figures of a subject; those that are 0 are left out."""
        self._add_row(subject, {figure: value for figure, value in values.items() if value})

    def _add_row(self, subject: Subject, row: dict[Figure, int]) -> None:
        """Add figures of which none is 0.  There may be 100 000 such rows, so they are kept."""
        known = self.figures.get(subject)
        if known is None:
            self.figures[subject] = row
            return
        for figure, value in row.items():
            known[figure] = known.get(figure, 0) + value

    def named(self, kind: Kind, aligned: str, real: str) -> Subject:
        """Return the subject of an aligned name; the first real name in order is the example."""
        subject = Subject(kind, aligned)
        if aligned != real and real < self.examples.get(subject, "\U0010ffff"):
            self.examples[subject] = real
        return subject

    def add_programs(self, subject: Subject, programs: Programs) -> None:
        """Add programs to those that account for a subject, if they are known."""
        if programs:
            self.programs[subject] = self.programs.get(subject, NOT_KNOWN) | programs

    def add_call(self, call: CallFacts) -> None:
        """Add a system call, its errors, and its share of the total."""
        sums = {
            Figure.COUNT: call.count,
            Figure.ERRORS: call.errors,
            Figure.WORKING: call.working_ns,
            Figure.WAITING: call.waiting_ns,
        }
        fractions = tuple(_PERCENTILES.values())
        values = call.histogram.percentiles(fractions, call.min_ns, call.max_ns)
        percentiles = dict(zip(_PERCENTILES, values, strict=True))
        self.add(Subject(Kind.CALL, call.name), sums | percentiles)
        self.add(Subject(Kind.TOTAL), sums)
        self.add_programs(Subject(Kind.CALL, call.name), call.programs)
        for errno, count in call.errnos.items():
            error = Subject(Kind.ERROR, errno, call.name)
            self.add(error, {Figure.COUNT: count})
            self.add_programs(error, call.failed_in)

    def add_object(self, each: ObjectFacts) -> None:
        """Add an object, what each call did with it, and the programs that were executed."""
        subject = self._subject(each)
        kind, name, _ = subject
        made = errors = received = sent = 0
        for call, counts in each.calls.items():
            part = Subject(kind, name, call)
            self._add_row(part, _row(*counts))
            if each.programs:
                self.add_programs(part, each.programs.get(call, NOT_KNOWN))
            made += counts.made
            errors += counts.errors
            received += counts.bytes_in
            sent += counts.bytes_out
            if counts.bytes_in or counts.bytes_out:
                moved = {Figure.BYTES_IN: counts.bytes_in, Figure.BYTES_OUT: counts.bytes_out}
                self.add(Subject(Kind.CALL, call), moved)
            # Older recordings lack the name if its page had not been in memory before the call.
            if executes(call) and each.name and counts.made > counts.errors:
                program = self.named(Kind.PROGRAM, align_path(each.name), each.name)
                self.add(program, {Figure.COUNT: counts.made - counts.errors})
        row = _row(made, errors, received, sent)
        if each.working_ns:
            row[_WORKING] = each.working_ns
        if each.waiting_ns:
            row[_WAITING] = each.waiting_ns
        self._add_row(subject, row)
        if received or sent:
            self.add(Subject(Kind.TOTAL), {Figure.BYTES_IN: received, Figure.BYTES_OUT: sent})

    def _subject(self, each: ObjectFacts) -> Subject:
        if each.kind in _FILES:
            return self.named(Kind.FILE, align_path(each.name), each.name)
        if each.kind in _PEERS:
            aligned = align_peer(each.kind, each.name, each.host)
            return self.named(Kind.PEER, aligned, each.name)
        return self.named(Kind.OBJECT, align_object(each.kind, each.name), each.name)


def _row(made: int, errors: int, received: int, sent: int) -> dict[Figure, int]:
    """Return the figures that are not 0."""
    row = {_COUNT: made} if made else {}
    if errors:
        row[_ERRORS] = errors
    if received:
        row[_BYTES_IN] = received
    if sent:
        row[_BYTES_OUT] = sent
    return row
