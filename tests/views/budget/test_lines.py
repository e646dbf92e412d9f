"""Tests of the lines of the verdict."""

from hypothesis import given
from hypothesis import strategies as st
from twisted.trial.unittest import SynchronousTestCase

from syswatch.views.budget.lines import verdict_lines
from syswatch.views.budget.verdict import verdict

from .test_verdict import QUERY, QUERY_VERDICT
from .worlds import world

_CELLS = 80
_HOST = "ec2-54-123-200-100.eu-central-1.compute.amazonaws.com"


class LinesTests(SynchronousTestCase):
    """What is on the first line, and what follows."""

    def test_unlimited(self) -> None:
        """Where there is room, or no terminal, the sentence is one line."""
        sentence = verdict(world(QUERY))

        self.assertEqual([QUERY_VERDICT], verdict_lines(sentence, None))
        self.assertEqual([QUERY_VERDICT], verdict_lines(sentence, len(QUERY_VERDICT)))

    def test_parts(self) -> None:
        """The largest wait is on the first line, and the next one on a line of its own."""
        self.assertEqual(
            [
                "4.2 s: 93 % waiting, 3.1 s of it for 10.0.0.5:5432 (TCP, postgresql),",
                "  0.8 s in fsync of /var/lib/app/db.wal",
            ],
            verdict_lines(verdict(world(QUERY)), _CELLS),
        )

    def test_cases(self) -> None:
        """The first line has the largest state with its reason, in as many words as fit."""
        for sentence, expected in (
            (
                (
                    "5,148 calls; where the time went is not known: "
                    "the log has no durations (strace -T writes them)"
                ),
                ["5,148 calls; where the time went is not known: the log has no durations"],
            ),
            (
                (
                    "70 s (5m45s in 69 threads), busy 4m37s: 46 % waiting for a free CPU; "
                    "49 % waiting for each other, 2m13s of it for 40 child processes (cc1); "
                    "idle 68 s: main poll of an event loop"
                ),
                [
                    "70 s (5m45s in 69 threads), busy 4m37s: 46 % waiting for a free CPU;",
                    "  49 % waiting for each other, 2m13s of it for 40 child processes (cc1);",
                    "  idle 68 s: main poll of an event loop",
                ],
            ),
            (
                (
                    "idle 96 % of 801 ms (4.7 s in 6 threads): main poll of an event loop; "
                    "busy 0.2 s: 9 % waiting for a free CPU; 90 % stopped, mostly by ptrace"
                ),
                [
                    "idle 96 % of 801 ms (4.7 s in 6 threads): main poll of an event loop;",
                    "  busy 0.2 s: 9 % waiting for a free CPU; 90 % stopped, mostly by ptrace",
                ],
            ),
            (
                (
                    "22 s (72 s in 6 threads): 17 % waiting, "
                    "12 s of it for localhost (127.0.0.1:29418, TCP)"
                ),
                ["22 s (72 s in 6 threads): 17 % waiting, 12 s for localhost (127.0.0.1:29418)"],
            ),
            (
                (
                    "12 s (36 s in 3 threads): about 98 % waiting for each other, "
                    "12 s of it for other threads (futex …6af0 in [heap])"
                ),
                ["12 s (36 s in 3 threads): ~98 % waiting for each other, 12 s for other threads"],
            ),
            (
                (
                    f"4.2 s: 93 % waiting, 3.1 s of it for {_HOST} "
                    "(54.123.200.100:443, TCP, https), "
                    "0.8 s in fsync of /a"
                ),
                [
                    (
                        "4.2 s: 93 % waiting, 3.1 s for ec2-54-1…pute.amazonaws.com "
                        "(54.123.200.100:443),"
                    ),
                    "  0.8 s in fsync of /a",
                ],
            ),
            (
                (
                    "42 s (1m2s in 20 threads), busy 40 s: 93 % waiting, 3.1 s of it reading "
                    f"/srv/{'data/' * 20}orders.ibd; 7 % in its own code"
                ),
                [
                    "42 s, busy 40 s: 93 % waiting, 3.1 s reading /srv/da…data/orders.ibd;",
                    "  7 % in its own code",
                ],
            ),
            ("x" * 90, ["x" * 26 + "…" + "x" * 53]),
            ("no time: " + "y " * 50, ["no time: " + "y " * 35 + "…"]),
        ):
            with self.subTest(sentence):
                self.assertEqual(expected, verdict_lines(sentence, _CELLS))

    @given(st.text("ab ,;:()/…", max_size=200), st.integers(0, 90))
    def test_any(self, sentence: str, width: int) -> None:
        """No line is wider than the terminal, and there is always one."""
        lines = verdict_lines(sentence, width)

        self.assertTrue(lines)
        for line in lines:
            self.assertLessEqual(len(line), max(width, len("  …")))
