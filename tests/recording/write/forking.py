"""
Starts recorders that feed themselves, without loading the packages for each of them.

Each line of standard input names a directory, to which a recorder writes until it is killed.  Its
PID is printed, then its reports, and an empty line when it has ended.
"""

import os
import sys
import time
from contextlib import suppress
from pathlib import Path
from typing import NoReturn

from syswatch.codec.event_frames import Kind, Text, encode, header_of_events
from syswatch.codec.frames import encode as encode_message
from syswatch.model.delta import Delta
from syswatch.model.messages import Started
from syswatch.model.objects import ObjectInfo, ObjectKind
from syswatch.recording.manifest import Manifest
from syswatch.recording.write import feeding
from syswatch.recording.write.feeding import Feeder
from syswatch.recording.write.output import OutputThread
from syswatch.recording.write.parquet import encoded
from syswatch.recording.write.recorder import Recorder
from syswatch.recording.write.tables import calls_of

from .test_tables import event

_AT_ONCE = 50
# Tracers send several times a second.
_PAUSE_S = 0.005


def main() -> None:
    """Start recorders until standard input ends."""
    encoded(calls_of(event(1), {}))
    for line in sys.stdin:
        pid = os.fork()
        if not pid:
            _record(Path(line.rstrip("\n")))
        _print(str(pid))
        os.waitpid(pid, 0)
        _print("")


def _print(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


def _record(folder: Path) -> None:
    events_fd, sending_fd = os.pipe()
    frames_fd, frames_sending_fd = os.pipe()
    if not os.fork():
        os.close(events_fd)
        os.close(frames_fd)
        _send(sending_fd, frames_sending_fd)
    os.close(sending_fd)
    os.close(frames_sending_fd)
    feeding.REPORT_S = 0.01
    recorder = Recorder(folder, Manifest(begun_ns=0), segment_s=0.02)
    Feeder([OutputThread(recorder)], events_fd, frames_fd, sys.stdout.fileno()).run()


def _send(events_fd: int, frames_fd: int) -> NoReturn:
    """Send events until the recorder is killed."""
    with suppress(BrokenPipeError):
        _send_until_closed(events_fd, frames_fd)
    os._exit(0)


def _send_until_closed(events_fd: int, frames_fd: int) -> None:
    os.write(frames_fd, encode_message(Started("ptrace")))
    at = 0
    while True:
        texts = [Text(7, at, f"number {at}", "1")]
        events = b"".join(event(at + each) for each in range(_AT_ONCE))
        data = encode(Kind.TEXTS, texts) + header_of_events(len(events)) + events
        os.write(events_fd, data)
        info = ObjectInfo(ObjectKind.FILE, f"/{at}")
        os.write(frames_fd, encode_message(Delta(objects={info.id: info})))
        at += _AT_ONCE
        time.sleep(_PAUSE_S)


if __name__ == "__main__":
    main()
