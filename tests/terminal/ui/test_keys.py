"""Every key that the help lists, and the mouse."""

from textual import events
from twisted.trial.unittest import TestCase

from syswatch.model.delta import Delta
from syswatch.terminal.ui.controls import Exit
from syswatch.terminal.ui.keys import ACTIONS, SORTS, key_label

from .harness import BUSY, Recorder, Scene, run_app, snapshot_of, tally

PAGES = {
    "enter": "read",
    "d": "read",
    "f": "Top Files",
    "l": "Log",
    "o": "Output",
    "w": "Alerts",
    "question_mark": "Help",
}
MANY = snapshot_of(Delta(calls={f"call{number:02}": tally(100 - number) for number in range(60)}))


async def turn_wheel(scene: Scene, wheel: type[events.MouseEvent]) -> None:
    """Turn the mouse wheel in the middle of the screen."""
    scene.app.screen.post_message(
        wheel(None, x=5, y=12, delta_x=0, delta_y=1, button=0, shift=False, meta=False, ctrl=False)
    )
    await scene.pilot.pause()


class TableKeyTests(TestCase):
    """Keys on the table."""

    def test_moves(self) -> None:
        """Arrows and letters move by a row, other keys by a page or to either end."""

        async def act(scene: Scene) -> None:
            steps = (
                ("down", "call01"),
                ("j", "call02"),
                ("up", "call01"),
                ("k", "call00"),
                ("k", "call00"),
                ("pagedown", "call16"),
                ("pagedown", "call32"),
                ("pageup", "call16"),
                ("end", "call59"),
                ("down", "call59"),
                ("home", "call00"),
            )
            for key, name in steps:
                self.assertIn(name, await scene.press(key))
                self.assertEqual(scene.cursor, name)

        run_app(act, MANY)

    def test_sorts(self) -> None:
        """Each sort key sorts by its column, which is then visible."""

        async def act(scene: Scene) -> None:
            for key, column in reversed(SORTS.items()):
                await scene.press("i" if column == "busy" else "u", key)
                self.assertIn("▼", scene.text)
                self.assertEqual(scene.sorted_by, column)
                self.assertIn("▲", await scene.press("r"))

        run_app(act)

    def test_pages(self) -> None:
        """Each page opens over the table; each closing key closes it."""

        async def act(scene: Scene) -> None:
            for key, title in PAGES.items():
                for closing in ("escape", "q", "enter"):
                    self.assertIn(f" {title}", (await scene.press(key)).splitlines()[0])
                    self.assertIn("TIME▼", await scene.press(closing))

        run_app(act)

    def test_columns(self) -> None:
        """The column chooser shows and hides columns."""

        async def act(scene: Scene) -> None:
            self.assertNotIn(" MIN ", scene.text)
            text = await scene.press("v")
            self.assertIn("[x] CALLS ", text)
            self.assertIn("[ ] MIN ", text)
            self.assertIn("[x] MIN ", await scene.press(*("j",) * 11, "space"))
            self.assertIn("  MIN ", await scene.press("escape"))
            await scene.press("v", *("down",) * 11, "enter")
            self.assertNotIn("[x] MIN", scene.text)
            self.assertNotIn("  MIN ", await scene.press("escape"))

        run_app(act)

    def test_columns_scroll(self) -> None:
        """On a low terminal the column chooser scrolls with its cursor."""

        async def act(scene: Scene) -> None:
            self.assertNotIn("] ERRNO  ", await scene.press("v"))
            self.assertIn("] ERRNO  ", await scene.press("end", "k"))

        run_app(act, size=(80, 12))

    def test_filter_takes_keys(self) -> None:
        """While the filter is open, letters go to it; Esc clears and closes it."""

        async def act(scene: Scene) -> None:
            await scene.press("slash", "q")
            self.assertEqual(scene.app.table.state.filter_text, "q")
            self.assertIn("No row matches the filter", scene.text)
            self.assertIn("epoll_wait", await scene.press("escape"))
            self.assertEqual(scene.app.table.state.filter_text, "")

        run_app(act)

    def test_help_lists_them(self) -> None:
        """The help lists every key."""

        async def act(scene: Scene) -> None:
            lines = (await scene.press("question_mark")).splitlines()
            for key, _, text in ACTIONS:
                self.assertTrue(any(key_label(key) in line and text in line for line in lines), key)
            for key in SORTS:
                self.assertTrue(any(line.startswith(f"  {key}  ") for line in lines), key)

        run_app(act, size=(120, 90))


class QuitKeyTests(TestCase):
    """Keys that quit."""

    def test_ctrl_q(self) -> None:
        """Ctrl+Q, which Textual binds to quit, asks as q does, and only once."""

        async def act(scene: Scene) -> None:
            await scene.press("ctrl+q")
            self.assertIn("The command is still running", await scene.press("ctrl+q"))
            self.assertIn("TIME▼", await scene.press("escape"))
            self.assertNotIn("still running", scene.text)
            await scene.press("ctrl+q", "enter")

        self.assertEqual(run_app(act).return_value, Exit.TERMINATE_COMMAND)

    def test_no(self) -> None:
        """Each key for "no" stays."""

        async def act(scene: Scene) -> None:
            for key in ("n", "q", "escape"):
                self.assertIn("The command is still running", await scene.press("q"))
                self.assertNotIn("The command is still running", await scene.press(key))

        self.assertIsNone(run_app(act).return_value)

    def test_ctrl_c_on_a_page(self) -> None:
        """Ctrl+C goes to the command from any page."""
        recorder = Recorder()

        async def act(scene: Scene) -> None:
            for key in ("f", "question_mark"):
                self.assertIn("sent to the command", await scene.press(key, "ctrl+c"))
                self.assertIn("esc back", await scene.press("j"))
                await scene.press("escape")
            await scene.press("slash", "ctrl+c")

        run_app(act, recorder=recorder)
        self.assertEqual(recorder.interrupts, 3)


class MouseTests(TestCase):
    """The mouse."""

    def test_double_click(self) -> None:
        """A double click opens a row."""

        async def act(scene: Scene) -> None:
            await scene.pilot.click("ListTable", offset=(3, 2), times=2)
            await scene.pilot.pause()
            self.assertIn(" openat", scene.lines[0])

        run_app(act)

    def test_wheel(self) -> None:
        """The wheel moves the cursor of the table, and scrolls a page."""

        async def act(scene: Scene) -> None:
            await turn_wheel(scene, events.MouseScrollDown)
            self.assertEqual(scene.cursor, scene.names[3])
            await turn_wheel(scene, events.MouseScrollUp)
            self.assertEqual(scene.cursor, scene.names[0])
            await scene.press("f")
            first = scene.lines[2]
            self.assertIn("1–21 of 61", scene.text)
            await turn_wheel(scene, events.MouseScrollDown)
            self.assertNotIn(first, scene.text)
            self.assertIn("4–24 of 61", scene.text)

        run_app(act, snapshot_of(BUSY, Delta(calls=MANY.sums.calls)))
