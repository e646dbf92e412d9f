"""Snapshots, and the application on a screen in memory."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence

import attrs
from textual.pilot import Pilot
from textual.strip import Strip
from twisted.internet.defer import Deferred

from syswatch.model.aggregator import Aggregator
from syswatch.model.calls import CallTally
from syswatch.model.delta import Delta, Span
from syswatch.model.entries import Failure, LogEntry
from syswatch.model.histogram import Histogram
from syswatch.model.messages import Ended, Started
from syswatch.model.process import ProcessInfo, ProcessTally
from syswatch.model.snapshot import Snapshot
from syswatch.model.window import SecondTotals, Window
from syswatch.terminal.ui.app import SyswatchApp
from syswatch.terminal.ui.controls import Controls, Exit
from syswatch.views.budget.period import Period

NOW_S = 1_700_000_000
HOSTILE = "\x1b[2J\x1b]0;owned\x07\r\n\u202e"


def tally(count: int, errors: int = 0, errno: str = "ENOENT", each_ns: int = 2_000) -> CallTally:
    """Return the sums of calls that all took the same time."""
    return CallTally(
        count=count,
        errors=errors,
        total_ns=count * each_ns,
        min_ns=each_ns,
        max_ns=each_ns,
        histogram=Histogram.of([each_ns] * count),
        errnos={errno: errors} if errors else {},
    )


BUSY = Delta(
    calls={
        "openat": tally(400, 300),
        "read": tally(900, each_ns=5_000_000),
        "epoll_wait": tally(20, each_ns=900_000_000),
        "sendto": tally(90, 3, "EAGAIN"),
        "getpid": CallTally(count=7),
    },
    paths={f"/lib/{HOSTILE}.so": 9} | {f"/etc/file{number:03}": 3 for number in range(60)},
    failures={"openat": (Failure(NOW_S * 10**9, 42, "ENOENT", f'"{HOSTILE}"'),)},
    log=(LogEntry(NOW_S * 10**9, 42, "openat", f'"{HOSTILE}"', "-1", "ENOENT"),),
    processes={
        42: ProcessTally(comm="nginx", count=1000),
        43: ProcessTally(parent=42, comm="worker", count=417, ending="exited with 3", lives=2),
    },
    window=Window({NOW_S + at: {"read": SecondTotals(100 * at)} for at in range(10)}),
    span=Span(NOW_S * 10**9, (NOW_S + 10) * 10**9),
)


def snapshot_of(*deltas: Delta, end: Ended | None = None, comm: str = "nginx") -> Snapshot:
    """Return the snapshot of some deltas."""
    aggregator = Aggregator()
    aggregator.started(Started("ptrace", ProcessInfo(pid=42, comm=comm)))
    for delta in deltas:
        aggregator.add(delta)
    if end is not None:
        aggregator.ended(end)
    return aggregator.snapshot()


@attrs.define
class Recorder:
    """Controls that only count."""

    alive: bool = True
    interrupts: int = 0
    reports: int = 0
    lines: Sequence[str] = ()
    # The part of a recording in a range, if a recording is shown.
    part: Callable[[Period], Deferred[Snapshot]] | None = None

    def controls(self) -> Controls:
        """Return the controls."""
        return Controls(
            self._interrupt, self._report, lambda: self.alive, lambda: self.lines, self.part
        )

    def _interrupt(self) -> str:
        self.interrupts += 1
        return "sent to the command"

    def _report(self, _snapshot: Snapshot) -> str:
        self.reports += 1
        return "saved report.html"


@attrs.define
class Scene:
    """The application on a screen in memory."""

    app: SyswatchApp
    pilot: Pilot[Exit]

    @property
    def strips(self) -> list[Strip]:
        """The screen as Textual draws it; it has no public way to ask for that."""
        return self.app.screen._compositor.render_strips()

    @property
    def lines(self) -> list[str]:
        """The text of each line."""
        return ["".join(segment.text for segment in strip).rstrip() for strip in self.strips]

    @property
    def text(self) -> str:
        """The text of the screen."""
        return "\n".join(self.lines)

    @property
    def names(self) -> list[str]:
        """The names of the rows, from the top."""
        return [self.app.table.listing.text(row) for row in self.app.table.rows]

    @property
    def cursor(self) -> str:
        """The name of the selected row."""
        selected = self.app.table.selected
        return "" if selected is None else self.app.table.listing.text(selected)

    @property
    def sorted_by(self) -> str:
        """The column sorted by."""
        return self.app.table.state.sorted_by

    def line_with(self, text: str) -> str:
        """Return the first line with a text below the tabs."""
        tabs = next(place for place, line in enumerate(self.lines) if " 1 Calls" in line)
        return next(line for line in self.lines[tabs + 1 :] if text in line)

    async def press(self, *keys: str) -> str:
        """Press keys; return the text of the screen after them."""
        await self.pilot.press(*keys)
        await self.pilot.pause()
        return self.text


def run_app(
    act: Callable[[Scene], Awaitable[None]],
    snapshot: Snapshot | None = None,
    size: tuple[int, int] = (80, 24),
    recorder: Recorder | None = None,
) -> SyswatchApp:
    """Show a snapshot while a test acts; return the application after its end."""
    app = SyswatchApp((recorder or Recorder()).controls(), snapshot or snapshot_of(BUSY))

    async def run() -> None:
        async with app.run_test(size=size) as pilot:
            await pilot.pause()
            await act(Scene(app, pilot))

    asyncio.run(run())
    return app
