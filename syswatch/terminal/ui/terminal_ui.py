"""The interface to the rest of syswatch: take over the terminal, show a session, restore it."""

import asyncio
import gc

import attrs
from twisted.internet.defer import Deferred
from twisted.internet.interfaces import IReactorFDSet

from syswatch.base.classes import define
from syswatch.model.snapshot import Snapshot
from syswatch.service.child_streams import ChildStreams
from syswatch.service.session import ISession

from .app import SyswatchApp
from .controls import Controls, Exit
from .stdio import RedirectedStdio
from .textual_private import driver_on


@define(slots=False, eq=False)
class TerminalUI:
    """Owns the terminal from `take_over` to `close`."""

    _stdio: RedirectedStdio
    _app: SyswatchApp | None = attrs.field(default=None, init=False)
    _waiting: list[Deferred[None]] = attrs.field(factory=list, init=False)
    error: Exception | None = attrs.field(default=None, init=False)

    @classmethod
    def take_over(cls, reactor: IReactorFDSet, streams: ChildStreams) -> "TerminalUI":
        """Redirect the standard streams, `streams` being those of the child; nothing is drawn."""
        return cls(RedirectedStdio.redirect(reactor, streams))

    async def show(self, session: ISession, controls: Controls, sorted_by: str) -> Exit | None:
        """
        Show a session until the user quits; return None if the program ended the UI.

        The list of calls is sorted by the column with a name, at first.
        """
        stdio = self._stdio
        controls = attrs.evolve(controls, output=stdio.output.lines)
        driver = driver_on(stdio.keyboard, stdio.screen)
        app = self._app = SyswatchApp(controls, session.snapshot, sorted_by, driver_class=driver)
        unsubscribe = session.subscribe(app.update_snapshot)
        stop_watching = session.watch()
        # Modules stay: looking for garbage in them as well would take a fifth of the CPU time.
        gc.freeze()
        try:
            return await Deferred.fromFuture(asyncio.ensure_future(app.run_async()))
        except Exception as error:  # noqa: BLE001  whatever fails here, the trace continues without the UI
            self.error = error
            return None
        finally:
            unsubscribe()
            stop_watching()
            self.error = self.error or app.fatal_error
            self._app = None
            stdio.restore()
            waiting, self._waiting = self._waiting, []
            for deferred in waiting:
                deferred.callback(None)

    async def leave(self) -> None:
        """Remove the UI; return when the terminal is restored."""
        if self._app is not None:
            left: Deferred[None] = Deferred()
            self._waiting.append(left)
            self._app.exit()
            await left

    async def close(self) -> None:
        """Remove the UI and pass on the rest of the command's output."""
        await self.leave()
        self._stdio.close()


def report_name(snapshot: Snapshot, stamp: str) -> str:
    """Return a file name for a report, safe whatever the program calls itself."""
    comm = "".join(c for c in snapshot.source.process.comm if c.isascii() and c.isalnum())
    return f"syswatch-{comm or 'trace'}-{stamp}.html"
