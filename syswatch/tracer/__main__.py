"""
The tracer child: `python -m syswatch.tracer`.

The service writes one job to descriptor 4 and reads frames from descriptor 3.  Descriptors 0, 1
and 2 are the user's own: a traced program inherits them.  With `--without-terminal` it leaves the
terminal that it was started on, and so does a program that it starts: somebody draws there.
"""

import gc
import os
import select
import signal
import sys
import traceback
from types import ModuleType

from syswatch.model.messages import Attach, Failed, ReadLogs, RunCommand, TraceOptions
from syswatch.wire import Decoder, Message

from .choice import EBPF, UnsupportedError, choose
from .outbox import Outbox

FRAMES_FD = 3
CONTROL_FD = 4
_ROWS = 50_000
_TERMINAL_SIGNALS = (signal.SIGINT, signal.SIGQUIT)


def receive_job() -> Message | None:
    """Wait for the job; None when the service has gone before it gave one."""
    decoder = Decoder()
    # Not a byte more: a signal to pass on may stand behind the job already.
    while data := os.read(CONTROL_FD, decoder.missing):
        decoder.receive_data(data)
        for message in decoder.events():
            return message
    return None


def service_spoke() -> bool:
    """Say whether the service has said another word, or has gone: both mean to stop reading."""
    return bool(select.select([CONTROL_FD], [], [], 0)[0])


def _backend(options: TraceOptions) -> ModuleType:
    """Return the backend that is to trace, and tell the user which and why."""
    name, why = choose(options)
    if why:
        sys.stderr.write(f"syswatch: {why}\n")
    if name == EBPF:
        from .ebpf import backend as ebpf

        return ebpf
    from .ptrace import backend as ptrace

    return ptrace


def _attach(job: Attach, outbox: Outbox) -> None:
    from .whereabouts import AbsentError, located

    try:
        job = located(job, service_spoke)
    except AbsentError as error:
        outbox.finish(Failed(str(error)))
    else:
        _backend(job.options).attach(job, outbox, CONTROL_FD)


def main() -> int:
    """Do one job."""
    if "--without-terminal" in sys.argv:
        os.setsid()
    # The terminal's Ctrl+C and Ctrl+\ go to the whole group; the service decides what they mean.
    dispositions: dict[int, object] = {
        number: signal.signal(number, signal.SIG_IGN) for number in _TERMINAL_SIGNALS
    }
    outbox = Outbox(FRAMES_FD)
    job = receive_job()
    try:
        match job:
            case ReadLogs():
                from .stracelog.reader import LogReader

                # Rows of a log come by the thousand and hold no cycles.
                gc.set_threshold(_ROWS)
                LogReader(job, outbox, service_spoke).run()
            case RunCommand():
                _backend(job.options).run_command(job, outbox, CONTROL_FD, dispositions)
            case Attach():
                _attach(job, outbox)
            case _:
                return 1
    except UnsupportedError as error:
        outbox.finish(Failed(str(error)))
        return 1
    except BrokenPipeError:
        return 1  # The service has gone: nobody is left to tell.
    except Exception as error:  # noqa: BLE001  a user gets a sentence, whatever it is
        if isinstance(job, RunCommand | Attach) and job.options.debug:
            traceback.print_exc()
        outbox.finish(Failed(f"the tracer broke: {type(error).__name__}: {error}"))
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
