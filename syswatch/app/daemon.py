"""The twistd plugin: `twistd syswatch`."""

import atexit
import os
import signal
import sys
from collections.abc import Mapping
from contextlib import suppress
from typing import Any, cast

from syswatch.base.streams import replace_closed_streams

# Before the next import, which installs a reactor.  If the reactor opened a file in place of a
# closed standard stream, twistd would redirect that file when it goes into the background.
replace_closed_streams()

import attrs
from twisted.application.service import IService
from twisted.internet.error import ReactorNotRunning
from twisted.python import usage

from syswatch.app.command_line import parse
from syswatch.app.garbage import begin_collecting
from syswatch.app.logfile import Logging, ReopenedLog, name_of_log
from syswatch.app.services import make_service
from syswatch.app.tracing import TracingService
from syswatch.model.messages import ReadLogs
from syswatch.options import USAGE_STATUS
from syswatch.options.config import Check, Config, Profiling, Remote
from syswatch.service.announcing import announce
from syswatch.service.listening import check
from syswatch.service.reactor import Reactor, global_reactor
from syswatch.settings.address import AddressError

__all__ = ["Options", "makeService"]


class Options(usage.Options):
    """The command line of `twistd syswatch`, parsed as that of `syswatch`."""

    action: Config | Remote

    def parseOptions(self, options: list[str] | None = None) -> None:
        """Parse; a mistake is one line and status 2, as without twistd."""
        action = parse(list(options or ()))
        if isinstance(action, Check | Profiling):
            name = "check" if isinstance(action, Check) else "profile"
            announce(f"{name}: it is not a service; use syswatch without twistd")
            raise SystemExit(USAGE_STATUS)
        self.action = action


def makeService(options: Options) -> IService:
    """Make the service that does what the options ask for."""
    action = options.action
    twistd = cast("Mapping[str, Any]", options.parent)
    if isinstance(action, Config):
        _check_screen(action)
        _check_standard_input(action, is_daemon=not twistd["nodaemon"])
        _check_address(action)
        # A daemon has no screen, and the terminal it was started from is not its own.
        action = attrs.evolve(action, tui=False)
    reactor = global_reactor()
    service = make_service(action, reactor)
    if isinstance(service, TracingService) and twistd["uid"] is not None:
        # Another user may not be permitted to read the interpreter and its packages.
        service.prepare()

    def leave(status: int) -> None:
        if status:
            # twistd exits with status 0 whatever a service returns; only this runs later.
            atexit.register(_exit, status)
        # A service starts before the reactor does, and a reactor that is not running cannot stop.
        reactor.callWhenRunning(_stop, reactor)

    service.finished.addCallback(leave)
    reactor.callWhenRunning(begin_collecting)
    return _logging(service, twistd, reactor)


def _logging(service: IService, twistd: Mapping[str, Any], reactor: Reactor) -> IService:
    """Have the service write to twistd's log file, and handle SIGHUP as a daemon does."""
    log = _log_file(name_of_log(twistd))
    if log is not None:
        log.rotate_on_request(reactor)
    if twistd["nodaemon"]:
        reactor.callWhenRunning(_stop_on_hangup, reactor)
    else:
        # A daemon has no terminal that could go away: SIGHUP means that the log was moved.
        signal.signal(signal.SIGHUP, lambda *_: _reopen(log, reactor))
    if log is None:
        return service
    logging = Logging(log)
    service.setServiceParent(logging)
    return logging


def _reopen(log: ReopenedLog | None, reactor: Reactor) -> None:
    if log is not None:
        reactor.callFromThread(log.reopen)


def _log_file(name: str) -> ReopenedLog | None:
    try:
        return ReopenedLog.open(name) if name else None
    except OSError as error:
        announce(f"--logfile: {name}: {error.strerror}")
        raise SystemExit(USAGE_STATUS) from error


def _stop(reactor: Reactor) -> None:
    # It may be stopping already, because of a second signal or because the service has finished.
    with suppress(ReactorNotRunning):
        reactor.stop()


def _stop_on_hangup(reactor: Reactor) -> None:
    """Treat SIGHUP as SIGTERM unless it is ignored, so that clients and a report are completed."""
    if signal.getsignal(signal.SIGHUP) is signal.SIG_DFL:
        signal.signal(signal.SIGHUP, lambda *_: reactor.callFromThread(_stop, reactor))


def _check_screen(config: Config) -> None:
    if config.tui_required:
        announce("--tui always: a daemon has no screen; use syswatch without twistd")
        raise SystemExit(USAGE_STATUS)


def _check_standard_input(config: Config, *, is_daemon: bool) -> None:
    """Refuse to read standard input in a daemon, in which twistd replaces it by /dev/null."""
    if is_daemon and isinstance(config.job, ReadLogs) and "-" in config.job.files:
        announce("stats -: a daemon has no standard input; use twistd --nodaemon")
        raise SystemExit(USAGE_STATUS)


def _check_address(config: Config) -> None:
    """Check the listen address while there is a terminal to print an error on."""
    if config.serving is None:
        return
    try:
        check(config.serving.address)
    except AddressError as error:
        announce(str(error))
        raise SystemExit(USAGE_STATUS) from error


def _exit(status: int) -> None:
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(status)
