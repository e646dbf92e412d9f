"""The recorder as a process, fed by a test."""

import os
import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Self

from syswatch.codec.event_frames import Kind, Records, header_of_events
from syswatch.codec.event_frames import encode as encode_records
from syswatch.codec.frames import Message, encode
from syswatch.codec.recorder_reports import Report, ReportDecoder


class RunningRecorder:
    """The recorder of a directory, with the ends of its pipes that tracer and service have."""

    def __init__(self, folder: Path, *command: str) -> None:
        """Start it, perhaps by another command."""
        reading_fd, self.events_fd = os.pipe()
        self.ready_fd, signalling_fd = os.pipe()
        words = [sys.executable, "-m", "syswatch.recording.write"]
        self.process = subprocess.Popen(
            [*command, *words, *_arguments(folder, reading_fd, signalling_fd)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            pass_fds=[reading_fd, signalling_fd],
        )
        os.close(reading_fd)
        os.close(signalling_fd)

    def __enter__(self) -> Self:
        """Return this."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        """Kill what still runs."""
        self.close_events()
        os.close(self.ready_fd)
        self.process.kill()
        self.process.wait()
        for pipe in (self.process.stdin, self.process.stdout):
            assert pipe is not None
            with suppress(BrokenPipeError):
                pipe.close()

    def send(self, *messages: Message) -> None:
        """Send messages as the service passes them on."""
        assert self.process.stdin is not None
        self.process.stdin.write(b"".join(map(encode, messages)))
        self.process.stdin.flush()

    def send_events(self, events: bytes) -> None:
        """Send events as the tracer does."""
        self._write(header_of_events(len(events)) + events)

    def send_records(self, kind: Kind, records: Records) -> None:
        """Send texts, losses or lives as the tracer does."""
        self._write(encode_records(kind, records))

    def close_events(self) -> None:
        """Close the pipe as a tracer does that has ended."""
        if self.events_fd >= 0:
            os.close(self.events_fd)
        self.events_fd = -1

    def next_report(self) -> Report:
        """Wait for a report, and return it."""
        assert self.process.stdout is not None
        (report,) = ReportDecoder().receive_data(self.process.stdout.readline())
        return report

    def end(self, *messages: Message) -> Report:
        """Send the last messages, wait for the end, and return the last report."""
        self.close_events()
        with suppress(BrokenPipeError):
            self.send(*messages)
        output, _ = self.process.communicate()
        assert self.process.returncode == 0, self.process.returncode
        return ReportDecoder().receive_data(output)[-1]

    def _write(self, data: bytes) -> None:
        rest = memoryview(data)
        while rest:
            rest = rest[os.write(self.events_fd, rest) :]


def _arguments(folder: Path, events_fd: int, ready_fd: int) -> tuple[str, ...]:
    return f"--events={events_fd}", f"--ready={ready_fd}", f"--directory={folder}"
