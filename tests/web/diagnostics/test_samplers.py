"""Tests of what looks at the running server."""

import threading

from twisted.trial.unittest import SynchronousTestCase

from syswatch.web.diagnostics.samplers import Timeline


class TimelineTests(SynchronousTestCase):
    """What every thread was doing."""

    def test_idle(self) -> None:
        """Threads that stay where they are take no memory, and are seen until the last look."""
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
        # It may not have come to its rest at the first look.
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
