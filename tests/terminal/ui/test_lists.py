"""The lists of objects, threads, slow calls and processes, and the way between them."""

from twisted.trial.unittest import TestCase

from syswatch.model.delta import Delta
from syswatch.model.messages import Ended
from syswatch.model.now import Doing, Now, ThreadNow
from syswatch.model.objects import ObjectInfo, ObjectKind, Side
from syswatch.terminal.ui.lists import LISTS

from .example_server import running
from .example_times import DATABASE, JOURNAL, PAGE, TIMES
from .harness import BUSY, NOW_S, Scene, run_app, snapshot_of, tally

WIDE = (160, 50)


def line_with(scene: Scene, text: str) -> str:
    """Return the first line with a text below the tabs."""
    below = scene.lines.index(next(line for line in scene.lines if " 1 Calls" in line)) + 1
    return next(line for line in scene.lines[below:] if text in line)


class ListTests(TestCase):
    """Each list on its own."""

    def test_objects(self) -> None:
        """The costliest object comes first, with its kind, times, bytes and calls."""

        async def act(scene: Scene) -> None:
            await scene.press("2")
            self.assertIn("10.0.0.5:5432", scene.names[0] + scene.lines[9])
            line = line_with(scene, "10.0.0.5:5432")
            for expected in ("tcp", "77 s", "77 s+", "9.26 MiB", "2300"):
                self.assertIn(expected, line)
            # Idle waits do not count as time, but as waiting.
            self.assertIn("–     690 s", line_with(scene, "timerfd 4"))

        run_app(act, running())

    def test_sort_objects(self) -> None:
        """Objects are sorted by waiting, bytes, calls, errors and name."""
        firsts = {
            "i": "worker (4713) 0x7f98",
            "b": "/var/lib/app/db.wal",
            "c": "192.0.2.7",
            "e": "192.0.2.7",
            "n": "/srv/",
        }

        async def act(scene: Scene) -> None:
            await scene.press("2")
            for key, first in firsts.items():
                await scene.press(key)
                self.assertIn(first, scene.names[0], key)

        run_app(act, running())

    def test_filter_objects(self) -> None:
        """Objects are filtered by a part of the name, a kind, or a fact about them."""
        cases = {"wal": 2, "tcp": 3, "files": 3, "nothing": 0, "40112": 1}

        async def act(scene: Scene) -> None:
            await scene.press("2")
            for text, found in cases.items():
                await scene.press("slash", *text, "enter")
                self.assertEqual(len(scene.names), found, text)
                await scene.press("escape")

        run_app(act, running())

    def test_threads(self) -> None:
        """The thread that is blocked longest comes first; idle ones are last, with the reason."""

        async def act(scene: Scene) -> None:
            await scene.press("3")
            first, second, *_, last = scene.names
            self.assertEqual(
                (first, second, last), ("worker[4713]", "wal-writer[4721]", "nginx[4712]")
            )
            line = line_with(scene, "recvfrom")
            for expected in ("worker", "4713", "blocked", "16s", "10.0.0.5:5432", "waits for the"):
                self.assertIn(expected, line)
            self.assertIn("waits for events", line_with(scene, "rt_sigsuspend"))
            # The letters of its time: about a tenth blocked, and the rest idle.
            self.assertIn("BUIIIIIIII", line)

        run_app(act, running(), WIDE)

    def test_ended_threads(self) -> None:
        """After the end the threads stay, with their times."""

        async def act(scene: Scene) -> None:
            text = await scene.press("3")
            self.assertEqual(5, text.count(" ended  "))
            self.assertIn("the trace has ended", await scene.press("d"))

        run_app(act, snapshot_of(BUSY, TIMES, end=Ended(exit_code=0)))

    def test_slowest(self) -> None:
        """The slowest call comes first, with its object and its arguments on its page."""

        async def act(scene: Scene) -> None:
            await scene.press("4")
            self.assertEqual(["recvfrom", "recvfrom", "epoll_wait"], scene.names[:3])
            self.assertIn("9.1 s", line_with(scene, "recvfrom"))
            text = await scene.press("enter")
            self.assertIn('recvfrom(12, "T\\0"..., 8192, 0, NULL, NULL)', text)
            self.assertIn("blocked: waits for the peer", text)
            self.assertIn("thread worker[4713]", text)

        run_app(act, running())

    def test_processes(self) -> None:
        """A process has the time of its threads; the tree is sorted by numbers, too."""

        async def act(scene: Scene) -> None:
            await scene.press("5")
            self.assertEqual("nginx[42]", scene.names[0])
            self.assertIn("└ worker[4713]", line_with(scene, "4713"))
            await scene.press("u")
            self.assertEqual("worker[4713]", scene.names[0])

        run_app(act, running())

    def test_blocked_since_the_start(self) -> None:
        """A call that has never returned is in all lists, and not idle."""
        info = ObjectInfo(ObjectKind.TCP, "10.0.0.9:80", side=Side.CLIENT)
        at_ns = (NOW_S + 16) * 10**9
        thread = ThreadNow(
            42, "curl", Doing.IN_CALL, "recvfrom", NOW_S * 10**9, waits=True, object=info.id
        )
        stuck = Delta(objects={info.id: info}, now=Now(at_ns, {42: thread}))

        async def act(scene: Scene) -> None:
            self.assertIn("16 s+", line_with(scene, "recvfrom"))
            await scene.press("2")
            self.assertIn("16 s+", line_with(scene, "10.0.0.9:80"))
            await scene.press("3")
            self.assertIn("blocked", line_with(scene, "10.0.0.9:80"))

        run_app(act, snapshot_of(stuck))

    def test_copy(self) -> None:
        """A row of any list is copied with exact numbers."""

        async def act(scene: Scene) -> None:
            for key in "12345":
                await scene.press(key)
                self.assertIn("copied ", await scene.press("y"))
                name, *numbers = scene.app.clipboard.split("\t")
                self.assertTrue(name)
                self.assertTrue(numbers[0].isdigit(), numbers)

        run_app(act, running())

    def test_details(self) -> None:
        """The details of a row of any list open on a page, and close when it is gone."""

        async def act(scene: Scene) -> None:
            for key in "12345":
                await scene.press(key)
                title = scene.cursor
                self.assertTrue((await scene.press("d")).startswith(f" {title}"[:40]), key)
                await scene.press("escape")
            await scene.press("2", "d")
            scene.app.update_snapshot(snapshot_of(BUSY))
            await scene.pilot.pause()
            self.assertIn("No calls on it yet", scene.text)

        run_app(act, running())


class NoDataTests(TestCase):
    """Old recordings, `--no-objects` and `--mode counts`."""

    def test_reason(self) -> None:
        """Each list without data says why; the others work."""

        async def act(scene: Scene) -> None:
            for key in "234":
                self.assertIn("an old recording, --no-objects", await scene.press(key))
                await scene.press("d", "enter", "y", "u", "greater_than_sign", "j")
            self.assertIn("nginx[42]", await scene.press("5"))
            self.assertIn("read", await scene.press("1"))

        run_app(act, snapshot_of(BUSY))

    def test_counts(self) -> None:
        """Without durations, the most frequent call comes first."""
        counts = {"close": tally(3), "read": tally(9), "openat": tally(5)}
        untimed = {name: type(each)(count=each.count) for name, each in counts.items()}

        async def act(scene: Scene) -> None:
            self.assertEqual(["read", "openat", "close"], scene.names)
            self.assertIn("where the time went is not known", scene.lines[0])

        run_app(act, snapshot_of(Delta(calls=untimed)))

    def test_nothing(self) -> None:
        """Before the first call, every list and its keys work."""

        async def act(scene: Scene) -> None:
            for key in "12345":
                await scene.press(key, "d", "enter", "y", "j", "u", "r", "less_than_sign")
            self.assertIn("No system calls yet", scene.text)

        run_app(act, snapshot_of(), WIDE)


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
            self.assertIn("1150", line_with(scene, "recvfrom"))
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
            self.assertIn("400", line_with(scene, "futex"))
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
            names = list(LISTS)
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
