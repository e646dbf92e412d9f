"""Tests of the samplers."""

import threading

from twisted.trial.unittest import SynchronousTestCase

from syswatch.web.diagnostics.samplers import Timeline


class TimelineTests(SynchronousTestCase):
    """The stacks of all threads over time."""

    def test_idle(self) -> None:
        """Idle threads take no memory and are present until the last sample."""
        waiting, over = threading.Event(), threading.Event()

        def wait() -> None:
            waiting.set()
            over.wait()

        thread = threading.Thread(target=wait, name="idle")
        thread.start()
        self.addCleanup(thread.join)
        self.addCleanup(over.set)
        waiting.wait()
        timeline = Timeline()
        # The thread may not have reached its wait at the first sample.
        for _ in range(1_000):
            timeline.sample()

        self.assertLess(len(timeline.samples), 100)
        ends = [
            event["ts"] + event["dur"]
            for event in timeline.events()
            if event["tid"].startswith("idle") and event["name"].endswith("wait")
        ]
        self.assertEqual(1, len({round(end) for end in ends[-2:]}))
        self.assertAlmostEqual(timeline._last_ns / 1000, max(ends), places=1)
