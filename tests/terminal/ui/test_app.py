"""The screen, as a person with a keyboard and a mouse meets it."""

from contextvars import Context

from twisted.trial.unittest import TestCase

from syswatch.model.delta import Delta
from syswatch.model.ledger import Ledger
from syswatch.model.messages import Ended
from syswatch.terminal.ui.app import Leave

from .scenes import BUSY, Recorder, Scene, play, snapshot_of, tally


class ScreenTests(TestCase):
    """What is seen without a key pressed."""

    def test_small(self) -> None:
        """80 by 24 cells hold header, categories, alerts, the table and the keys."""

        async def act(scene: Scene) -> None:
            lines = scene.lines
            self.assertEqual(len(lines), 24)
            self.assertIn("nginx[42]  ● tracing  ptrace  10s  exact", lines[0])
            self.assertIn("1417 calls  750 /s ", lines[1])
            self.assertIn("303 errors (21.4 %)  5 unique", lines[1])
            self.assertIn("I/O 64.9 %  FS 28.2 %", lines[2])
            self.assertIn("openat: 75 % fail, mostly ENOENT", scene.text)
            title = next(line for line in lines if line.startswith("CALL "))
            columns = title.split()
            self.assertEqual(columns[:4], ["CALL", "CAT", "CALLS▼", "NOW/s"])
            self.assertEqual(columns[4:], ["AVG", "P99", "MAX", "ERRORS", "ERRNO"])
            self.assertIn("? help", lines[-1])
            self.assertTrue(lines[-1].endswith("q quit"))

        play(act)

    def test_large(self) -> None:
        """160 by 50 cells hold every column."""

        async def act(scene: Scene) -> None:
            self.assertEqual(len(scene.lines), 50)
            title = next(line for line in scene.lines if line.startswith("CALL "))
            for name in ("TOTAL", "TIME%", "P95", "ERR%"):
                self.assertIn(name, title)

        play(act, size=(160, 50))

    def test_end(self) -> None:
        """When the command has ended the screen says how, and stays."""

        async def act(scene: Scene) -> None:
            self.assertIn("exited with 3", scene.lines[0])
            self.assertIn("final", scene.lines[-1])

        play(act, snapshot_of(BUSY, end=Ended(exit_code=3)))

    def test_killed(self) -> None:
        """A death by signal is told by its name."""

        async def act(scene: Scene) -> None:
            self.assertIn("killed by SIGSEGV", scene.lines[0])

        play(act, snapshot_of(BUSY, end=Ended(exit_signal=11)))

    def test_inexact(self) -> None:
        """What is not exact is said, with its number."""

        async def act(scene: Scene) -> None:
            self.assertIn("not exact", scene.lines[0])
            self.assertIn("7 system calls that were seen", await scene.press("w"))

        play(act, snapshot_of(BUSY, Delta(ledger=Ledger(lost_events=7))))

    def test_sampled(self) -> None:
        """A log that is a sample makes no number less than exact, and takes no row of the table."""

        async def act(scene: Scene) -> None:
            self.assertNotIn("not exact", scene.lines[0])
            self.assertNotIn("a sample", scene.text)
            self.assertIn("note: 7 calls that are counted", await scene.press("w"))

        play(act, snapshot_of(BUSY, Delta(ledger=Ledger(sampled_entries=7))))

    def test_sampled_and_inexact(self) -> None:
        """That the log is a sample is no warning beside one."""

        async def act(scene: Scene) -> None:
            seen = await scene.press("w")
            self.assertIn("not exact: 2 system calls", seen)
            self.assertIn("note: 7 calls", seen)

        play(act, snapshot_of(BUSY, Delta(ledger=Ledger(lost_events=2, sampled_entries=7))))

    def test_nothing_yet(self) -> None:
        """Before the first call the screen says that it waits."""

        async def act(scene: Scene) -> None:
            self.assertIn("waiting for the first call", scene.text)
            await scene.press("enter", "j", "y")

        play(act, snapshot_of())

    def test_resize(self) -> None:
        """The screen fits whatever size it is given."""

        async def act(scene: Scene) -> None:
            for size in ((20, 5), (200, 60), (1, 1), (80, 24)):
                await scene.pilot.resize_terminal(*size)
                await scene.pilot.pause()
            self.assertIn("? help", scene.lines[-1])

        play(act)

    def test_hostile_bytes(self) -> None:
        """No page passes a control character on, whatever the target calls things."""

        async def act(scene: Scene) -> None:
            for key in ("enter", "f", "l", "p", "o"):
                seen = await scene.press(key)
                self.assertTrue(all(c.isprintable() or c == "\n" for c in seen), key)
                await scene.press("escape")

        hostile = "\x1b[2Jx\x07"
        play(act, snapshot_of(BUSY, comm=hostile), recorder=Recorder(lines=[hostile]))


class KeyTests(TestCase):
    """What keys do to the table."""

    def test_sorts(self) -> None:
        """Each sort key sorts by its column, and once more turns it round."""
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

        play(act)

    def test_cursor_stays_with_its_call(self) -> None:
        """The cursor follows its call when others overtake it."""

        async def act(scene: Scene) -> None:
            await scene.press("j", "down")
            self.assertEqual(getattr(scene.app.table.chosen, "name", ""), "sendto")
            more = Delta(calls={"sendto": tally(5000), "getpid": tally(9000)})
            scene.app.take(snapshot_of(BUSY, more))
            await scene.pilot.pause()
            self.assertEqual(scene.names[:2], ["getpid", "sendto"])
            self.assertEqual(getattr(scene.app.table.chosen, "name", ""), "sendto")
            await scene.press("end", "k", "home", "pagedown", "pageup")
            self.assertEqual(getattr(scene.app.table.chosen, "name", ""), "getpid")

        play(act)

    def test_filter(self) -> None:
        """A filter leaves what has its text, or is of its category; Esc takes it away."""

        async def act(scene: Scene) -> None:
            await scene.press("slash", "p", "o", "l", "enter")
            self.assertEqual(scene.names, ["epoll_wait"])
            await scene.press("escape")
            self.assertEqual(len(scene.names), 5)
            await scene.press("slash", "n", "e", "t")
            self.assertEqual(scene.names, ["sendto"])

        play(act)

    def test_freeze(self) -> None:
        """A picture that is held still changes when it is let go."""

        async def act(scene: Scene) -> None:
            self.assertIn("FROZEN", await scene.press("space"))
            scene.app.take(snapshot_of(BUSY, BUSY))
            await scene.pilot.pause()
            self.assertIn("1417 calls", scene.text)
            self.assertIn("2834 calls", await scene.press("space"))

        play(act)

    def test_report_and_interrupt(self) -> None:
        """What a control answers is shown until the next key."""
        recorder = Recorder()

        async def act(scene: Scene) -> None:
            self.assertIn("saved somewhere.html", await scene.press("s"))
            self.assertIn("it went to the command", await scene.press("ctrl+c"))
            self.assertIn("? help", await scene.press("j"))

        play(act, recorder=recorder)
        self.assertEqual((recorder.reports, recorder.interrupts), (1, 1))

    def test_copy(self) -> None:
        """The row under the cursor is copied, numbers in full."""

        async def act(scene: Scene) -> None:
            await scene.press("y")
            self.assertEqual(scene.app.clipboard.split("\t")[:3], ["read", "900", "0"])

        play(act)

    def test_mouse(self) -> None:
        """A click on a title sorts, a click on a row chooses it."""

        async def act(scene: Scene) -> None:
            await scene.pilot.click("CallTable", offset=(1, 0))
            self.assertEqual(scene.app.table.sorted_by, "name")
            await scene.pilot.click("CallTable", offset=(1, 3))
            self.assertEqual(getattr(scene.app.table.chosen, "name", ""), "openat")

        play(act)


class LeavingTests(TestCase):
    """Who leaves, and how."""

    def test_asks(self) -> None:
        """While the command would die of it, q asks first; no stays, yes ends the command."""

        async def act(scene: Scene) -> None:
            self.assertIn("The command still runs", await scene.press("q"))
            self.assertNotIn("The command still runs", await scene.press("n"))
            await scene.press("q", "y")

        self.assertEqual(play(act).return_value, Leave.END_COMMAND)

    def test_question_is_outlived(self) -> None:
        """A question that has no sense any more goes away; time goes on below it."""
        recorder = Recorder()

        async def act(scene: Scene) -> None:
            await scene.press("q")
            recorder.alive = False
            # As the reactor does it: outside of Textual.
            Context().run(scene.app.take, snapshot_of(BUSY, BUSY, end=Ended(exit_code=3)))
            await scene.pilot.pause()
            self.assertNotIn("still runs", scene.text)
            self.assertIn("exited with 3", scene.text)
            self.assertIn("2834 calls", scene.text)

        self.assertIsNone(play(act, recorder=recorder).return_value)

    def test_does_not_ask(self) -> None:
        """Otherwise q quits."""

        async def act(scene: Scene) -> None:
            await scene.press("q")

        self.assertEqual(play(act, recorder=Recorder(alive=False)).return_value, Leave.QUIT)
