"""The two jobs of this tracer, from the first message to the last."""

import traceback
from collections.abc import Mapping
from functools import partial

from syswatch.base.streams import print_message
from syswatch.machine.capabilities import read_facts
from syswatch.machine.doctor import explain_ptrace_denied
from syswatch.machine.limits import describe_failure
from syswatch.model.filters import FilterError, traced_names
from syswatch.model.messages import Attach, Ended, Failed, RunCommand, TraceOptions
from syswatch.tracer.control import Control
from syswatch.tracer.identity import AttachError
from syswatch.tracer.launch import Launch, LaunchError, launch
from syswatch.tracer.naming import machine, numbers_of
from syswatch.tracer.outbox import Outbox

from . import abi
from .attach import Attacher
from .calls import ARCHITECTURES, RUNS, CallTable, seen_anyway
from .diagnostics import Diagnostics
from .launching import escort
from .letting_go import stay_without_watching
from .lifecycle import Lifecycle
from .loop import Loop
from .observer import Observer
from .placement import Placement
from .recorder import Recorder
from .seccomp import Filter, build, install, is_behind_filter
from .selection import Selection
from .successor import appoint
from .threads import Threads

_EVENTS = abi.O_TRACESYSGOOD | abi.O_TRACEEXEC | abi.O_TRACECLONE
_CHILDREN = abi.O_TRACEFORK | abi.O_TRACEVFORK
_USAGE_ERROR = 2


def run_command(
    job: RunCommand,
    outbox: Outbox,
    control_fd: int,
    dispositions: Mapping[int, object],
    notice: str = "",
) -> None:
    """
    Start a command and trace it, with all it starts, to the end of the last.

    `dispositions` are the signal handlers that the tracer was started with.  The user is told the
    notice as soon as nothing can go wrong any more.
    """
    try:
        names = traced_names(job.options.trace, machine())
        seccomp = _filter(job.options, names)
        loop = _make_loop(job.options, names, outbox, Control(control_fd))
        loop.filter_calls(filtered=seccomp is not None)
        options = _options(job.options)
        waiting = launch(job, dispositions, *([partial(install, seccomp)] if seccomp else []))
        _take_hold(waiting, _filtered(options) if seccomp else options)
        escort(loop, loop.lifecycle.begin(waiting.pid), waiting)
    except FilterError as error:
        outbox.finish(Failed(str(error), _USAGE_ERROR))
    except LaunchError as error:
        outbox.finish(Failed(str(error), error.exit_status))
    except PermissionError:
        outbox.finish(Failed(explain_ptrace_denied(None, read_facts())))
    else:
        _trace(loop, outbox, notice)


def attach(job: Attach, outbox: Outbox, control_fd: int, notice: str = "") -> None:
    """Trace processes that run already, until they end or are let go."""
    try:
        names = traced_names(job.options.trace, machine())
        loop = _make_loop(job.options, names, outbox, Control(control_fd))
        attacher = Attacher(loop.lifecycle, _options(job.options), job.options.follow_children)
        attacher.attach(job.pids)
    except FilterError as error:
        outbox.finish(Failed(str(error), _USAGE_ERROR))
    except AttachError as error:
        # What was taken hold of is let go by the kernel, when this process ends.
        outbox.finish(Failed(str(error)))
    else:
        _trace(loop, outbox, notice)


def _take_hold(waiting: Launch, options: int) -> None:
    """Trace a process that waits to become the command; if that is refused it never will."""
    try:
        abi.seize(waiting.pid, options)
    except OSError:
        waiting.abandon()
        raise


def _trace(loop: Loop, outbox: Outbox, notice: str) -> None:
    """Say who is traced, trace, and say how it ended."""
    ending: Ended | Failed
    if notice:
        print_message(notice)
    loop.recorder.introduce(loop.lifecycle.main_pid)
    loop.control.start()
    loop.recorder.start()
    try:
        loop.run()
        ending = loop.lifecycle.ending
    except BrokenPipeError:
        ending = Failed("the service has gone")
    except Exception as error:  # noqa: BLE001  whatever it is, the service must hear of it
        if loop.diagnostics is not None:
            print_message(*traceback.format_exc().splitlines())
        ending = Failed(describe_failure(error))
    loop.control.stop()
    if loop.diagnostics is not None:
        loop.diagnostics.close()
    try:
        loop.recorder.finish(ending)
    finally:
        if loop.filtered:
            outbox.close()
            stay_without_watching()


def _make_loop(
    options: TraceOptions, names: frozenset[str] | None, outbox: Outbox, control: Control
) -> Loop:
    """Make every part, in the order in which they know each other."""
    threads = Threads()
    recorder = Recorder(options, outbox)
    placement = Placement(options.colocate, threads)
    selection = Selection(options)
    observer = Observer(recorder, selection, placement, options.follow_children)
    calls = CallTable(
        names,
        lambda architecture, name: recorder.formatter(architecture).needs_entry(name),
        choosy=selection.choosy,
    )
    return Loop(
        lifecycle=Lifecycle(options, threads, recorder.collector, observer, placement),
        calls=calls,
        recorder=recorder,
        observer=observer,
        placement=placement,
        control=control,
        diagnostics=Diagnostics() if options.debug else None,
    )


def _options(options: TraceOptions) -> int:
    # Threads are made by clone, so that is followed in any case.
    followed: int = _EVENTS | (_CHILDREN if options.follow_children else 0)
    return followed


def _filtered(options: int) -> int:
    """
    Return the options for a command with a filter.

    Without a tracer it would go on with calls that fail for no reason of its own.  Where nobody
    can take over from one that is killed, it is better that the command dies, too.
    """
    options |= abi.O_TRACESECCOMP
    return options if appoint(options) else options | abi.O_EXITKILL


def _filter(options: TraceOptions, names: frozenset[str] | None) -> Filter | None:
    """Return the filter for the kernel; without following children it would catch them, too."""
    if names is None or not options.follow_children or is_behind_filter():
        return None
    wanted = names | seen_anyway(colocate=options.colocate)
    return build({arch: numbers_of(ARCHITECTURES[arch], wanted) for arch in RUNS[machine()]})
