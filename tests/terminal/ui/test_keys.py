"""Every key that the help names, and the mouse."""

from textual import events
from twisted.trial.unittest import TestCase

from syswatch.model.delta import Delta
from syswatch.terminal.ui.app import Leave
from syswatch.terminal.ui.keys import ACTIONS, SORTS, spelled

from .scenes import BUSY, Recorder, Scene, play, snapshot_of, tally

PAGES = {
    "enter": "read",
    "d": "read",
    "f": "Top Files",
    "l": "Newest calls",
    "p": "Processes",
    "o": "Output",
    "w": "What stands out",
    "question_mark": "Help",
}
MANY = snapshot_of(Delta(calls={f"call{number:02}": tally(100 - number) for number in range(60)}))


def cursor(scene: Scene) -> str:
    """Return the call under the cursor."""
    return getattr(scene.app.table.chosen, "name", "")


async def turn(scene: Scene, wheel: type[events.MouseEvent]) -> None:
    """Turn the wheel over the middle of the screen, as a terminal tells of it."""
    scene.app.screen.post_message(
        wheel(None, x=5, y=12, delta_x=0, delta_y=1, button=0, shift=False, meta=False, ctrl=False)
    )
    await scene.pilot.pause()


class TableKeyTests(TestCase):
    """Keys of the table."""

    def test_moves(self) -> None:
        """Arrows and letters move by a call, the others by a page or to the very end."""

        async def act(scene: Scene) -> None:
            steps = (
                ("down", "call01"),
                ("j", "call02"),
                ("up", "call01"),
                ("k", "call00"),
                ("k", "call00"),
                ("pagedown", "call18"),
                ("pagedown", "call36"),
                ("pageup", "call18"),
                ("end", "call59"),
                ("down", "call59"),
                ("home", "call00"),
            )
            for key, name in steps:
                self.assertIn(name, await scene.press(key))
                self.assertEqual(cursor(scene), name)

        play(act, MANY)

    def test_sorts(self) -> None:
        """Each sort key sorts by its column, which then is on the screen."""

        async def act(scene: Scene) -> None:
            for key, column, _ in reversed(SORTS):
                self.assertIn("▼", await scene.press(key))
                self.assertEqual(scene.app.table.sorted_by, column)
                self.assertIn("▲", await scene.press("r"))

        play(act)

    def test_pages(self) -> None:
        """Each page opens over the table, and every key that closes it does."""

        async def act(scene: Scene) -> None:
            for key, title in PAGES.items():
                for closing in ("escape", "q", "enter"):
                    self.assertIn(f" {title}", (await scene.press(key)).splitlines()[0])
                    self.assertIn("CALLS▼", await scene.press(closing))

        play(act)

    def test_columns(self) -> None:
        """A column is shown and hidden again from a list, which every key that opens it closes."""

        async def act(scene: Scene) -> None:
            self.assertNotIn("MIN", scene.text)
            seen = await scene.press("v")
            self.assertIn("[x] CALLS ", seen)
            self.assertIn("[ ] MIN ", seen)
            self.assertIn("[x] MIN ", await scene.press(*("j",) * 6, "space"))
            self.assertIn(" MIN ", (await scene.press("escape")).splitlines()[4])
            await scene.press("v", *("down",) * 6, "enter")
            self.assertNotIn("MIN", await scene.press("v"))

        play(act)

    def test_columns_scroll(self) -> None:
        """On a low terminal the list scrolls with its cursor."""

        async def act(scene: Scene) -> None:
            self.assertNotIn("ERRNO  ", await scene.press("v"))
            self.assertIn("] ERRNO  ", await scene.press("end"))

        play(act, size=(80, 12))

    def test_filter_takes_keys(self) -> None:
        """While a filter is typed, letters are letters; Esc takes it away."""

        async def act(scene: Scene) -> None:
            await scene.press("slash", "q")
            self.assertEqual(scene.app.table.wanted, "q")
            self.assertIn("no call fits the filter", scene.text)
            self.assertIn("epoll_wait", await scene.press("escape"))
            self.assertEqual(scene.app.table.wanted, "")

        play(act)

    def test_help_names_them(self) -> None:
        """No key is missing from the help."""

        async def act(scene: Scene) -> None:
            lines = (await scene.press("question_mark")).splitlines()
            for key, _, words in ACTIONS:
                self.assertTrue(any(spelled(key) in line and words in line for line in lines), key)
            for key, _, words in SORTS:
                self.assertTrue(any(line.split()[:1] == [key] for line in lines), words)

        play(act, size=(120, 70))


class LeavingKeyTests(TestCase):
    """Keys that leave."""

    def test_ctrl_q(self) -> None:
        """Textual's own key asks as ours does, and once."""

        async def act(scene: Scene) -> None:
            await scene.press("ctrl+q")
            self.assertIn("The command still runs", await scene.press("ctrl+q"))
            self.assertIn("CALLS▼", await scene.press("escape"))
            self.assertNotIn("still runs", scene.text)
            await scene.press("ctrl+q", "enter")

        self.assertEqual(play(act).return_value, Leave.END_COMMAND)

    def test_no(self) -> None:
        """Every way of saying no stays."""

        async def act(scene: Scene) -> None:
            for key in ("n", "q", "escape"):
                self.assertIn("The command still runs", await scene.press("q"))
                self.assertNotIn("The command still runs", await scene.press(key))

        self.assertIsNone(play(act).return_value)

    def test_ctrl_c_on_a_page(self) -> None:
        """Ctrl+C goes to the command, whatever is open."""
        recorder = Recorder()

        async def act(scene: Scene) -> None:
            for key in ("f", "question_mark"):
                self.assertIn("it went to the command", await scene.press(key, "ctrl+c"))
                self.assertIn("esc back", await scene.press("j"))
                await scene.press("escape")
            await scene.press("slash", "ctrl+c")

        play(act, recorder=recorder)
        self.assertEqual(recorder.interrupts, 3)


class MouseTests(TestCase):
    """The mouse."""

    def test_twice(self) -> None:
        """A row that is clicked twice opens."""

        async def act(scene: Scene) -> None:
            await scene.pilot.click("CallTable", offset=(3, 2), times=2)
            await scene.pilot.pause()
            self.assertIn(" openat", scene.lines[0])

        play(act)

    def test_wheel(self) -> None:
        """The wheel moves the cursor, and scrolls a page."""

        async def act(scene: Scene) -> None:
            await turn(scene, events.MouseScrollDown)
            self.assertEqual(cursor(scene), scene.names[3])
            await turn(scene, events.MouseScrollUp)
            self.assertEqual(cursor(scene), scene.names[0])
            await scene.press("f")
            first = scene.lines[2]
            self.assertIn("1–21 of 61", scene.text)
            await turn(scene, events.MouseScrollDown)
            self.assertNotIn(first, scene.text)
            self.assertIn("4–24 of 61", scene.text)

        play(act, snapshot_of(BUSY, Delta(calls=MANY.sums.calls)))
