"""The services that do what the command line asks for."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from syswatch.options import USAGE_STATUS
from syswatch.options.config import Check, Config, Profiling, Remote
from syswatch.service.announcing import announce
from syswatch.service.early_start import EarlyTracer
from syswatch.service.reactor import Reactor

if TYPE_CHECKING:
    from syswatch.app.checked_command import CheckedCommand
    from syswatch.app.profiled_command import ProfiledCommand
    from syswatch.app.top import Top
    from syswatch.app.tracing import TracingService
    from syswatch.comparison.run import Run


def make_service(
    action: Config | Remote | Check | Profiling, reactor: Reactor, early: EarlyTracer | None = None
) -> "TracingService | Top | CheckedCommand | ProfiledCommand":
    """Return the service for an action, which alone is imported."""
    if isinstance(action, Remote):
        from syswatch.app.top import Top

        return Top(reactor, action.url, action.token)
    if isinstance(action, Check):
        from syswatch.app.checked_command import CheckedCommand
        from syswatch.app.checking import UNCHECKED, prepare

        # Before the command is started, and before signals are left to the reactor: a budget may be
        # a pipe that nothing is written to.
        prepared = prepare(action)
        if prepared is None:
            raise SystemExit(UNCHECKED)
        return CheckedCommand(reactor, prepared)
    if isinstance(action, Profiling):
        from syswatch.app.profiled_command import ProfiledCommand

        return ProfiledCommand(reactor, action)
    from syswatch.app.tracing import TracingService

    return TracingService(reactor, action, early, _baselines(action))


def _baselines(config: Config) -> "Sequence[Run]":
    """Read what the trace is compared with, before anything is started; exit if that fails."""
    sources = config.serving.baselines if config.serving else ()
    if not sources:
        return ()
    # Other runs do without what this imports.
    from syswatch.comparison.sources import SourceError, TokenNeededError, read_apart

    try:
        return read_apart(sources)
    except TokenNeededError as error:
        # --http-token is the token of this server.
        announce(
            f"{error.url} requires a token (save its /api/summary to a file, and name that instead)"
        )
    except SourceError as error:
        announce(str(error))
    raise SystemExit(USAGE_STATUS)
