"""
The recorder: `python -m syswatch.recording.write --events=DESCRIPTOR OUTPUT...`.

It reads events of the tracer from the descriptor, the frames of the tracer from standard input, and
reports to standard output how much it has written.  Outputs are `--directory=DIRECTORY`, a
recording, and a line for each call, to `--calls=FILE` or `--calls-descriptor=DESCRIPTOR`, perhaps
as JSON with `--calls-format=ndjson`.  With `--ready=DESCRIPTOR` it closes that descriptor when it
can write the recording.  `--keep=JSON` says how much of a recording is kept, and when that is
saved (`keeping.Keep`).  It ends when both inputs have been closed, so it outlives a service or a
tracer that is killed, and writes what has arrived.
"""

import gc
import os
import signal
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from syswatch.base.streams import replace_closed_streams
from syswatch.machine.memory import keep_freed_memory

from .about import about_this_trace
from .feeding import Feeder
from .output import OutputThread
from .recorder import Recorder

_EVENTS = "--events="
_READY = "--ready="
_DIRECTORY = "--directory="
_KEEP = "--keep="
_CALLS = "--calls="
_CALLS_DESCRIPTOR = "--calls-descriptor="
_JSON = "--calls-format=ndjson"
# Half a million calls: what a reader should still be interested in when it continues to read.
_MOST_UNREAD = 64 << 20
_STDIN, _STDOUT = 0, 1
_SWITCH_S = 0.0005
_OBJECTS = 50_000
# Of freed memory: the columns of a segment.
_KEPT_BYTES = 128 << 20
# They reach whole process groups; the service decides what they mean.
_SIGNALS = (signal.SIGINT, signal.SIGQUIT, signal.SIGTERM, signal.SIGHUP, signal.SIGUSR1)


def outputs(arguments: Sequence[str], ready_fds: Sequence[int] = ()) -> list[OutputThread]:
    """Return what to write; a recording closes a copy of the descriptor when it is ready."""
    # Only a recording needs large packages, and lines may wait for their reader.
    directories = (
        OutputThread(
            _recorder(Path(each), values_of(_KEEP, arguments)),
            ready_fd=os.dup(ready_fds[0]) if ready_fds else -1,
        )
        for each in values_of(_DIRECTORY, arguments)
    )
    return [*directories, *_lines(arguments)]


def _recorder(folder: Path, keep: Sequence[str]) -> Recorder:
    about = about_this_trace()
    if not keep:
        return Recorder(folder, about)
    # Most recordings keep everything.
    from syswatch.recording.keeping import decoded

    from .flight import FlightRecorder

    return FlightRecorder(folder, about, keep=decoded(keep[0]))


def _lines(arguments: Sequence[str]) -> Iterator[OutputThread]:
    files, descriptors = (values_of(each, arguments) for each in (_CALLS, _CALLS_DESCRIPTOR))
    if not (files or descriptors):
        return
    # All that decodes calls, which a recording does without.
    from syswatch.recording.lines.destination import Destination
    from syswatch.recording.lines.json_form import JSONForm
    from syswatch.recording.lines.lines_output import LinesOutput
    from syswatch.recording.lines.strace_form import StraceForm

    form = JSONForm if _JSON in arguments else StraceForm
    pipes = map(Destination.of_descriptor, map(int, descriptors))
    for each in (*map(Destination, files), *pipes):
        output = LinesOutput(each, form())
        yield OutputThread(output, _MOST_UNREAD, takes_frames=False, before_end=each.expect_end)


def values_of(flag: str, arguments: Sequence[str]) -> list[str]:
    """Return the values that were given with a flag."""
    return [each.removeprefix(flag) for each in arguments if each.startswith(flag)]


def main(arguments: Sequence[str]) -> int:
    """Record until both inputs have been closed."""
    for number in _SIGNALS:
        signal.signal(number, signal.SIG_IGN)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, _SIGNALS)
    replace_closed_streams()
    # What is imported stays; what arrives comes by the thousand, and holds no cycles.
    gc.freeze()
    gc.set_threshold(_OBJECTS)
    # A tracer that cannot write to its pipe waits for the thread that reads.
    sys.setswitchinterval(_SWITCH_S)
    # No linear algebra is done; each thread for it would take memory.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    # The allocator of Arrow would keep memory as well.
    os.environ.setdefault("ARROW_DEFAULT_MEMORY_POOL", "system")
    keep_freed_memory(_KEPT_BYTES)
    (events_fd,) = map(int, values_of(_EVENTS, arguments))
    os.set_blocking(_STDOUT, False)
    ready_fds = list(map(int, values_of(_READY, arguments)))
    threads = outputs(arguments, ready_fds)
    for descriptor in ready_fds:
        os.close(descriptor)
    Feeder(threads, events_fd, _STDIN, _STDOUT).run()
    # Without waiting for a disk that does not answer.
    os._exit(0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
