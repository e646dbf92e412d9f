"""Recordings of logs for tests, made without processes: reader and recorder in turn."""

import os
import tempfile
from collections.abc import Sequence
from pathlib import Path
from threading import Thread
from typing import Any

from syswatch.codec.event_frames import EventDecoder, Loss
from syswatch.codec.frames import Decoder, Message
from syswatch.codec.log_calls import LogCalls
from syswatch.model.messages import Ended, FilterOptions, ReadLogs
from syswatch.recording.extra import load
from syswatch.recording.manifest import Manifest
from syswatch.recording.write.recorder import Recorder
from syswatch.tracer.event_pipe import EventPipe
from syswatch.tracer.inputs.input_reader import InputReader
from syswatch.tracer.outbox import Outbox
from tests.reading import SlowClock


def sent_of(
    files: Sequence[str | Path], workers: int = 1, **options: Any
) -> tuple[bytes, list[Any]]:
    """Return what a reader sends to the service, and to the recorder."""
    receiver, sender = os.pipe()
    items: list[Any] = []

    def receive() -> None:
        decoder = EventDecoder()
        while data := os.read(receiver, 1 << 20):
            decoder.receive_data(data)
            items.extend(decoder.frames())

    thread = Thread(target=receive)
    thread.start()
    job = ReadLogs(tuple(map(str, files)), workers, FilterOptions(**options))
    with tempfile.TemporaryFile() as frames:
        events = EventPipe(sender)
        try:
            InputReader(job, Outbox(frames.fileno()), bool, SlowClock(), events).run()
        except BaseException:
            os.close(sender)  # It ends the thread, too.
            raise
        finally:
            thread.join()
            os.close(receiver)
        frames.seek(0)
        return frames.read(), items


def record(
    folder: Path, files: Sequence[str | Path], workers: int = 1, **options: Any
) -> list[Message]:
    """Make a recording of logs; return the messages to the service."""
    frames, items = sent_of(files, workers, **options)
    recorder = Recorder(folder, Manifest(begun_ns=1, logs=tuple(map(str, files))))
    recorder.begin()
    decoder = Decoder()
    decoder.receive_data(frames)
    ending: Ended | None = None
    messages = []
    for message, frame in decoder.frames():
        messages.append(message)
        recorder.receive_frame(frame)
        ending = message if isinstance(message, Ended) else ending
    for item in items:
        if isinstance(item, LogCalls):
            recorder.receive_log_calls(item)
        elif item and isinstance(item[0], Loss):
            recorder.receive_losses(item)
        else:
            recorder.receive_lives(item)
    recorder.finish(ending)
    return messages


def calls_in(folder: Path) -> list[dict[str, Any]]:
    """Return the rows of all segments; starts in nanoseconds since 1970."""
    parquet = load("pyarrow.parquet")
    tables = [parquet.read_table(file) for file in sorted((folder / "calls").iterdir())]
    return [
        row
        for table in tables
        for row in table.set_column(0, "start", table["start"].cast("int64")).to_pylist()
    ]
