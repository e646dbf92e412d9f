"""Tests of the bar of the time budget."""

from twisted.trial.unittest import TestCase

from syswatch.model.preferences import ShareOf
from syswatch.terminal.ui.budget_bar import bar_of, budget_line, letters_of
from syswatch.terminal.ui.styled_text import Line, cell_width
from syswatch.views.budget.budget import Budget, PartKey, budget
from syswatch.views.budget.states import TimeState

from .example_server import running, without_times

_S = 10**9


def text_of(line: Line) -> str:
    """Return the text of a line."""
    return "".join(text for text, _ in line)


class BarTests(TestCase):
    """The bar itself."""

    def test_patterns(self) -> None:
        """Each state begins with its letter and has a pattern of its own."""
        states = {TimeState.BLOCKED: 6 * _S, TimeState.USER: 3 * _S, TimeState.IDLE: _S}
        self.assertEqual("B█████U▓▓I", text_of(bar_of(states, 10)))
        self.assertEqual("BBBBBBUUUI", letters_of(states, 10))
        patterns = {text_of(bar_of({state: 1}, 2))[1] for state in TimeState}
        self.assertEqual(len(TimeState), len(patterns))

    def test_nothing(self) -> None:
        """No time is no bar."""
        self.assertEqual([], bar_of({}, 10))
        self.assertEqual("", letters_of({TimeState.BLOCKED: 0}, 10))

    def test_length(self) -> None:
        """The bar is exactly as long as it should be, whatever the shares are."""
        for parts in range(1, 50):
            states = {state: parts**place for place, state in enumerate(TimeState)}
            for cells in (1, 7, 30):
                self.assertEqual(cells, len(letters_of(states, cells)))


class LineTests(TestCase):
    """The bar with its legend."""

    def test_width(self) -> None:
        """It fits from 40 columns on, and has the largest states at least."""
        for width in range(40, 240, 9):
            line = budget_line(budget(running()), ShareOf.BUSY, width)
            self.assertLessEqual(cell_width(line), width)
            self.assertIn("U own code 63.9 %", text_of(line))

    def test_kinds(self) -> None:
        """A wide terminal shows what kinds of objects threads were blocked on."""
        line = budget_line(budget(running()), ShareOf.BUSY, 240)
        self.assertIn("B blocked 35.5 %  (TCP peers 26 %, files ", text_of(line))
        self.assertIn("of 4m56s busy time", text_of(line))

    def test_share_of(self) -> None:
        """Shares of the wall time include the idle time."""
        line = budget_line(budget(running()), ShareOf.WALL, 200)
        self.assertIn("I idle 9", text_of(line))
        self.assertIn("wall time", text_of(line))

    def test_idle(self) -> None:
        """A program that only waits for work is said to be idle."""
        spent = Budget({PartKey(TimeState.IDLE): 60 * _S}, threads=1, call_ns=0)
        line = text_of(budget_line(spent, ShareOf.BUSY, 80))
        self.assertIn("idle for 1m0s: waits for work only", line)

    def test_estimated(self) -> None:
        """Estimated times are said to be about right."""
        line = budget_line(budget(without_times()), ShareOf.BUSY, 200)
        self.assertIn("of about 52s busy time", text_of(line))
