"""Tests of lazy lists and of scroll positions."""

from twisted.trial.unittest import TestCase

from syswatch.terminal.ui.long_lists import LazyList, ScrollPosition


class LazyListTests(TestCase):
    """Items computed on access."""

    def test_lazy(self) -> None:
        """Only items that are accessed are computed."""
        computed: list[int] = []

        def convert(number: int) -> str:
            computed.append(number)
            return str(number)

        texts = LazyList(range(1000), convert)
        self.assertEqual((texts[3:5], texts[-1]), (["3", "4"], "999"))
        self.assertEqual((len(texts), computed), (1000, [3, 4, 999]))


class ScrollPositionTests(TestCase):
    """The visible part of a list."""

    def test_bounds(self) -> None:
        """The position stays within the list, also when the list becomes shorter."""
        scroll = ScrollPosition()
        scroll.fit(100, 10)
        scroll.scroll_to(200)
        self.assertEqual((scroll.top, scroll.at_end), (90, True))
        scroll.fit(20, 10)
        self.assertEqual(scroll.top, 10)
        scroll.scroll_to(-5)
        self.assertEqual((scroll.top, scroll.at_end), (0, False))

    def test_reveal(self) -> None:
        """A line is made visible with as little scrolling as possible."""
        scroll = ScrollPosition()
        scroll.fit(100, 10)
        for line, top in ((5, 0), (10, 1), (50, 41), (45, 41), (3, 3)):
            scroll.reveal(line)
            self.assertEqual(scroll.top, top)
