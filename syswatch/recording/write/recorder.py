"""What a recording is made of, as it arrives: events, texts, losses and deltas."""

import os
import time
from collections.abc import Iterable
from pathlib import Path

import attrs

from syswatch.codec.events import EVENT, Loss, Text
from syswatch.codec.recording import MAGIC
from syswatch.recording import manifest, segments
from syswatch.recording.extra import load
from syswatch.recording.manifest import Manifest
from syswatch.recording.segments import open_private

from .tables import calls_of

DELTAS = "deltas"
# A segment is closed after a second, or earlier if there are very many calls.
_SEGMENT_S = 1.0
_MOST_BYTES = 1_000_000 * EVENT.size
_PRIVATE = 0o700


@attrs.define
class Recorder:
    """Writes a directory; an OSError ends the recording, and nothing of it is lost."""

    folder: Path
    about: Manifest
    # What has been written.
    calls: int = attrs.field(default=0, init=False)
    written_bytes: int = attrs.field(default=0, init=False)
    _number: int = attrs.field(default=0, init=False)
    _events: list[bytes] = attrs.field(factory=list, init=False)
    _size: int = attrs.field(default=0, init=False)
    _texts: dict[tuple[int, int], tuple[str, str]] = attrs.field(factory=dict, init=False)
    _losses: dict[tuple[int, int], int] = attrs.field(factory=dict, init=False)
    _begun_s: float = attrs.field(factory=time.monotonic, init=False)

    def begin(self) -> None:
        """Create the directory, which must not exist or be empty."""
        self.folder.mkdir(mode=_PRIVATE, parents=True, exist_ok=True)
        manifest.write(self.folder, self.about)
        self.receive_frame(MAGIC)

    def receive_events(self, data: bytes) -> None:
        """Add events, whole ones."""
        self._events.append(data)
        self._size += len(data)
        if self._size >= _MOST_BYTES:
            self.close_segment()

    def receive_texts(self, texts: Iterable[Text]) -> None:
        """Add the texts of calls, of which the events follow."""
        for tid, start_ns, arguments, result in texts:
            self._texts[tid, start_ns] = arguments, result

    def receive_losses(self, losses: Iterable[Loss]) -> None:
        """Add how many calls of a thread are missing in a second."""
        for tid, second, calls in losses:
            self._losses[second, tid] = self._losses.get((second, tid), 0) + calls

    def receive_frame(self, frame: bytes) -> None:
        """Add a frame of the tracer."""
        with open_private(self.folder / DELTAS, os.O_APPEND) as file:
            file.write(frame)

    def tick(self) -> None:
        """Close the segment if it is a second old."""
        if time.monotonic() - self._begun_s >= _SEGMENT_S:
            self.close_segment()

    def close_segment(self) -> None:
        """Write what has arrived since the last segment."""
        self._begun_s = time.monotonic()
        data, texts, losses = b"".join(self._events), self._texts, self._losses
        self._events, self._size, self._texts, self._losses = [], 0, {}, {}
        if data:
            table = calls_of(data, texts)
            self.written_bytes += segments.save(
                self.folder, segments.CALLS, self._number, lambda path: write_calls(table, path)
            )
            self.calls += len(table)
        if losses:
            self.about = attrs.evolve(self.about, lost=self.about.lost + sum(losses.values()))
        self._number += bool(data or losses)


def write_calls(table: object, path: Path) -> None:
    """Write a table of calls as a Parquet file."""
    parquet = load("pyarrow.parquet")
    columns = {"start": "DELTA_BINARY_PACKED", "duration": "DELTA_BINARY_PACKED"}
    names = [name for name in table.column_names if name not in columns]  # type: ignore[attr-defined]
    parquet.write_table(
        table, path, compression="zstd", use_dictionary=names, column_encoding=columns
    )
