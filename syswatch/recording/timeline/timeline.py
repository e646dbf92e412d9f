"""The timeline of a recording, as the records that views show."""

import datetime as dt
from pathlib import Path

import attrs

from syswatch.base.classes import define
from syswatch.codec.recording import RecordingError
from syswatch.model.catalog import Category
from syswatch.model.catalog.entries import lookup
from syswatch.model.times import SECOND_NS
from syswatch.recording import manifest, segments
from syswatch.recording.lines.raw_text import HIDDEN, RawTexts
from syswatch.recording.manifest import Manifest, ManifestError
from syswatch.recording.read.recorded import RecordedDeltas
from syswatch.tracer.naming import machine

from . import answers, details, tables
from .cache import SegmentCache
from .details import UnknownCallError, identifier
from .index import MOST_ROWS, Index
from .picture import Painter, View
from .records import Call, Lane, Lanes, LongestCall, Matches, Picture
from .tables import Row

# Of very many threads, those with the most calls.
MOST_LANES = 2000
# The sums of segments that were removed are shown until they are more than those of all others.
_MOST_REMOVED = 1000


@define
class Timeline:
    """Reads the recording as far as each answer needs it; it may grow meanwhile."""

    folder: Path
    # How many sums are held in memory.
    most_rows: int = MOST_ROWS
    # They have the names of threads.
    deltas: RecordedDeltas = attrs.Factory(
        lambda self: RecordedDeltas(self.folder), takes_self=True
    )
    about: Manifest = attrs.field(init=False)
    index: Index = attrs.field(init=False)
    # A flight recorder moves the beginning.
    _origin_ns: int = attrs.field(default=0, init=False)
    _painter: Painter = attrs.field(init=False)
    _texts: RawTexts = attrs.field(factory=RawTexts, init=False)
    _losses: dict[int, list[Row]] = attrs.field(factory=dict, init=False)
    _longest: LongestCall | None = attrs.field(default=None, init=False)

    def __attrs_post_init__(self) -> None:
        """Read the manifest; raise RecordingError if there is none."""
        self._read_manifest()
        self._begin()

    def lanes(self) -> Lanes:
        """Return the threads and what the recording is about, as far as it has been read."""
        # Lanes get other numbers, so not between two pictures.
        if self.index.removed > max(_MOST_REMOVED, len(self.index.extents)):
            self._begin()
        self._refresh()
        totals, numbering = self.index.totals, self.index.numbering
        threads = len(numbering.lanes)
        calls = [int(each) for each in totals.calls] if threads else []
        commands = tables.commands(self.folder)
        self.deltas.scan()
        shown = sorted(range(threads), key=lambda lane: (-calls[lane], lane))[:MOST_LANES]
        # Calls may have begun before the part of a trace that is kept.
        first, last = (max(self._since(each), 0) if threads else 0 for each in self.index.span)
        longest = self._longest_call()
        return Lanes(
            verdict=answers.verdict(sum(calls), threads, last - first, longest),
            origin_ms=self.about.begun_ns / 1e6,
            first=first,
            last=last,
            calls=sum(calls),
            errors=int(totals.errors.sum()) if threads else 0,
            threads=threads,
            lost=sum(row["count"] for row in self._lost),
            unread=len(self.index.pending),
            damaged=[
                f"{segments.CALLS}/{segments.name_of(number)}: {why}"
                for number, why in sorted(self.index.damaged.items())
            ],
            live=self.about.ended_ns is None,
            # Nothing more can be told of one that a flight recorder has removed.
            longest=longest if longest and self._has(longest.id) else None,
            lanes=[
                Lane(
                    lane,
                    *numbering.lanes[lane],
                    commands.get(numbering.lanes[lane][0], ""),
                    self._comm_of(*numbering.lanes[lane]),
                    calls[lane],
                    int(totals.errors[lane]),
                    max(self._since(int(totals.first_ns[lane])), 0),
                    self._since(int(totals.last_ns[lane])),
                )
                for lane in sorted(shown)
            ],
        )

    def picture(
        self, first: int, last: int, width: int, lanes: tuple[int, ...] | None = None
    ) -> Picture:
        """Return what a range shows, in nanoseconds since the origin."""
        self._refresh()
        origin = self.about.begun_ns
        view = View(first + origin, max(last, first + 1) + origin, width, lanes)
        drawn = self._painter.drawn(view)
        return Picture(
            from_=first,
            to=last,
            calls=int(drawn.rows.calls.sum()),
            unread=len(self.index.pending),
            losses=answers.losses(self._lost, view, self.index.numbering, origin),
            bins=answers.bins(drawn, origin) if drawn.step_ns else None,
            slices=None if drawn.step_ns else answers.slices(drawn, self.index.numbering, origin),
        )

    def call(self, text: str) -> Call:
        """Return everything that was recorded of a call; raise UnknownCallError."""
        segment, place = details.parsed(text)
        row = details.row_of(self.folder, segment, place)
        duration_ns, name = row["duration"], row["name"]
        known = lookup(name)
        arguments, result = self._texts_of(row)
        waiting, ready = row["waiting"], row["ready"]
        # What an untimed call has waited is not known.
        is_divided = duration_ns is not None and not row["untimed"]
        seconds, rest = divmod(row["start"], SECOND_NS)
        moment = dt.datetime.fromtimestamp(seconds, dt.UTC)
        return Call(
            id=text,
            lane=self._lane_of(row),
            pid=row["pid"],
            tid=row["tid"],
            command=tables.commands(self.folder).get(row["pid"], ""),
            comm=self._comm_of(row["pid"], row["tid"]),
            name=name,
            category=(known.category if known else Category.OTHER).value,
            about=known.summary if known else "",
            start=self._since(row["start"]),
            time=f"{moment:%Y-%m-%dT%H:%M:%S}.{rest:09}Z",
            duration=duration_ns,
            working=max(duration_ns - waiting - ready, 0) if is_divided else None,
            waiting=waiting,
            ready=ready,
            waited=row["waited"],
            estimated=row["estimated"],
            untimed=bool(row["untimed"]),
            args=arguments,
            result=result,
            errno=row["errno"] or "",
            bytes_=row["bytes"] or 0,
            object_=self._object(row["object"]),
            cpu=row["cpu"],
        )

    def search(self, text: str, segment: int = 0) -> Matches:
        """Return calls in which a text is found, from one segment on."""
        self._refresh()
        found = list(details.search(self.folder, text, segment))
        rows = [
            (identifier(part.segment, place), row)
            for part in found
            for place, row in zip(part.places, part.rows, strict=True)
        ]
        last = found[-1].segment if found else -1
        later = any(each > last for each in self.index.extents) if found else False
        return Matches(
            id=[key for key, _ in rows],
            lane=[self._lane_of(row) for _, row in rows],
            start=[self._since(row["start"]) for _, row in rows],
            duration=[-1 if row["duration"] is None else row["duration"] for _, row in rows],
            name=[row["name"] for _, row in rows],
            next=last + 1 if later else -1,
        )

    @property
    def _lost(self) -> list[Row]:
        return [row for rows in self._losses.values() for row in rows]

    def _begin(self) -> None:
        """Begin with what there is: the memory must not grow as long as a flight recorder runs."""
        self.index = Index(self.folder, self.most_rows)
        self._painter = Painter(self.index, SegmentCache(self.index.reader))

    def _refresh(self) -> None:
        """Read what has been added since the last answer."""
        if self.about.ended_ns is None:
            self._read_manifest()
        self.index.ended_ns = self.about.ended_ns
        self.index.read_more()
        known = self._losses
        self._losses = {
            number: known[number] if number in known else tables.losses(self.folder, number)
            for number in segments.numbers_in(self.folder, segments.LOSSES)
        }

    def _read_manifest(self) -> None:
        """Read the manifest; all times that were sent before are since the first origin."""
        try:
            about = manifest.read(self.folder)
        except ManifestError as error:
            raise RecordingError(str(error)) from error
        self._origin_ns = self._origin_ns or about.begun_ns
        self.about = attrs.evolve(about, begun_ns=self._origin_ns)

    def _longest_call(self) -> LongestCall | None:
        """Return the longest call; what it acted on is read once."""
        longest = self.index.totals.longest
        if longest is None or longest.row < 0:
            return None
        key = identifier(longest.segment, longest.row)
        if self._longest is None or self._longest.id != key:
            try:
                found = self.call(key)
            except (RecordingError, UnknownCallError):
                return None
            self._longest = LongestCall(
                key,
                found.name,
                longest.lane,
                found.start,
                longest.duration_ns,
                found.untimed,
                found.object_,
            )
        return self._longest

    def _has(self, call: str) -> bool:
        return details.parsed(call)[0] in self.index.extents

    def _lane_of(self, row: Row) -> int:
        return self.index.numbering.lane_of(row["pid"], row["tid"])

    def _object(self, key: int | None) -> str:
        return "" if key is None else tables.object_name(self.folder, key)

    def _texts_of(self, row: Row) -> tuple[str, str]:
        """Return arguments and result: as they were read, or from the registers."""
        arguments, result = row.get("args"), row.get("ret")
        if arguments is not None and result is not None:
            return arguments, result
        plain, _, architecture = row["name"].partition("@")
        numbers = tuple(row.get(f"a{index}") or 0 for index in range(6))
        failed = row["errno"] is not None
        made = self._texts.of(
            plain, architecture or machine(), numbers, row["result"] or 0, failed=failed
        )
        made_arguments = made[0] if row.get("a0") is not None else HIDDEN
        made_result = "?" if row["result"] is None else made[1]
        return (
            made_arguments if arguments is None else arguments,
            made_result if result is None else result,
        )

    def _comm_of(self, pid: int, tid: int) -> str:
        """Return the name of a thread; nothing if it is not known."""
        known = self.deltas.known.threads.get(tid)
        return known.comm if known is not None and known.pid in (pid, 0) else ""

    def _since(self, time_ns: int) -> int:
        return time_ns - self.about.begun_ns
