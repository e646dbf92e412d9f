"""The ptrace backend, as the driver uses it."""

from typing import TYPE_CHECKING

import attrs

from syswatch.base.classes import define
from syswatch.base.redaction import Redactor
from syswatch.machine.capabilities import read_facts
from syswatch.machine.doctor import explain_ptrace_denied
from syswatch.model.delta import Delta
from syswatch.model.filters import traced_names
from syswatch.model.messages import Ended, RunCommand, TraceOptions
from syswatch.tracer.backend import Context
from syswatch.tracer.errors import TraceError
from syswatch.tracer.launch import Launch
from syswatch.tracer.naming import machine, numbers_of

from . import abi
from .attach import Attacher
from .calls import ARCHITECTURES, RUNS, CallTable, always_traced
from .detaching import resume_until_ended
from .launching import follow_to_execve
from .lifecycle import Lifecycle
from .loop import Loop
from .observer import Observer
from .placement import Placement
from .recorder import Recorder
from .seccomp import Filter, build, install, is_behind_filter
from .selection import Selection
from .successor import start_successor
from .threads import Thread, Threads

if TYPE_CHECKING:
    from .diagnostics import Diagnostics
    from .events import Events
    from .evidence import EvidenceCounter

_EVENTS = abi.O_TRACESYSGOOD | abi.O_TRACEEXEC | abi.O_TRACECLONE
_CHILDREN = abi.O_TRACEFORK | abi.O_TRACEVFORK


@define
class PtraceBackend:
    """Stops every traced thread at the entry and the exit of each traced call."""

    _context: Context
    _loop: Loop = attrs.field(init=False)
    _seccomp: Filter | None = attrs.field(default=None, init=False)
    _command: Thread = attrs.field(init=False)

    def prepare(self) -> None:
        """Build the filter for the kernel and the parts of the loop."""
        options = self._context.options
        names = traced_names(options.trace, machine())
        if isinstance(self._context.job, RunCommand):
            self._seccomp = _filter(options, names)
        self._loop = _make_loop(self._context, names)
        self._loop.filter_calls(filtered=self._seccomp is not None)

    def await_job(self) -> None:
        """Do nothing: all is imported."""

    def before_exec(self) -> None:
        """Put the command behind the filter."""
        if self._seccomp is not None:
            install(self._seccomp)

    def hold(self, pid: int) -> None:
        """Seize the process that waits to become the command."""
        self._loop.recorder.begin()
        options = _ptrace_options(self._context.options)
        try:
            abi.seize(pid, _filtered(options) if self._seccomp else options)
        except PermissionError as error:
            raise TraceError(explain_ptrace_denied(None, read_facts())) from error
        self._command = self._loop.lifecycle.begin(pid)

    def start(self, launch: Launch) -> None:
        """Let the process become the command."""
        follow_to_execve(self._loop, self._command, launch)

    def attach(self, pids: tuple[int, ...]) -> None:
        """Seize all threads; if that fails, the kernel detaches when this process ends."""
        self._loop.recorder.begin()
        options = self._context.options
        attacher = Attacher(self._loop.lifecycle, _ptrace_options(options), options.follow_children)
        attacher.attach(pids)

    def announce(self) -> None:
        """Describe the main process to the service."""
        self._loop.recorder.main_pid = self._loop.lifecycle.main_pid
        self._loop.recorder.announce()

    def follow(self) -> None:
        """Trace until the last thread has ended or tracing is stopped."""
        self._loop.control.start()
        self._loop.recorder.start()
        self._loop.run()

    def finish(self) -> Delta:
        """Stop the clock; return what has not been sent yet."""
        self._loop.control.stop()
        if self._loop.diagnostics is not None:
            self._loop.diagnostics.close()
        return self._loop.recorder.finish()

    def ending(self) -> Ended:
        """Return how the main process ended."""
        return self._loop.lifecycle.ending

    def close(self) -> None:
        """Stay as the tracer of a filtered command, whose calls would fail without one."""
        if self._loop.filtered:
            self._context.outbox.close()
            resume_until_ended()


create = PtraceBackend


def _make_loop(context: Context, names: frozenset[str] | None) -> Loop:
    options = context.options
    threads = Threads()
    activity = add_object = None
    if options.objects:
        from . import following

        activity, add_object = following.make_activity(options, threads), following.add_object
    recorder = Recorder(
        options, context.outbox, activity, _make_events(context), _make_evidence(options)
    )
    placement = Placement(options.colocate, threads)
    selection = Selection(options)
    calls = CallTable(
        names,
        lambda architecture, name: recorder.texts.formatter(architecture).needs_entry(name),
        selects=selection.selects,
        add_object=add_object,
        reads=options.read_arguments,
    )
    observer = Observer(recorder, selection, placement, calls, options.follow_children)
    return Loop(
        lifecycle=Lifecycle(
            options, threads, recorder.collector, observer, placement, activity=activity
        ),
        calls=calls,
        recorder=recorder,
        observer=observer,
        placement=placement,
        control=context.control,
        diagnostics=_make_diagnostics(options),
    )


def _make_events(context: Context) -> "Events | None":
    """Return what records every call, if that was asked for."""
    if context.events is None:
        return None
    from .events import Events, SharedTexts

    return Events(context.events, SharedTexts(context.options))


def _make_evidence(options: TraceOptions) -> "EvidenceCounter | None":
    """Return what counts evidence, if that was asked for."""
    if not options.profile:
        return None
    from .evidence import EvidenceCounter

    return EvidenceCounter(Redactor(options.redact))


def _make_diagnostics(options: TraceOptions) -> "Diagnostics | None":
    """Return what prints every stop, if that was asked for."""
    if not options.debug:
        return None
    from .diagnostics import Diagnostics

    return Diagnostics()


def _ptrace_options(options: TraceOptions) -> int:
    # Threads are made by clone, so that is followed in any case.
    followed: int = _EVENTS | (_CHILDREN if options.follow_children else 0)
    return followed


def _filtered(options: int) -> int:
    """
    Return the options for a command with a filter.

    Without a tracer, calls of the command would fail for no reason of its own.  Where no successor
    can take over from a killed tracer, it is better that the command is killed, too.
    """
    options |= abi.O_TRACESECCOMP
    return options if start_successor(options) else options | abi.O_EXITKILL


def _filter(options: TraceOptions, names: frozenset[str] | None) -> Filter | None:
    """Return the filter for the kernel; children that are not followed would be caught in it."""
    if names is None or not options.follow_children or is_behind_filter():
        return None
    wanted = names | always_traced(colocate=options.colocate)
    return build({arch: numbers_of(ARCHITECTURES[arch], wanted) for arch in RUNS[machine()]})
