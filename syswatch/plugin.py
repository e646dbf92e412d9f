"""The twistd plugin: `twistd syswatch …`."""

import atexit
import os
import sys
from collections.abc import Sequence

import attrs
from twisted.application.service import IService
from twisted.python import usage

from syswatch.config import Action, Answer, Config, Remote
from syswatch.options import USAGE_STATUS
from syswatch.options import Options as _Options
from syswatch.service.reactor import Reactor, the_reactor
from syswatch.speech import say
from syswatch.streams import answer
from syswatch.top import Top
from syswatch.watch import Watch
from syswatch.web.listen import AddressError


class Options(_Options):
    """The command line, with errors as this program words them rather than as twistd does."""

    def parseOptions(self, options: list[str] | None = None) -> None:
        """Parse; a mistake is one line and status 2."""
        try:
            _check_words(sys.argv[1:] if options is None else options)
            super().parseOptions(options)
            self.checked = self.action()
        except usage.UsageError as error:
            say(str(error))
            raise SystemExit(USAGE_STATUS) from error


def _check_words(words: Sequence[str]) -> None:
    """Refuse what could not be sent to the tracer, whose language knows text and no other bytes."""
    for word in words:
        raw = os.fsencode(word)
        try:
            raw.decode("utf-8")
        except UnicodeDecodeError as error:
            shown = raw.decode("utf-8", "backslashreplace")
            raise usage.UsageError(
                f"'{shown}' is not UTF-8; standard input, -, can stand for such a log, "
                "and a script for such a command"
            ) from error


def make(action: Action, reactor: Reactor) -> Watch | Top:
    """Make what does what was asked for; what needs no reactor is done at once."""
    match action:
        case Answer():
            if action.complaint:
                say(action.complaint)
                raise SystemExit(action.status)
            raise SystemExit(answer(f"{action.text}\n") or action.status)
        case Remote():
            return Top(reactor, action.url, action.token)
        case _:
            return Watch(reactor, action)


def makeService(options: Options) -> IService:
    """Make the service that does what the options say."""
    action = options.checked
    if isinstance(action, Config):
        _check_address(action)
        # A daemon has no screen; what it was started from is not its own.
        action = attrs.evolve(action, tui=False)
    reactor = the_reactor()
    service = make(action, reactor)

    def leave(status: int) -> None:
        if status:
            # twistd ends with status 0 whatever a service thinks; only this is later.
            atexit.register(_exit, status)
        # A service begins before the reactor does, and what does not run cannot be stopped.
        reactor.callWhenRunning(reactor.stop)

    service.finished.addCallback(leave)
    return service


def _check_address(config: Config) -> None:
    """Find out, while there is a terminal to tell it on, that nobody can listen there."""
    if config.serving is None:
        return
    try:
        config.serving.address.check()
    except AddressError as error:
        say(str(error))
        raise SystemExit(USAGE_STATUS) from error


def _exit(status: int) -> None:
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(status)
