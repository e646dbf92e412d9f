"""Fuzz targets: functions that take any bytes, and raise only if syswatch has a defect."""

import tempfile
from collections.abc import Callable, Mapping
from io import StringIO

import attrs

from syswatch.codec.frames import Decoder, Message, WireError, encode
from syswatch.codec.recording import MAGIC
from syswatch.model.aggregator import Aggregator
from syswatch.model.delta import Delta
from syswatch.model.messages import Ended, Failed, FilterOptions, Started
from syswatch.terminal.summary import print_summary
from syswatch.tracer.stracelog.log_filter import LogFilter
from tests.reading import condense, lines_accounted_for, read_logs

_CHOOSY = FilterOptions(trace="%file,!openat", redact=("[0-9]{3,}",), string_limit=3)


def check_log(data: bytes) -> None:
    """Parse lines: each is counted once, and in the same way with and without rows."""
    exact, fast = (condense(data, exactly=each, per_process=True) for each in (True, False))
    if attrs.evolve(exact, span=None) != attrs.evolve(fast, span=None):
        raise AssertionError("the fast way differs from the exact one")
    if not exact.reading.lines == lines_accounted_for(exact) == data.count(b"\n") + 1:
        raise AssertionError("a line is lost")
    _show([Started("strace log"), exact, Ended()])
    for options in (_CHOOSY, FilterOptions(paths=("/a",), status="failed")):
        chosen = LogFilter(options)
        exact, fast = (
            condense(data, exactly=each, per_process=True, filter=chosen) for each in (True, False)
        )
        if exact.calls != fast.calls:
            raise AssertionError("the fast way filters in another way")


def check_frames(data: bytes) -> None:
    """Decode frames, which may raise WireError only, and encode them again."""
    decoder = Decoder()
    decoder.receive_data(data)
    try:
        for message in decoder.events():
            encode(message)
    except WireError:
        return


def check_recording(data: bytes) -> None:
    """Read a recording with and without filters, and print the summary."""
    for options in (FilterOptions(), _CHOOSY):
        with tempfile.NamedTemporaryFile() as file:
            file.write(MAGIC + data)
            file.flush()
            _show(read_logs([file.name], **attrs.asdict(options, recurse=False)))


def check_delta(data: bytes) -> None:
    """Read a recording of one delta with this body."""
    delta_head = encode(Delta())[:1] + len(data).to_bytes(4, "big")
    check_recording(encode(Started("ptrace")) + delta_head + data + encode(Ended(3)))


TARGETS: Mapping[str, Callable[[bytes], None]] = {
    "delta": check_delta,
    "log": check_log,
    "frames": check_frames,
    "recording": check_recording,
}


def _show(messages: list[Message]) -> None:
    aggregator = Aggregator()
    for message in messages:
        match message:
            case Started():
                aggregator.started(message)
            case Delta():
                aggregator.add(message)
            case Ended():
                aggregator.ended(message)
            case Failed():
                aggregator.failed(message.message)
    for shape in ("text", "json", "csv", "ndjson"):
        print_summary(aggregator.snapshot(), StringIO(), shape, odd_lines=True)
