"""The application on a screen in memory, with keys and mouse."""

import asyncio
from contextvars import Context

from twisted.trial.unittest import TestCase

from syswatch.model.delta import Delta
from syswatch.model.ledger import Ledger
from syswatch.model.messages import Ended
from syswatch.terminal.ui.app import SyswatchApp
from syswatch.terminal.ui.controls import Exit

from .harness import BUSY, Recorder, Scene, run_app, snapshot_of, tally


class ScreenTests(TestCase):
    """The screen before any key is pressed."""

    def test_first(self) -> None:
        """What comes before anything is drawn is drawn at once, in the size of the terminal."""
        app = SyswatchApp(Recorder().controls(), snapshot_of())
        app.update_snapshot(snapshot_of(BUSY))
        drawn = []

        async def run() -> None:
            async with app.run_test(size=(120, 40)):
                drawn.append((app.snapshot.total, app.size))

        asyncio.run(run())
        self.assertEqual(drawn, [(1417, (120, 40))])

    def test_small(self) -> None:
        """80 by 24 cells show verdict, time budget, alerts, table and keys."""

        async def act(scene: Scene) -> None:
            lines = scene.lines
            self.assertEqual(len(lines), 24)
            self.assertIn("waiting, all of it in read;", lines[0])
            self.assertIn("  idle 18 s", lines[1])
            self.assertIn("nginx[42]  ● tracing  ptrace  10s  exact", lines[2])
            self.assertIn("B blocked >99.9 %", lines[3])
            self.assertIn("1417 calls  750 /s ", lines[4])
            self.assertIn("303 errors (21.4 %)  5 distinct", lines[4])
            self.assertIn(" 1 Calls  2 Objects 3 Threads", scene.text)
            self.assertIn("openat: 75 % fail, mostly ENOENT", scene.text)
            title = next(line for line in lines if line.startswith("CALL "))
            columns = title.split()
            self.assertEqual(columns[:5], ["CALL", "CAT", "~TIME▼", "~WAITING", "CALLS"])
            self.assertEqual(columns[5:], ["NOW/s", "AVG", "P99", "ERRORS"])
            self.assertIn("? help", lines[-1])
            self.assertTrue(lines[-1].endswith("q quit"))

        run_app(act)

    def test_large(self) -> None:
        """240 by 50 cells show every default column, beside the details of the selected row."""

        async def act(scene: Scene) -> None:
            self.assertEqual(len(scene.lines), 50)
            title = next(line for line in scene.lines if line.startswith("CALL "))
            for name in ("TOTAL", "TIME%", "P95", "ERRNO", "BYTES"):
                self.assertIn(name, title)
            self.assertIn("│ calls 900 ", title)

        run_app(act, size=(240, 50))

    def test_end(self) -> None:
        """When the command has ended, the screen stays and shows how it ended."""

        async def act(scene: Scene) -> None:
            self.assertIn("exited with 3", scene.lines[2])
            self.assertTrue(scene.lines[-1].startswith("ended "))

        run_app(act, snapshot_of(BUSY, end=Ended(exit_code=3)))

    def test_killed(self) -> None:
        """A fatal signal is shown by name."""

        async def act(scene: Scene) -> None:
            self.assertIn("killed by SIGSEGV", scene.lines[2])

        run_app(act, snapshot_of(BUSY, end=Ended(exit_signal=11)))

    def test_inexact(self) -> None:
        """Lost events are shown, with their number."""

        async def act(scene: Scene) -> None:
            self.assertIn("not exact", scene.lines[2])
            self.assertIn("not exact: 7 system calls", await scene.press("w"))

        run_app(act, snapshot_of(BUSY, Delta(ledger=Ledger(lost_events=7))))

    def test_sampled(self) -> None:
        """A sampled log leaves the numbers exact, and appears only on the page of alerts."""

        async def act(scene: Scene) -> None:
            self.assertNotIn("not exact", scene.lines[2])
            self.assertNotIn("a sample", scene.text)
            self.assertIn("note: 7 calls", await scene.press("w"))

        run_app(act, snapshot_of(BUSY, Delta(ledger=Ledger(sampled_entries=7))))

    def test_sampled_and_inexact(self) -> None:
        """Beside lost events, a sampled log stays a note."""

        async def act(scene: Scene) -> None:
            text = await scene.press("w")
            self.assertIn("not exact: 2 system calls", text)
            self.assertIn("note: 7 calls", text)

        run_app(act, snapshot_of(BUSY, Delta(ledger=Ledger(lost_events=2, sampled_entries=7))))

    def test_nothing_yet(self) -> None:
        """Before the first call the screen shows that it waits."""

        async def act(scene: Scene) -> None:
            self.assertIn("No system calls yet", scene.text)
            await scene.press("enter", "j", "y")

        run_app(act, snapshot_of())

    def test_resize(self) -> None:
        """The screen fits any size."""

        async def act(scene: Scene) -> None:
            for size in ((20, 5), (200, 60), (1, 1), (80, 24)):
                await scene.pilot.resize_terminal(*size)
                await scene.pilot.pause()
            self.assertIn("? help", scene.lines[-1])

        run_app(act)

    def test_hostile_bytes(self) -> None:
        """No page shows a control character, whatever names the target chose."""

        async def act(scene: Scene) -> None:
            for key in ("enter", "f", "l", "p", "o"):
                text = await scene.press(key)
                self.assertTrue(all(c.isprintable() or c == "\n" for c in text), key)
                await scene.press("escape")

        hostile = "\x1b[2Jx\x07"
        run_app(act, snapshot_of(BUSY, comm=hostile), recorder=Recorder(lines=[hostile]))


class KeyTests(TestCase):
    """Keys and mouse on the table."""

    def test_sorts(self) -> None:
        """Each sort key sorts by its column; pressing it again reverses the order."""
        firsts = {"t": "epoll_wait", "a": "epoll_wait", "e": "openat", "n": "epoll_wait"}

        async def act(scene: Scene) -> None:
            self.assertEqual(scene.names[0], "read")
            for key, first in firsts.items():
                await scene.press(key)
                self.assertEqual(scene.names[0], first)
            await scene.press("n")
            self.assertEqual(scene.names[-1], "epoll_wait")
            await scene.press("r")
            self.assertEqual(scene.names[0], "epoll_wait")

        run_app(act)

    def test_cursor_stays_with_its_call(self) -> None:
        """The cursor follows its call when the order changes."""

        async def act(scene: Scene) -> None:
            await scene.press("c", "j", "down")
            self.assertEqual(scene.cursor, "sendto")
            more = Delta(calls={"sendto": tally(5000), "getpid": tally(9000)})
            scene.app.update_snapshot(snapshot_of(BUSY, more))
            await scene.pilot.pause()
            self.assertEqual(scene.names[:2], ["getpid", "sendto"])
            self.assertEqual(scene.cursor, "sendto")
            await scene.press("end", "k", "home", "pagedown", "pageup")
            self.assertEqual(scene.cursor, "getpid")

        run_app(act)

    def test_filter(self) -> None:
        """The filter matches parts of names, or the start of a category; Esc clears it."""

        async def act(scene: Scene) -> None:
            await scene.press("slash", "p", "o", "l", "enter")
            self.assertEqual(scene.names, ["epoll_wait"])
            await scene.press("escape")
            self.assertEqual(len(scene.names), 5)
            await scene.press("slash", "n", "e")
            self.assertEqual(scene.names, ["sendto"])

        run_app(act)

    def test_pause(self) -> None:
        """While paused the screen does not change; resuming shows the latest snapshot."""

        async def act(scene: Scene) -> None:
            self.assertIn("PAUSED", await scene.press("space"))
            scene.app.update_snapshot(snapshot_of(BUSY, BUSY))
            await scene.pilot.pause()
            self.assertIn("1417 calls", scene.text)
            self.assertIn("2834 calls", await scene.press("space"))

        run_app(act)

    def test_report_and_interrupt(self) -> None:
        """The text that a control returns is shown until the next key."""
        recorder = Recorder()

        async def act(scene: Scene) -> None:
            self.assertIn("saved report.html", await scene.press("s"))
            self.assertIn("sent to the command", await scene.press("ctrl+c"))
            self.assertIn("? help", await scene.press("j"))

        run_app(act, recorder=recorder)
        self.assertEqual((recorder.reports, recorder.interrupts), (1, 1))

    def test_copy(self) -> None:
        """The selected row is copied with exact numbers."""

        async def act(scene: Scene) -> None:
            await scene.press("y")
            self.assertEqual(scene.app.clipboard.split("\t")[:3], ["read", "900", "0"])

        run_app(act)

    def test_mouse(self) -> None:
        """Clicking a title sorts; clicking a row selects it."""

        async def act(scene: Scene) -> None:
            await scene.pilot.click("ListTable", offset=(1, 0))
            self.assertEqual(scene.sorted_by, "name")
            await scene.pilot.click("ListTable", offset=(1, 3))
            self.assertEqual(scene.cursor, "openat")

        run_app(act)


class QuitTests(TestCase):
    """Quitting."""

    def test_asks(self) -> None:
        """Q asks first if it terminates the command; no stays, yes terminates it."""

        async def act(scene: Scene) -> None:
            self.assertIn("The command is still running", await scene.press("q"))
            self.assertNotIn("The command is still running", await scene.press("n"))
            await scene.press("q", "y")

        self.assertEqual(run_app(act).return_value, Exit.TERMINATE_COMMAND)

    def test_question_is_closed(self) -> None:
        """The question closes when the command ends; the screen below is up to date."""
        recorder = Recorder()

        async def act(scene: Scene) -> None:
            await scene.press("q")
            recorder.alive = False
            # As the reactor does: outside of Textual's context.
            Context().run(
                scene.app.update_snapshot, snapshot_of(BUSY, BUSY, end=Ended(exit_code=3))
            )
            await scene.pilot.pause()
            self.assertNotIn("still running", scene.text)
            self.assertIn("exited with 3", scene.text)
            self.assertIn("2834 calls", scene.text)

        self.assertIsNone(run_app(act, recorder=recorder).return_value)

    def test_does_not_ask(self) -> None:
        """Q quits at once if no command would be terminated."""

        async def act(scene: Scene) -> None:
            await scene.press("q")

        self.assertEqual(run_app(act, recorder=Recorder(alive=False)).return_value, Exit.QUIT)
