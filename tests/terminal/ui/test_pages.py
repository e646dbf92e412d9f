"""The pages that lie over the table, on a screen in memory."""

from twisted.trial.unittest import TestCase

from .scenes import BUSY, Recorder, Scene, play, snapshot_of


class PageTests(TestCase):
    """The pages over the table."""

    def test_detail(self) -> None:
        """The page of a call has figures, histogram, errors and the reference."""

        async def act(scene: Scene) -> None:
            seen = await scene.press("e", "d")
            for words in ("calls 400", "300 (75 %)", "How long it takes", "The newest failures"):
                self.assertIn(words, seen)
            self.assertIn("int openat(", seen)

        play(act, size=(100, 60))

    def test_files_scroll(self) -> None:
        """Top Files scrolls with arrows and with j and k."""

        async def act(scene: Scene) -> None:
            seen = await scene.press("f")
            self.assertIn("Top Files", seen)
            self.assertIn("PATH", scene.lines[1])
            first = scene.lines[2]
            await scene.press("j", "down")
            self.assertNotIn(first, scene.text)
            self.assertIn(first, await scene.press("k", "up"))
            self.assertIn("of 61", await scene.press("end"))
            # The titles of the columns stay, and are no files.
            self.assertIn("PATH", scene.lines[1])

        play(act)

    def test_sideways(self) -> None:
        """What is wider than the screen is seen by going sideways, to its end and back."""
        line = "".join(f"{number:05}" for number in range(50))

        async def act(scene: Scene) -> None:
            self.assertIn(line[:80], await scene.press("o"))
            self.assertIn(line[20:100], await scene.press("right"))
            self.assertIn(line[-80:], await scene.press(*["right"] * 20))
            self.assertIn(line[:80], await scene.press(*["left"] * 9))

        play(act, recorder=Recorder(lines=[line]))

    def test_processes(self) -> None:
        """A process stands below the one that started it, with its end."""

        async def act(scene: Scene) -> None:
            seen = await scene.press("p")
            self.assertIn("nginx[42]", seen)
            self.assertIn("└ worker[43] \u00d72 exited with 3", seen)

        play(act)

    def test_log_and_output(self) -> None:
        """The log shows calls as strace prints them, the output its newest lines."""

        async def act(scene: Scene) -> None:
            self.assertIn("= -1 ENOENT", await scene.press("l"))
            self.assertIn("line 99", await scene.press("escape", "o"))

        play(act, recorder=Recorder(lines=[f"line {number}" for number in range(100)]))

    def test_help(self) -> None:
        """The help names every key and every column."""

        async def act(scene: Scene) -> None:
            seen = await scene.press("question_mark")
            for word in ("PgUp", "Ctrl+C", "OSC 52", "P99", "ERRNO", "by category"):
                self.assertIn(word, seen)

        play(act, size=(100, 60))

    def test_page_is_live(self) -> None:
        """A page shows the newest numbers."""

        async def act(scene: Scene) -> None:
            await scene.press("d")
            scene.app.take(snapshot_of(BUSY, BUSY))
            await scene.pilot.pause()
            self.assertIn("calls 1,800", scene.text)

        play(act)

    def test_table_is_live_after_it(self) -> None:
        """The table under a page stands still, and is up to date when the page is closed."""

        async def act(scene: Scene) -> None:
            await scene.press("f")
            scene.app.take(snapshot_of(BUSY, BUSY))
            self.assertIn("2834 calls", await scene.press("escape"))

        play(act)
