"""The twistd plugin: `twistd syswatch …`."""

import atexit
import os
import signal
import sys
from collections.abc import Mapping
from contextlib import suppress
from typing import Any, cast

from syswatch.base.streams import repair

# Now: with the next import comes a reactor.  Were it to open what it needs in the place of a
# standard stream, twistd would put its own nothing there when it goes into the background.
repair()

import attrs
from twisted.application.service import IService
from twisted.internet.error import ReactorNotRunning

from syswatch.app.actions import Options, make
from syswatch.app.logfile import Logging, ReopenedLog, name_of_log
from syswatch.options import USAGE_STATUS
from syswatch.options.config import Config
from syswatch.service.announcing import announce
from syswatch.service.reactor import Reactor, global_reactor
from syswatch.settings.address import AddressError
from syswatch.web.listen import check

__all__ = ["Options", "makeService"]


def makeService(options: Options) -> IService:
    """Make the service that does what the options say."""
    action = options.checked
    if isinstance(action, Config):
        _check_screen(options)
        _check_address(action)
        # A daemon has no screen; what it was started from is not its own.
        action = attrs.evolve(action, tui=False)
    reactor = global_reactor()
    service = make(action, reactor)

    def leave(status: int) -> None:
        if status:
            # twistd ends with status 0 whatever a service thinks; only this is later.
            atexit.register(_exit, status)
        # A service begins before the reactor does, and what does not run cannot be stopped.
        reactor.callWhenRunning(_stop, reactor)

    service.finished.addCallback(leave)
    return _logging(service, cast("Mapping[str, Any]", options.parent), reactor)


def _logging(service: IService, twistd: Mapping[str, Any], reactor: Reactor) -> IService:
    """Have the service write to the log file of twistd, and take SIGHUP for what it means here."""
    log = _log_file(name_of_log(twistd))
    if log is not None:
        log.rotate_on_request(reactor)
    if twistd["nodaemon"]:
        reactor.callWhenRunning(_stop_when_hung_up, reactor)
    else:
        # A daemon has no terminal that could go away: whatever sends SIGHUP has moved the log.
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
    # It may be stopping already: somebody was impatient, or the watch ends because of it.
    with suppress(ReactorNotRunning):
        reactor.stop()


def _stop_when_hung_up(reactor: Reactor) -> None:
    """Take SIGHUP for SIGTERM, unless it is ignored: clients and a report are not to be cut off."""
    if signal.getsignal(signal.SIGHUP) is signal.SIG_DFL:
        signal.signal(signal.SIGHUP, lambda *_: reactor.callFromThread(_stop, reactor))


def _check_screen(options: Options) -> None:
    """Refuse what was asked for and cannot be."""
    if options.subOptions.given("tui") == "always":
        announce("--tui always: a daemon has no screen, use syswatch without twistd")
        raise SystemExit(USAGE_STATUS)


def _check_address(config: Config) -> None:
    """Find out, while there is a terminal to tell it on, that nobody can listen there."""
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
