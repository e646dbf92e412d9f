"""The UI as those who run it see it: shown, fed with snapshots, left, and the terminal is whole."""

import asyncio
import gc
from collections.abc import Mapping

import attrs
from twisted.internet.defer import Deferred
from twisted.internet.interfaces import IReactorFDSet

from syswatch.model.snapshot import Snapshot
from syswatch.service.session import ISession

from .app import Controls, Leave, SyswatchApp
from .driver import driver_on
from .streams import Streams

# After so many new objects we look for garbage: some pictures' worth.
_GARBAGE = 20_000


@attrs.define(slots=False, eq=False)
class Shell:
    """Owns the terminal from `borrow` to `close`."""

    _streams: Streams
    _app: SyswatchApp | None = attrs.field(default=None, init=False)
    _left: list[Deferred[None]] = attrs.field(factory=list, init=False)
    broken_by: Exception | None = attrs.field(default=None, init=False)

    @classmethod
    def borrow(cls, reactor: IReactorFDSet) -> "Shell":
        """Take the terminal; nothing is drawn yet."""
        return cls(Streams.borrow(reactor))

    @property
    def for_child(self) -> Mapping[int, int]:
        """Which descriptor a child is to get as which."""
        return self._streams.for_child

    def child_started(self) -> None:
        """Take note that the child has its descriptors."""
        self._streams.child_started()

    async def show(self, session: ISession, controls: Controls) -> Leave | None:
        """Show the session until somebody leaves; None where it was not a person who did."""
        streams = self._streams
        controls = attrs.evolve(controls, output=streams.output.lines)
        driver = driver_on(streams.keyboard, streams.screen)
        app = self._app = SyswatchApp(controls, session.snapshot, driver_class=driver)
        unsubscribe = session.subscribe(app.take)
        # What was imported stays, and pictures leave nothing behind: looking whether they are
        # garbage would take a fifth of our time.
        gc.freeze()
        gc.set_threshold(_GARBAGE)
        try:
            return await Deferred.fromFuture(asyncio.ensure_future(app.run_async()))
        except Exception as error:  # noqa: BLE001  whatever it is, the watching goes on without a screen
            self.broken_by = error
            return None
        finally:
            unsubscribe()
            self.broken_by = self.broken_by or app.broken_by
            self._app = None
            streams.give_back()
            left, self._left = self._left, []
            for deferred in left:
                deferred.callback(None)

    async def leave(self) -> None:
        """Take the UI off the screen, and return when the terminal is whole."""
        if self._app is not None:
            left: Deferred[None] = Deferred()
            self._left.append(left)
            self._app.exit()
            await left

    async def close(self) -> None:
        """Leave, and pass on the last of what the command has written."""
        await self.leave()
        self._streams.close()


def report_name(snapshot: Snapshot, stamp: str) -> str:
    """Return a name for a report; whatever a program calls itself, it is one plain name."""
    comm = "".join(c for c in snapshot.source.process.comm if c.isascii() and c.isalnum())
    return f"syswatch-{comm or 'trace'}-{stamp}.html"
