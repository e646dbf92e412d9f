"""
The tracer child: `python -m syswatch.tracer FRAMES CONTROL [SIGNAL...] [FLAG...]`.

The service reads frames from the first of the two descriptors, and writes one job to the second.
All others are the user's own: a traced program inherits them, as it does the signals, which the
user ignores.  What stands in for a closed standard stream is closed when that program begins.
With `--without-terminal` it leaves the terminal that it was started on, and so does a program that
it starts: somebody draws there.  With `--held-back=SIGNAL` a signal is blocked, so that it cannot
break us off before we are ready.
"""

import gc
import os
import select
import signal
import sys
import traceback
from collections.abc import Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING

from syswatch.base.streams import print_message, repair
from syswatch.codec.frames import Decoder, Message
from syswatch.machine.limits import describe_failure
from syswatch.model.filters import FilterError
from syswatch.model.messages import Attach, Ended, Failed, ReadLogs, RunCommand

from .choice import EBPF, UnsupportedError, choose, replace_ebpf
from .dispositions import ignore_only
from .identity import AttachError
from .outbox import Outbox

if TYPE_CHECKING:
    from .ebpf.trace import Trace

_ROWS = 50_000
_USAGE_ERROR = 2
_WITHOUT_TERMINAL = "--without-terminal"
_HELD_BACK = "--held-back="
_TERMINAL_SIGNALS = (signal.SIGINT, signal.SIGQUIT)


def receive_job(control_fd: int) -> Message | None:
    """Wait for the job; None when the service has gone before it gave one."""
    decoder = Decoder()
    # Not a byte more: a signal to pass on may stand behind the job already.
    while data := os.read(control_fd, decoder.missing):
        decoder.receive_data(data)
        for message in decoder.events():
            return message
    return None


def service_spoke(control_fd: int) -> bool:
    """Say whether the service has said another word, or has gone: both mean to stop reading."""
    return bool(select.select([control_fd], [], [], 0)[0])


def _load(
    job: RunCommand | Attach, watched: RunCommand | Attach, outbox: Outbox, control_fd: int
) -> tuple["Trace | None", str]:
    """
    Return a trace with eBPF, or None for ptrace; and what to tell the user of the choice.

    `watched` is what eBPF is to do.  Whether it can be loaded is only known when it has been.
    """
    name, why = choose(job)
    trace = None
    if name == EBPF:
        from .ebpf.backend import EbpfError, load

        try:
            trace = load(watched, outbox, control_fd)
        except EbpfError as error:
            why = replace_ebpf(job, error)
    return trace, why


def _run_command(
    job: RunCommand, outbox: Outbox, control_fd: int, dispositions: Mapping[int, object]
) -> None:
    trace, notice = _load(job, job, outbox, control_fd)
    if trace is not None:
        from .ebpf import backend as ebpf

        ebpf.run_command(job, trace, dispositions, notice)
    else:
        from .ptrace import backend as ptrace

        ptrace.run_command(job, outbox, control_fd, dispositions, notice)


def _attach(job: Attach, outbox: Outbox, control_fd: int, held_back: set[int]) -> None:
    from .targets import WhereaboutsError, confined, located

    def must_stop() -> bool:
        return service_spoke(control_fd) or bool(held_back & signal.sigpending())

    try:
        found = located(job, must_stop)
    except WhereaboutsError as error:
        outbox.finish(Failed(str(error), error.exit_status))
        return
    if found is None:
        outbox.finish(Ended())
        return
    signal.pthread_sigmask(signal.SIG_UNBLOCK, held_back)
    job, folder = found
    watched = confined(job, folder) if folder else job
    trace, notice = _load(job, watched, outbox, control_fd)
    if trace is not None:
        from .ebpf import backend as ebpf

        ebpf.attach(job, trace, notice)
    else:
        from .ptrace import backend as ptrace

        ptrace.attach(job, outbox, control_fd, notice)


def settle(arguments: Sequence[str]) -> tuple[int, int]:
    """Take our place as the service wants it; return the descriptors of frames and control."""
    numbers = [int(word) for word in arguments if not word.startswith("--")]
    frames_fd, control_fd, *ignored = numbers
    for number in (frames_fd, control_fd):
        os.set_inheritable(number, False)  # noqa: FBT003  it has no name for it
    ignore_only(ignored)
    if _WITHOUT_TERMINAL in arguments:
        os.setsid()
    return frames_fd, control_fd


def main(arguments: Sequence[str]) -> int:
    """Do one job."""
    repair()
    frames_fd, control_fd = settle(arguments)
    held_back = {int(word.removeprefix(_HELD_BACK)) for word in arguments if _HELD_BACK in word}
    job = receive_job(control_fd)
    interrupts = held_back & signal.sigpending()
    # The terminal's Ctrl+C and Ctrl+\ go to the whole group; the service decides what they mean.
    dispositions: dict[int, object] = {
        number: signal.signal(number, signal.SIG_IGN) for number in _TERMINAL_SIGNALS
    }
    # While waiting for a name, it is looked at now and then.
    waits = isinstance(job, Attach) and job.wait
    signal.pthread_sigmask(signal.SIG_UNBLOCK, () if waits else held_back - interrupts)
    # Nobody could wait for the command whose starter ignores the ends of children.
    dispositions[signal.SIGCHLD] = signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    # Rows of a log and entries for it come by the thousand, and hold no cycles.
    gc.set_threshold(_ROWS)
    outbox = Outbox(frames_fd)
    try:
        match job:
            case ReadLogs():
                from .inputs.reader import InputReader

                InputReader(job, outbox, partial(service_spoke, control_fd)).run()
            case RunCommand() if interrupts:
                # It was meant for the command, which would have died of it.
                outbox.finish(Ended(exit_signal=min(interrupts)))
            case RunCommand():
                _run_command(job, outbox, control_fd, dispositions)
            case Attach():
                _attach(job, outbox, control_fd, held_back)
            case _:
                return 1
    except (UnsupportedError, AttachError) as error:
        outbox.finish(Failed(str(error)))
        return 1
    except FilterError as error:
        outbox.finish(Failed(str(error), _USAGE_ERROR))
        return 1
    except BrokenPipeError:
        return 1  # The service has gone: nobody is left to tell.
    except Exception as error:  # noqa: BLE001  a user gets a sentence, whatever it is
        if isinstance(job, RunCommand | Attach) and job.options.debug:
            print_message(*traceback.format_exc().splitlines())
        outbox.finish(Failed(describe_failure(error)))
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
