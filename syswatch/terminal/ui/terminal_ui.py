"""
The interface to the rest of syswatch: take over the terminal, show a session, restore it.

What draws is imported to show a session, and not before: that takes longer than all else here, and
a tracer can begin meanwhile.
"""

import asyncio
import gc
from typing import TYPE_CHECKING

import attrs
from twisted.internet.defer import Deferred
from twisted.internet.interfaces import IReactorFDSet

from syswatch.base.classes import define
from syswatch.model.snapshot import Snapshot
from syswatch.service.child_streams import ChildStreams
from syswatch.service.session import ISession
from syswatch.views.forms import CallSort

from .controls import Controls, Exit
from .stdio import RedirectedStdio

if TYPE_CHECKING:
    from .app import SyswatchApp


@define(slots=False, eq=False)
class TerminalUI:
    """Owns the terminal from `take_over` to `close`."""

    _stdio: RedirectedStdio
    _app: "SyswatchApp | None" = attrs.field(default=None, init=False)
    _waiting: list[Deferred[None]] = attrs.field(factory=list, init=False)
    error: Exception | None = attrs.field(default=None, init=False)
    _is_left: bool = attrs.field(default=False, init=False)

    @classmethod
    def take_over(cls, reactor: IReactorFDSet, streams: ChildStreams) -> "TerminalUI":
        """Redirect the standard streams, `streams` being those of the child; nothing is drawn."""
        return cls(RedirectedStdio.redirect(reactor, streams))

    async def show(self, session: ISession, controls: Controls, sort: CallSort) -> Exit | None:
        """
        Show a session until the user quits; return None if the program ended the UI.

        The list of calls is sorted as `sort` says, at first.
        """
        stop_watching = session.watch()
        try:
            if self._is_left:
                return None
            app = self._app = self._load(session.snapshot, controls, sort)
            return await self._run(app, session)
        except Exception as error:  # noqa: BLE001  whatever fails here, the trace continues without the UI
            self.error = error
            return None
        finally:
            stop_watching()
            self._app = None
            self._stdio.restore()
            waiting, self._waiting = self._waiting, []
            for deferred in waiting:
                deferred.callback(None)

    def _load(self, snapshot: Snapshot, controls: Controls, sort: CallSort) -> "SyswatchApp":
        """Import what draws; return an application that draws on the terminal."""
        # What is imported stays: looking for garbage in it takes a twentieth of the time, and in
        # each later search a fifth of the CPU time.
        gc.disable()
        try:
            from .app import SyswatchApp
            from .lists.calls import COLUMN_OF_SORT
            from .textual_private import driver_on

            stdio = self._stdio
            controls = attrs.evolve(controls, output=stdio.output.lines)
            driver = driver_on(stdio.keyboard, stdio.screen)
            return SyswatchApp(controls, snapshot, COLUMN_OF_SORT[sort], driver_class=driver)
        finally:
            gc.freeze()
            gc.enable()

    async def _run(self, app: "SyswatchApp", session: ISession) -> Exit | None:
        """Run an application until it ends."""
        from .textual_private import terminal_size

        unsubscribe = session.subscribe(app.update_snapshot)
        # Textual would begin with the size of standard output, and draw twice.
        size = terminal_size(self._stdio.screen)
        try:
            running = asyncio.ensure_future(app.run_async(size=size))
            return await Deferred.fromFuture(running)
        finally:
            unsubscribe()
            self.error = app.fatal_error

    async def leave(self) -> None:
        """Remove the UI, even if it is yet to be shown; return when the terminal is restored."""
        self._is_left = True
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
