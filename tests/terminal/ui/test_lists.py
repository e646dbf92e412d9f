"""The lists of objects, threads, slow calls and processes."""

import attrs
from twisted.trial.unittest import TestCase

from syswatch.model.activity import ActivityKey, Sums
from syswatch.model.delta import Delta
from syswatch.model.messages import Ended
from syswatch.model.now import Doing, Now, ThreadNow
from syswatch.model.objects import ObjectInfo, ObjectKind, Side
from syswatch.model.threads import ThreadTally, ThreadTimes, Wait
from syswatch.terminal.ui.help_page import help_page
from syswatch.terminal.ui.listing import ALL
from syswatch.terminal.ui.lists.threads import THREADS

from .example_server import grouped, running
from .example_times import TIMES
from .harness import BUSY, NOW_S, Scene, run_app, snapshot_of, tally

WIDE = (160, 50)
# The details are not shown beside the list.
NARROWER = (120, 40)


class ListTests(TestCase):
    """Each list on its own."""

    def test_objects(self) -> None:
        """The costliest object comes first, with its kind, times, bytes and calls."""

        async def act(scene: Scene) -> None:
            await scene.press("2")
            self.assertIn("10.0.0.5:5432", scene.names[0] + scene.lines[9])
            line = scene.line_with("10.0.0.5:5432")
            for expected in ("tcp", "77 s", "77 s+", "9.26 MiB", "2300"):
                self.assertIn(expected, line)
            # Idle waits do not count as time, but as waiting.
            self.assertIn("–     690 s", scene.line_with("timerfd 4"))

        run_app(act, running())

    def test_sort_objects(self) -> None:
        """Objects are sorted by waiting, bytes, calls, errors and name."""
        firsts = {
            "i": "0x7f98a4001230 in [heap]",
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
            line = scene.line_with("recvfrom")
            for expected in ("worker", "4713", "blocked", "16s", "10.0.0.5:5432", "waits for the"):
                self.assertIn(expected, line)
            self.assertIn("waits for events", scene.line_with("rt_sigsuspend"))
            # The letters of its time: about a tenth blocked, and the rest idle.
            self.assertIn("BUIIIIIIII", line)

        run_app(act, running(), WIDE)

    def test_threads_with_filter(self) -> None:
        """With a filter, a thread that is in no selected call may be in another one."""
        snapshot = running()
        filtered = attrs.evolve(snapshot, source=attrs.evolve(snapshot.source, only="-e read"))

        async def act(scene: Scene) -> None:
            await scene.press("3")
            self.assertIn(" outside ", scene.line_with("4722"))

        run_app(act, filtered, size=NARROWER)

    def test_titles_with_filter(self) -> None:
        """With a filter, titles, help and copied text do not say that time is own code."""
        snapshot = running()
        filtered = attrs.evolve(snapshot, source=attrs.evolve(snapshot.source, only="-e read"))

        async def act(scene: Scene) -> None:
            await scene.press("3")
            self.assertIn(f" {title} ", scene.line_with("THREAD"))
            self.assertIn(f"[x] {title} ", await scene.press("v"))

        for shown, title in ((snapshot, "OWN CODE"), (filtered, "OUTSIDE")):
            run_app(act, shown, (240, 50))
            row, *_ = THREADS.items(shown, ALL)
            self.assertIn(f"blocked, {title.lower()}, in calls", THREADS.copied(row)[1])
        text = "\n".join("".join(part for part, _ in line) for line in help_page(filtered, 160))
        self.assertNotIn("own code ", text.replace("in own code or other calls", ""))
        self.assertNotIn("OWN CODE", text)
        self.assertIn("  S outside, off CPU Off the CPU outside of the selected calls", text)
        self.assertIn("  OUTSIDE    Its time on a CPU, outside of the selected calls", text)

    def test_ended_threads(self) -> None:
        """After the end the threads stay, with their times."""

        async def act(scene: Scene) -> None:
            text = await scene.press("3")
            self.assertEqual(5, text.count(" ended  "))
            # Columns that are empty now give way to those of times.
            titles = scene.line_with("THREAD").split()
            self.assertEqual(["THREAD", "TID", "STATE▼", "TIME", "BUSY"], titles[:5])
            self.assertIn("the trace has ended", await scene.press("d"))

        run_app(act, snapshot_of(BUSY, TIMES, end=Ended(exit_code=0)))

    def test_long_names(self) -> None:
        """What distinguishes objects is shown if their names are long: ends of paths, addresses."""
        path = "/usr/lib/python3.11/site-packages/a_long_name_of_a_package/module.py"
        lock = "python3 (4711): 0x7f98a4001230 in /usr/lib/x86_64-linux-gnu/libc.so.6"
        objects = {
            100: ObjectInfo(ObjectKind.FILE, path),
            101: ObjectInfo(ObjectKind.FUTEX, lock),
        }
        activity = {ActivityKey(42, 42, number, "read"): Sums(1) for number in objects}
        delta = Delta(calls={"read": tally(2)}, objects=objects, activity=activity)

        async def act(scene: Scene) -> None:
            await scene.press("2")
            self.assertEqual(2, len(scene.names))
            self.assertIn("/module.py file", scene.line_with("module.py"))
            self.assertIn("0x7f98a4001230", scene.line_with("futex"))

        run_app(act, snapshot_of(delta))

    def test_slowest(self) -> None:
        """The slowest call comes first, with its object and its arguments on its page."""

        async def act(scene: Scene) -> None:
            await scene.press("4")
            self.assertEqual(["recvfrom", "recvfrom", "epoll_wait"], scene.names[:3])
            self.assertIn("9.1 s", scene.line_with("recvfrom"))
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
            self.assertIn("└ worker[4713]", scene.line_with("4713"))
            await scene.press("u")
            self.assertEqual("worker[4713]", scene.names[0])

        run_app(act, running())

    def test_groups(self) -> None:
        """The first line says which group did most; the busiest is first, the others sum up."""

        async def act(scene: Scene) -> None:
            self.assertIn(" 9 Groups", scene.text)
            self.assertNotIn(" 8 Output", scene.text)
            await scene.press("9")
            self.assertEqual(["web", "shop/db-0/postgres"], scene.names[:2])
            self.assertEqual("other groups", scene.names[-1])
            self.assertIn("web (container) made 59.4 % of 119 k calls", scene.lines[0])
            self.assertIn("postgres (container) spent the most time working", scene.text)
            for expected in ("container", "70.5 k", "59.4 %", "5692", "156 ms", "121 s"):
                self.assertIn(expected, scene.line_with("web"))
            await scene.press("u")
            self.assertEqual("shop/db-0/postgres", scene.names[0])
            for text, found in {"team=front": 1, "unit": 1, "/system.slice": 2, "9a41": 1}.items():
                await scene.press("slash", *text, "enter")
                self.assertEqual(found, len(scene.names), text)
                await scene.press("escape")

        run_app(act, grouped(), NARROWER)

    def test_group(self) -> None:
        """Enter shows what is known of a group, and its calls, which add up to its number."""

        async def act(scene: Scene) -> None:
            text = await scene.press("9", "enter")
            for expected in ("web (container)", "label team frontend", "lives 2", "70,510"):
                self.assertIn(expected, text)
            line = next(line for line in scene.lines if line.startswith("epoll_wait"))
            for expected in ("40.2 k", "60 ms", "121 s"):
                self.assertIn(expected, line)

        run_app(act, grouped(), NARROWER)

    def test_no_groups(self) -> None:
        """Without groups there is no such tab; its key says how to have them."""

        async def act(scene: Scene) -> None:
            self.assertNotIn("9 Groups", scene.text)
            await scene.press("5", "tab")
            self.assertEqual("calls", scene.app.table.listing.name)
            self.assertIn("--by container", await scene.press("9"))
            self.assertIn("9 Groups", scene.text)
            await scene.press("d", "enter", "y", "u", "j", "tab")
            self.assertEqual("calls", scene.app.table.listing.name)

        run_app(act, running())

    def test_groups_of_a_process(self) -> None:
        """Groups are not limited to a process: the list says so instead of showing all."""

        async def act(scene: Scene) -> None:
            await scene.press("5", "enter")
            self.assertIn("those of the whole machine", await scene.press("9"))
            self.assertEqual([], scene.names)
            self.assertNotIn("made 59.4 %", scene.lines[0])

        run_app(act, grouped())

    def test_blocked_since_the_start(self) -> None:
        """A call that has never returned is in all lists, and not idle."""
        info = ObjectInfo(ObjectKind.TCP, "10.0.0.9:80", side=Side.CLIENT)
        at_ns = (NOW_S + 16) * 10**9
        thread = ThreadNow(
            42, "curl", Doing.IN_CALL, "recvfrom", NOW_S * 10**9, waits=True, object=info.id
        )
        stuck = Delta(objects={info.id: info}, now=Now(at_ns, {42: thread}))

        async def act(scene: Scene) -> None:
            self.assertIn("16 s+", scene.line_with("recvfrom"))
            await scene.press("2")
            self.assertIn("16 s+", scene.line_with("10.0.0.9:80"))
            await scene.press("3")
            self.assertIn("blocked", scene.line_with("10.0.0.9:80"))

        run_app(act, snapshot_of(stuck))

    def test_blocked_before_the_trace(self) -> None:
        """A wait that began before the trace counts from its beginning on, and takes longer."""
        info = ObjectInfo(ObjectKind.TCP, "10.0.0.9:80", side=Side.CLIENT)
        thread = ThreadNow(42, "curl", Doing.IN_CALL, "recvfrom", None, waits=True, object=info.id)
        waited = ThreadTimes(waiting={Wait(info.id, "recvfrom"): 7 * 10**9})
        stuck = Delta(
            objects={info.id: info},
            now=Now((NOW_S + 7) * 10**9, {42: thread}),
            threads={42: ThreadTally(42, "curl", waited)},
        )

        async def act(scene: Scene) -> None:
            self.assertIn(" 7 s+", scene.line_with("recvfrom"))
            await scene.press("2")
            self.assertIn(" 7 s+", scene.line_with("10.0.0.9:80"))
            await scene.press("3")
            self.assertIn(">7 s", scene.line_with("recvfrom"))

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
            for key in "123459":
                await scene.press(key, "d", "enter", "y", "j", "u", "r", "less_than_sign")
            self.assertIn("No system calls yet", scene.text)

        run_app(act, snapshot_of(), WIDE)
