"""
How the program `syswatch` starts.

Nothing of syswatch is imported at the top: some modules install a reactor when they are imported,
which cannot be undone.
"""

import gc
import os
import resource
import signal
import sys
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext, suppress
from functools import partial
from importlib import import_module
from types import FrameType
from typing import TYPE_CHECKING, NoReturn, cast

if TYPE_CHECKING:
    from socket import socket

    from syswatch.app.tracing import TracingService
    from syswatch.codec.frames import Job
    from syswatch.options.config import Check, Config, Profiling, Remote
    from syswatch.service.early_start import EarlyTracer
    from syswatch.service.reactor import Reactor
    from syswatch.settings.address import Address

_FAILED = 1
_TRACING = (["run"], ["attach"], ["stats"])
_PTRACE = "ptrace"
_HELP = frozenset({"-h", "--help"})


def run() -> NoReturn:
    """Start, and end without taking the interpreter apart, which takes 5 ms."""
    status: object = 0
    try:
        start()
    except SystemExit as end:
        status = end.code
    for stream in filter(None, (sys.stdout, sys.stderr)):
        # What can be written has been; a reader may have closed the rest.
        with suppress(OSError, ValueError):
            stream.flush()
    os._exit(status if isinstance(status, int) else bool(status))


def start(arguments: Sequence[str] | None = None) -> None:
    """Parse the command line, run it, and exit with its status."""
    from syswatch.base.streams import print_message
    from syswatch.machine.limits import need_memory, shortage

    try:
        need_memory()
        _start(arguments)
    except (MemoryError, ImportError, OSError) as error:
        why = shortage(error)
        if why is None:
            raise
        print_message(f"cannot start: {why}")
        sys.exit(_FAILED)


def _start(arguments: Sequence[str] | None) -> None:
    # What is imported stays: looking for garbage in it takes a tenth of the time.
    gc.disable()
    from syswatch.base.streams import replace_closed_streams

    replace_closed_streams(refuse_output=True)
    words = list(sys.argv[1:] if arguments is None else arguments)
    forked = _fork_tracer(words)
    early = None
    try:
        from syswatch.app.command_line import parse
        from syswatch.options.config import Config

        action = parse(words)
        if isinstance(action, Config):
            _print_notes(action)
            early = _begin(forked, action)
        if forked is not None and early is None:
            forked.close()
        sys.exit(_run(action, early))
    finally:
        if forked is not None:
            forked.close()


def _fork_tracer(words: Sequence[str]) -> "EarlyTracer | None":
    """Start a tracer if one is probably needed."""
    if words[:1] not in _TRACING or not _HELP.isdisjoint(words):
        return None
    from syswatch.service.early_start import EarlyTracer

    return EarlyTracer.fork(partial(_prepare, words), _trace)


def _prepare(words: Sequence[str]) -> None:
    """Import what a tracer needs first, as far as that is known before the words are parsed."""
    if words[0] == "stats":
        import_module("syswatch.tracer.inputs.input_reader")
        return
    import_module("syswatch.tracer.driver")
    # If a word means something else, only a moment is lost.
    import_module("syswatch.tracer.decode" if _PTRACE in words else "syswatch.tracer.ebpf.backend")


def _print_notes(config: "Config") -> None:
    from syswatch.base.streams import print_message

    for note in config.notes:
        print_message(note)


def _begin(forked: "EarlyTracer | None", config: "Config") -> "EarlyTracer | None":
    """Let a tracer begin its job, unless that depends on what comes later; return it then."""
    from syswatch.model.messages import ReadLogs, RunCommand

    # No command may run before a recorder is ready, but the calls of a log can wait for it.
    records = bool(config.reporting.recording or config.reporting.calls)
    if forked is None or (records and not isinstance(config.job, ReadLogs)):
        return None
    serving = config.serving
    if serving:
        forked.ports = _open_ports(serving.address)
    # If the port is in use, nothing can be pushed, or the terminal cannot be taken over, no command
    # is started; other targets are only left again.  A baseline may be a server that does not
    # answer.
    may_fail = ((serving and not forked.ports) or config.push or config.tui) and isinstance(
        config.job, RunCommand
    )
    is_held = bool(may_fail or (serving and serving.baselines))
    if not forked.begin(config.job, is_held=is_held, records=records, has_streams=config.tui):
        return None
    # A server that cannot listen, or a terminal that cannot be taken over, must leave no directory
    # behind.
    is_simple = not (serving or config.push or config.tui)
    if config.reporting.recording and is_simple:
        _start_recorder(forked, config.reporting.recording)
    return forked


def _open_ports(address: "Address") -> "Sequence[socket]":
    """Return sockets that listen, unless that needs a reactor or is not possible."""
    from syswatch.service.listening import listening
    from syswatch.settings.address import AddressError

    try:
        return listening(address)
    except AddressError:  # The server tries again, and reports why.
        return ()


def _start_recorder(early: "EarlyTracer", folder: str) -> None:
    """Start the recorder of a log."""
    from syswatch.recording.extra import UnwritableError
    from syswatch.recording.write.claim import claim

    try:
        claim(folder)
    except UnwritableError:  # The service tries again, and reports why.
        return
    early.start_recorder(_record, folder)


def _record(arguments: Sequence[str]) -> int:
    """Run a recorder in this process."""
    from syswatch.recording.write.__main__ import main as record

    gc.enable()
    return record(arguments)


def _trace(arguments: Sequence[str], job: "Job") -> int:
    """Run a tracer in this process."""
    from syswatch.tracer.__main__ import main as trace

    gc.freeze()
    gc.enable()
    return trace(arguments, job)


def _run(action: "Config | Remote | Check | Profiling", early: "EarlyTracer | None") -> int:
    from syswatch.base.lazy import import_lazily

    # Twisted imports them for others: clients of HTTP take as long as its reactor, and what shows
    # failures in HTML as long as its server.
    import_lazily("http.cookiejar")
    import_lazily("twisted.web.util")
    from syswatch.app import logs
    from syswatch.app.garbage import begin_collecting
    from syswatch.app.services import make_service
    from syswatch.options.config import Config
    from syswatch.service.reactor import global_reactor

    config = action if isinstance(action, Config) else None
    logs.begin(config.log_format if config else "text")
    with _imports(config):
        if config and config.tui:
            # Textual needs asyncio; the reactor must be chosen before anything imports one.
            from twisted.internet import asyncioreactor

            asyncioreactor.install()
        reactor = global_reactor()
        service = make_service(action, reactor, early)
    begin_collecting()
    statuses = []
    tracing = cast("TracingService", service) if config else None
    if tracing is not None and tracing.can_save:
        # As soon as possible: without a handler it would end the process.
        signal.signal(signal.SIGUSR1, partial(_save, tracing, reactor))

    def begin() -> None:
        # Only now: the reactor installs its own handlers when it starts.
        _handle_signals(take)
        if early is not None:
            early.release_signals()
        service.startService()

    def take(number: int, _frame: FrameType | None) -> None:
        reactor.callFromThread(service.interrupt, number)

    def leave(status: int) -> None:
        statuses.append(status)
        reactor.stop()

    service.finished.addCallback(leave)
    reactor.callWhenRunning(begin)
    reactor.addSystemEventTrigger("before", "shutdown", service.stopService)
    reactor.run()
    if tracing is not None and tracing.death_signal:
        _die_of(tracing.death_signal)
    return statuses[0] if statuses else 1


def _handle_signals(take: "Callable[[int, FrameType | None], None]") -> None:
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, take)
    # Under nohup the terminal may go away; otherwise a summary and a report must be written.
    for number in (signal.SIGHUP, signal.SIGQUIT):
        if signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, take)


def _imports(config: "Config | None") -> AbstractContextManager[None]:
    """Return a context in which nothing is imported that this run does not need."""
    from syswatch.service.reactor import without_tls

    if config is None or config.may_use_tls:
        return nullcontext()
    return without_tls(serves=config.serving is not None)


def _save(service: "TracingService", reactor: "Reactor", _: int, __: FrameType | None) -> None:
    """Save what the flight recorder keeps."""
    reactor.callFromThread(service.save_recording, "SIGUSR1")


def _die_of(number: int) -> None:
    """End as the command did: a shell distinguishes a signal from an exit status above 128."""
    # The command has dumped core already, if that was wanted.
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    if number != signal.SIGKILL:
        signal.signal(number, signal.SIG_DFL)
    os.kill(os.getpid(), number)
