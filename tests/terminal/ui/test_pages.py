"""The pages over the table, on a screen in memory."""

from twisted.trial.unittest import TestCase

from .harness import BUSY, Recorder, Scene, run_app, snapshot_of


class PageTests(TestCase):
    """The pages over the table."""

    def test_detail(self) -> None:
        """The page of a call shows totals, latency, errors and the reference."""

        async def act(scene: Scene) -> None:
            text = await scene.press("e", "d")
            for expected in ("calls 400", "300 (75 %)", "Latency", "Recent errors"):
                self.assertIn(expected, text)
            self.assertIn("int openat(", text)

        run_app(act, size=(100, 60))

    def test_files_scroll(self) -> None:
        """Top Files scrolls with the arrow keys and with j and k."""

        async def act(scene: Scene) -> None:
            text = await scene.press("f")
            self.assertIn("Top Files", text)
            self.assertIn("PATH", scene.lines[1])
            first = scene.lines[2]
            await scene.press("j", "down")
            self.assertNotIn(first, scene.text)
            self.assertIn(first, await scene.press("k", "up"))
            self.assertIn("of 61", await scene.press("end"))
            # The titles of the columns do not scroll.
            self.assertIn("PATH", scene.lines[1])

        run_app(act)

    def test_sideways(self) -> None:
        """Wide lines scroll sideways, to their end and back."""
        line = "".join(f"{number:05}" for number in range(50))

        async def act(scene: Scene) -> None:
            self.assertIn(line[:80], await scene.press("o"))
            self.assertIn(line[20:100], await scene.press("right"))
            self.assertIn(line[-80:], await scene.press(*["right"] * 20))
            self.assertIn(line[:80], await scene.press(*["left"] * 9))

        run_app(act, recorder=Recorder(lines=[line]))

    def test_processes(self) -> None:
        """A process is shown below its parent, with how it ended."""

        async def act(scene: Scene) -> None:
            text = await scene.press("p")
            self.assertIn("nginx[42]", text)
            (line,) = (line for line in scene.lines if "worker" in line)
            self.assertTrue(line.startswith("└ worker[43] \u00d72 "), line)
            self.assertTrue(line.endswith("exited with 3"), line)

        run_app(act)

    def test_log_and_output(self) -> None:
        """The log shows calls as strace prints them; the output shows its last lines."""

        async def act(scene: Scene) -> None:
            await scene.press("l")
            self.assertIn("= -1 ENOENT", await scene.press("right"))
            self.assertIn("line 99", await scene.press("escape", "o"))

        run_app(act, recorder=Recorder(lines=[f"line {number}" for number in range(100)]))

    def test_help(self) -> None:
        """The help lists keys and columns."""

        async def act(scene: Scene) -> None:
            text = await scene.press("question_mark")
            for expected in ("PgUp", "Ctrl+C", "OSC 52", "P99", "ERRNO", "sort by CAT"):
                self.assertIn(expected, text)

        run_app(act, size=(100, 160))

    def test_page_is_live(self) -> None:
        """An open page shows the latest numbers."""

        async def act(scene: Scene) -> None:
            await scene.press("d")
            scene.app.update_snapshot(snapshot_of(BUSY, BUSY))
            await scene.pilot.pause()
            self.assertIn("calls 1,800", scene.text)

        run_app(act)

    def test_table_is_live_after_it(self) -> None:
        """The table is up to date when a page is closed."""

        async def act(scene: Scene) -> None:
            await scene.press("f")
            scene.app.update_snapshot(snapshot_of(BUSY, BUSY))
            self.assertIn("2834 calls", await scene.press("escape"))

        run_app(act)
