"""Starts the tracer as the service does, and collects its messages."""

import os
import select
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from functools import reduce
from operator import add
from typing import IO

import attrs

from syswatch.codec.frames import Decoder, Job, Message, encode
from syswatch.model.delta import Delta
from syswatch.model.messages import Ended, Failed, Started
from syswatch.model.now import ThreadNow

from .recorded import EventReader, Recorded

# Far more than any test needs; without it, a hanging tracer would block the tests.
PATIENCE_S = 120


@attrs.frozen
class Outcome:
    """Everything that a tracer has sent and printed."""

    messages: tuple[Message, ...]
    output: bytes
    errors: bytes
    # What it has sent to the recorder, if it was started with `records`.
    recorded: Recorded = attrs.field(factory=Recorded)
    # Added up once: a test asks for it often, and a slow machine sends many deltas.
    delta: Delta = attrs.field(init=False)

    @delta.default
    def _sum_of_deltas(self) -> Delta:
        return reduce(add, (m for m in self.messages if isinstance(m, Delta)), Delta())

    @property
    def counts(self) -> dict[str, tuple[int, int]]:
        """Return count and errors by name."""
        return {name: (tally.count, tally.errors) for name, tally in self.delta.calls.items()}

    @property
    def ending(self) -> Message | None:
        """Return the last message, None if the tracer ended without one."""
        last = self.messages[-1] if self.messages else None
        return last if isinstance(last, Ended | Failed) else None


@attrs.define
class Tracer:
    """A running tracer, with the other ends of its pipes."""

    process: "subprocess.Popen[bytes]"
    _frames: IO[bytes]
    _control: IO[bytes]
    _events: EventReader | None = None
    _decoder: Decoder = attrs.field(factory=Decoder, init=False)
    _messages: list[Message] = attrs.field(factory=list, init=False)

    @property
    def messages(self) -> Sequence[Message]:
        """Return the messages so far."""
        return self._messages

    def send(self, message: Message) -> None:
        """Send a message to the tracer."""
        self._control.write(encode(message))
        self._control.flush()

    def close_frames(self) -> int:
        """Close the pipe of frames, as a killed service would; return its inode."""
        inode = os.fstat(self._frames.fileno()).st_ino
        self._frames.close()
        return inode

    def close_control(self) -> None:
        """Close the control pipe, as a killed service would."""
        self._control.close()

    def receive(self) -> bool:
        """Wait for messages; return False if there are no more."""
        if not select.select([self._frames], [], [], PATIENCE_S)[0]:
            raise AssertionError(f"no message from the tracer: {self._messages[-3:]}")
        data = os.read(self._frames.fileno(), 65536)
        self._decoder.receive_data(data)
        self._messages += self._decoder.events()
        return bool(data)

    def receive_all(self) -> None:
        """Receive messages until the tracer closes its pipe."""
        while self.receive():
            pass

    def await_start(self) -> Started:
        """Wait until the trace has started."""
        while not any(isinstance(message, Started) for message in self._messages):
            if not self.receive():
                raise AssertionError(f"the tracer did not start: {self._messages}")
        return next(message for message in self._messages if isinstance(message, Started))

    def await_calls(self, name: str, count: int = 1) -> None:
        """Wait until some calls have been counted."""
        while (
            sum(
                m.calls[name].count
                for m in self._messages
                if isinstance(m, Delta) and name in m.calls
            )
            < count
        ):
            if not self.receive():
                raise AssertionError(f"the tracer ended before it counted {name}: {self._messages}")

    def await_callers(self, count: int) -> None:
        """Wait until calls of this many threads have been logged."""
        while (
            len({entry.pid for m in self._messages if isinstance(m, Delta) for entry in m.log})
            < count
        ):
            if not self.receive():
                raise AssertionError(
                    f"the tracer ended before it counted {count}: {self._messages}"
                )

    def await_end(self, pid: int) -> None:
        """Wait until the ending of a process has been reported."""
        while not any(
            delta.processes[pid].ending for delta in self._deltas() if pid in delta.processes
        ):
            if not self.receive():
                raise AssertionError(f"the tracer ended before process {pid} did: {self._messages}")

    def await_now(self, tid: int, *calls: str) -> ThreadNow:
        """Wait until a thread is reported to wait in one of some calls."""
        deadline = time.monotonic() + PATIENCE_S
        while time.monotonic() < deadline:
            for delta in self._deltas():
                thread = delta.now.threads.get(tid)
                if thread is not None and thread.call in calls and thread.waits:
                    return thread
            if not self.receive():
                break
        raise AssertionError(f"thread {tid} was never in {calls}: {self._messages[-3:]}")

    def _deltas(self) -> Iterator[Delta]:
        return (message for message in self._messages if isinstance(message, Delta))

    def finish(self) -> Outcome:
        """Wait for the end."""
        self.receive_all()
        output, errors = self.process.communicate(timeout=PATIENCE_S)
        self._frames.close()
        if not self._control.closed:
            self._control.close()
        recorded = Recorded() if self._events is None else self._events.finish(PATIENCE_S)
        return Outcome(tuple(self._messages), output or b"", errors or b"", recorded)


# Tests in the background ignore the signals of the terminal, and tests of profiles leave SIGPROF
# ignored; a target would inherit that.
NOTHING_IGNORED = ("env", "--default-signal=HUP,INT,QUIT,PROF")
TRACER = (sys.executable, "-m", "syswatch.tracer")


def start(  # noqa: PLR0913  what may differ between processes
    job: Job,
    *,
    stdin: int | None = None,
    prefix: Sequence[str] = (),
    flags: Sequence[str] = (),
    tracer: Sequence[str] = TRACER,
    records: bool = False,
) -> Tracer:
    """
    Start a tracer, with the prefix of another program if given, and send it a job.

    With `records`, it sends every call, which `finish` returns.
    """
    frames_out, frames_in = os.pipe()
    control_out, control_in = os.pipe()
    events_out, events_in = os.pipe() if records else (-1, -1)
    inherited = [frames_in, control_out, *([events_in] if records else [])]
    flags = [*flags, *([f"--events={events_in}"] if records else [])]
    process = subprocess.Popen(
        [*NOTHING_IGNORED, *prefix, *tracer, str(frames_in), str(control_out), *flags],
        # A library may have set variables that Python does not know, such as LINES.
        env=dict(os.environ),
        pass_fds=inherited,
        stdin=subprocess.DEVNULL if stdin is None else stdin,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    for descriptor in inherited:
        os.close(descriptor)
    started = Tracer(
        process,
        os.fdopen(frames_out, "rb", 0),
        os.fdopen(control_in, "wb"),
        EventReader(events_out) if records else None,
    )
    signal.alarm(0)
    started.send(job)
    return started


def run(
    job: Job, *, stdin: int | None = None, prefix: Sequence[str] = (), records: bool = False
) -> Outcome:
    """Let a tracer do a job to its end."""
    return start(job, stdin=stdin, prefix=prefix, records=records).finish()
