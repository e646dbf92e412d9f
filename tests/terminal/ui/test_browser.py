"""The way from one list to another, the details beside them, and how often they are drawn."""

import attrs
from twisted.trial.unittest import TestCase

from syswatch.model.activity import ActivityKey, Sums
from syswatch.model.delta import Delta, Span
from syswatch.model.messages import Ended
from syswatch.model.objects import ObjectInfo, ObjectKind
from syswatch.model.snapshot import Snapshot
from syswatch.terminal.ui.app import SyswatchApp
from syswatch.terminal.ui.lists import LISTS
from syswatch.terminal.ui.lists.calls import CALLS, COLUMN_OF_SORT
from syswatch.terminal.ui.pace import MANY_ROWS

from .example_server import running
from .example_times import DATABASE, JOURNAL, PAGE, TIMES
from .harness import BUSY, NOW_S, Recorder, Scene, run_app, snapshot_of

WIDE = (160, 50)


class PaceTests(TestCase):
    """How often the lists are drawn."""

    def test_many_rows(self) -> None:
        """With very many rows, the screen is redrawn less often, but always at the end."""
        info = ObjectInfo(ObjectKind.FILE, "/a")
        activity = {
            ActivityKey(42, tid, info.id, "read"): Sums(1, working_ns=1000)
            for tid in range(MANY_ROWS)
        }
        many = Delta(activity=activity, objects={info.id: info})
        calls = BUSY.calls

        def after(seconds: int, end: Ended | None = None) -> Snapshot:
            span = Span(NOW_S * 10**9, (NOW_S + seconds) * 10**9)
            return snapshot_of(many, Delta(calls=calls, span=span), end=end)

        async def act(scene: Scene) -> None:
            for seconds, shown in ((10, "10s"), (10, "10s"), (11, "11s"), (12, "12s")):
                scene.app.update_snapshot(after(seconds))
                await scene.pilot.pause()
                self.assertIn(f"  {shown}  ", scene.text)
            later = attrs.evolve(after(12), elapsed_ns=99 * 10**9)
            scene.app.update_snapshot(later)
            await scene.pilot.pause()
            self.assertIn("  12s  ", scene.text)
            scene.app.update_snapshot(after(12, end=Ended(exit_code=4)))
            await scene.pilot.pause()
            self.assertIn("exited with 4", scene.text)

        run_app(act, after(9))


class WayTests(TestCase):
    """From one list to another and back."""

    def test_process(self) -> None:
        """From a process to its calls, objects, threads and log, and back."""

        async def act(scene: Scene) -> None:
            await scene.press("5", "j", "j")
            self.assertEqual("worker[4713]", scene.cursor)
            self.assertIn("of worker[4713]", await scene.press("enter"))
            self.assertEqual("recvfrom", scene.names[0])
            self.assertNotIn("accept4", scene.names)
            # The verdict is that of the process.
            self.assertIn("3 threads", scene.lines[0])
            await scene.press("2")
            self.assertNotIn("/srv/www/index.html", scene.text)
            await scene.press("3")
            self.assertEqual(3, len(scene.names))
            self.assertIn("The log has no such calls", await scene.press("6"))
            await scene.press("escape", "escape")
            self.assertEqual("worker[4713]", scene.cursor)
            self.assertNotIn("of worker", scene.text)

        run_app(act, running())

    def test_object(self) -> None:
        """From an object to its calls, with their numbers on that object."""

        async def act(scene: Scene) -> None:
            await scene.press("2", "enter")
            self.assertEqual(["recvfrom", "sendto"], scene.names)
            self.assertIn("1150", scene.line_with("recvfrom"))
            self.assertIn("of 10.0.0.5:5432", scene.text)
            await scene.press("2")
            self.assertEqual(1, len(scene.names))
            await scene.press("4")
            self.assertEqual(["recvfrom", "recvfrom"], scene.names)
            await scene.press("escape")
            self.assertEqual(12, len(scene.names))

        run_app(act, running())

    def test_thread(self) -> None:
        """From a thread to its calls and objects: not those of its process."""

        async def act(scene: Scene) -> None:
            await scene.press("3", "j", "enter")
            self.assertEqual(["fsync", "futex", "write", "poll"], scene.names)
            await scene.press("2")
            self.assertEqual(3, len(scene.names))
            self.assertIn("400", scene.line_with("futex"))
            await scene.press("enter")
            self.assertIn("of wal-writer[4721], ", scene.text)
            await scene.press("escape", "escape", "escape")
            self.assertIn("CALLS", scene.text)
            self.assertNotIn("  esc back", scene.text)

        run_app(act, running())

    def test_log_of_object(self) -> None:
        """The log of an object has its calls only."""
        log = tuple(
            type(entry)(*(entry.time_ns, 42, name, "", "0", ""), object=number)
            for entry in BUSY.log
            for name, number in (("fsync", JOURNAL.id), ("read", PAGE.id))
        )

        async def act(scene: Scene) -> None:
            await scene.press("2", "slash", *"wal", "enter", "home")
            await scene.press("enter")
            text = await scene.press("6")
            self.assertIn("fsync()", text)
            self.assertNotIn("read()", text)

        run_app(act, snapshot_of(Delta(calls=BUSY.calls, log=log), TIMES))

    def test_tabs(self) -> None:
        """Tab and Shift+Tab go round the lists, but not while a page is open."""

        async def act(scene: Scene) -> None:
            # This trace has no groups.
            names = [name for name in LISTS if name != "groups"]
            for name in (*names[1:], names[0]):
                await scene.press("tab")
                self.assertEqual(name, scene.app.browser.places.current.name)
            await scene.press("shift+tab")
            self.assertEqual(names[-1], scene.app.browser.places.current.name)
            await scene.press("question_mark", "tab")
            self.assertEqual(names[-1], scene.app.browser.places.current.name)
            self.assertIn(" Help", scene.lines[0])

        run_app(act, running())

    def test_tab_from_page(self) -> None:
        """The key of a tab closes a page, and opens the list or the other page."""

        async def act(scene: Scene) -> None:
            self.assertIn("Top Files", await scene.press("7"))
            self.assertIn(" Log", (await scene.press("6")).splitlines()[0])
            self.assertIn("OBJECT", await scene.press("2"))

        run_app(act, running())

    def test_each_list_keeps_its_state(self) -> None:
        """Order, filter and cursor belong to a list and stay with it."""

        async def act(scene: Scene) -> None:
            await scene.press("c", "j")
            await scene.press("2", "b", "slash", *"tcp", "enter")
            self.assertEqual(3, len(scene.names))
            await scene.press("1")
            self.assertEqual(("calls", "read"), (scene.sorted_by, scene.cursor))
            self.assertNotIn("filter:", scene.lines[-1])
            await scene.press("2")
            self.assertEqual("bytes", scene.sorted_by)
            self.assertIn("filter: tcp", scene.lines[-1])

        run_app(act, running())

    def test_sort_by_neighbour(self) -> None:
        """The order goes from column to column, and stops at either end."""

        async def act(scene: Scene) -> None:
            self.assertEqual("busy", scene.sorted_by)
            await scene.press("greater_than_sign")
            self.assertEqual("waiting", scene.sorted_by)
            await scene.press(*["less_than_sign"] * 9)
            self.assertEqual("name", scene.sorted_by)
            # A key of a column that the list lacks changes nothing.
            await scene.press("2", "x")
            self.assertEqual("busy", scene.sorted_by)

        run_app(act, running())


class StartTests(TestCase):
    """What the user asked for on the command line."""

    def test_sort(self) -> None:
        """The order that `--sort` asks for is that of the list of calls."""
        for sort, column in COLUMN_OF_SORT.items():
            app = SyswatchApp(Recorder().controls(), running(), column)
            self.assertEqual(column, app.browser.places.state.sorted_by)
            self.assertIn(column, [each.name for each in CALLS.columns], sort)


class PanelTests(TestCase):
    """The details beside the list."""

    def test_follows_the_cursor(self) -> None:
        """From 160 columns on, the panel shows the details of the selected row."""

        async def act(scene: Scene) -> None:
            await scene.press("2")
            self.assertIn("│ db.internal (10.0.0.5:5432, TCP, postgresql)", scene.text)
            await scene.press("j")
            self.assertIn("│ /var/lib/app/db.wal", scene.text)
            self.assertIn("│ processes worker[4713]", scene.text)

        run_app(act, running(), WIDE)

    def test_resize(self) -> None:
        """It appears and disappears with the width; every list fits any size."""

        async def act(scene: Scene) -> None:
            for key in "12345":
                await scene.press(key)
                for size in ((159, 24), (160, 24), (20, 5), (1, 1), (300, 60), (80, 24)):
                    await scene.pilot.resize_terminal(*size)
                    await scene.pilot.pause()
                    await scene.pilot.pause()
                    self.assertEqual(size[0] >= 160 and size[1] > 9, "│" in scene.text, (key, size))

        run_app(act, running())

    def test_objects_of_a_call(self) -> None:
        """The details of a call have its objects and its slowest calls."""

        async def act(scene: Scene) -> None:
            text = await scene.press("d")
            self.assertIn(f"{DATABASE.host} ({DATABASE.name}", text)
            self.assertIn("Slowest calls", text)

        run_app(act, running(), (100, 60))
