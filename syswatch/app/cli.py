"""
The command: `syswatch …`.

Nothing of ours is imported at the top.  Until `main` runs, Ctrl+C is a traceback, so that must be
soon; and some modules install a reactor by being imported, and one that is installed stays.
"""

import os
import resource
import signal
import sys
from collections.abc import Sequence
from types import FrameType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from syswatch.options.config import Action

_FAILED = 1


def main(arguments: Sequence[str] | None = None) -> None:
    """Parse the command line, do what it says, and exit with a fitting status."""
    # Nothing has begun that would have to be put in order: a Ctrl+C may simply end us.
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    from syswatch.base.streams import print_message
    from syswatch.machine.limits import need_memory, shortage

    try:
        need_memory()
        _main(arguments)
    except (MemoryError, ImportError, OSError) as error:
        why = shortage(error)
        if why is None:
            raise
        print_message(f"cannot start: {why}")
        sys.exit(_FAILED)


def _main(arguments: Sequence[str] | None) -> None:
    from syswatch.base.streams import repair
    from syswatch.terminal.availability import may_start_ui, unavailable_reason

    repair()
    words = list(sys.argv[1:] if arguments is None else arguments)
    has_asyncio = may_start_ui(words) and not unavailable_reason(sys.__stdin__, sys.__stdout__)
    if has_asyncio:
        from twisted.internet import asyncioreactor

        asyncioreactor.install()
    from syswatch.app.actions import Options

    options = Options()
    options.parseOptions(words)
    sys.exit(_run(_possible(options.checked, has_asyncio=has_asyncio)))


def _possible(action: "Action", *, has_asyncio: bool) -> "Action":
    """Do without a screen where the reactor is not the one it needs."""
    import attrs

    from syswatch.options.config import Config

    if not isinstance(action, Config):
        return action
    return attrs.evolve(action, tui=action.tui and has_asyncio)


def _run(action: "Action") -> int:
    from syswatch.app import logs
    from syswatch.app.actions import make
    from syswatch.app.watch import Watch
    from syswatch.options.config import Config
    from syswatch.service.announcing import announce
    from syswatch.service.reactor import global_reactor

    if isinstance(action, Config) and action.hint:
        announce(action.hint)
    logs.begin(action.log_format if isinstance(action, Config) else "text")
    reactor = global_reactor()
    service = make(action, reactor)
    statuses = []

    def begin() -> None:
        # Only now: the reactor installs its own handlers when it starts.
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, take)
        # With nohup a terminal may go away; else there are a summary and a report to be written.
        if signal.getsignal(signal.SIGHUP) is not signal.SIG_IGN:
            signal.signal(signal.SIGHUP, take)
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
    if isinstance(service, Watch) and service.death_signal:
        _die_of(service.death_signal)
    return statuses[0] if statuses else 1


def _die_of(number: int) -> None:
    """End as the command did: a shell tells a death by signal from a status above 128."""
    # The command has left the core that is wanted, if any.
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    if number != signal.SIGKILL:
        signal.signal(number, signal.SIG_DFL)
    os.kill(os.getpid(), number)
