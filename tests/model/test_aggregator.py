"""Tests of the aggregator and its snapshots."""

from twisted.trial.unittest import SynchronousTestCase

from syswatch.model.aggregator import Aggregator
from syswatch.model.calls import CallTally
from syswatch.model.delta import Delta, Span
from syswatch.model.messages import Ended, Started
from syswatch.model.process import ProcessInfo
from syswatch.model.window import SecondTotals, Window

_S = 10**9


def reads(second: int, count: int = 1, errors: int = 0) -> Delta:
    """Return the totals of some reads in one second."""
    return Delta(
        calls={"read": CallTally(count=count, errors=errors)},
        window=Window({second: {"read": SecondTotals(count, errors)}}),
        span=Span(second * _S, second * _S + 1),
    )


class AggregatorTests(SynchronousTestCase):
    """The values of a snapshot."""

    def test_nothing_yet(self) -> None:
        """A snapshot of nothing is empty and not done."""
        snapshot = Aggregator().snapshot()

        self.assertEqual(
            (0, 0, 0, 0), (snapshot.total, snapshot.errors, snapshot.rate, snapshot.elapsed_ns)
        )
        self.assertFalse(snapshot.done)
        self.assertIsNone(snapshot.now_ns)
        self.assertIsNone(snapshot.part_read)

    def test_sums(self) -> None:
        """Deltas are summed, and totals are the totals of the table."""
        aggregator = Aggregator()
        aggregator.add(reads(10, 5, 1))
        aggregator.add(reads(11, 2))
        aggregator.add(Delta(calls={"write": CallTally(count=9)}))

        snapshot = aggregator.snapshot()

        self.assertEqual(["write", "read"], [call.name for call in snapshot.calls])
        self.assertEqual((16, 1), (snapshot.total, snapshot.errors))
        self.assertEqual(snapshot.total, sum(call.tally.count for call in snapshot.calls))

    def test_order_of_equals(self) -> None:
        """Calls with the same count are in the order of their names."""
        aggregator = Aggregator()
        aggregator.add(
            Delta(calls={name: CallTally(count=2) for name in ("write", "close", "read")})
        )

        self.assertEqual(
            ["close", "read", "write"], [call.name for call in aggregator.snapshot().calls]
        )

    def test_trace_time_is_now(self) -> None:
        """The time of a snapshot defaults to the last timestamp of the trace."""
        aggregator = Aggregator()
        aggregator.add(reads(10))
        aggregator.add(reads(73))

        snapshot = aggregator.snapshot()

        self.assertEqual(73 * _S + 1, snapshot.now_ns)
        self.assertEqual(63 * _S + 1, snapshot.elapsed_ns)

    def test_clock_set_back(self) -> None:
        """No time has elapsed if the clock goes backwards."""
        aggregator = Aggregator()
        aggregator.add(reads(10))

        self.assertEqual(0, aggregator.snapshot(now_ns=5 * _S).elapsed_ns)

    def test_rate(self) -> None:
        """The rate is that of the last few seconds, and falls to 0 when nothing happens."""
        aggregator = Aggregator()
        for second in range(10, 20):
            aggregator.add(reads(second, 40))

        rates = [aggregator.snapshot((21 + seconds) * _S).rate for seconds in range(4)]

        self.assertEqual([40.0, 30.0, 10.0, 0.0], [round(rate) for rate in rates])

    def test_rates_add_up(self) -> None:
        """The rates of the calls add up to that of all."""
        aggregator = Aggregator()
        for second in range(10, 20):
            aggregator.add(reads(second, second))
            moments = {name: SecondTotals(7 * second) for name in ("close", "openat", "write")}
            aggregator.add(
                Delta(
                    calls={name: CallTally(count=7 * second) for name in moments},
                    window=Window({second: moments}),
                    span=Span(10 * _S, second * _S + 777_777_777),
                )
            )
            for part in range(0, _S, 77_777_777):
                view = aggregator.snapshot(second * _S + part)
                self.assertAlmostEqual(view.rate, sum(call.rate for call in view.calls), places=6)
                self.assertGreater(view.rate, 0)

    def test_rate_when_done(self) -> None:
        """Nothing has a rate when it is done."""
        aggregator = Aggregator()
        aggregator.add(reads(10, 40))
        aggregator.add(reads(11, 3))
        aggregator.ended(Ended())

        self.assertEqual(0, aggregator.snapshot().rate)

    def test_error_window(self) -> None:
        """Errors of the last sixty seconds are counted, older ones are not."""
        aggregator = Aggregator()
        for second in (40, 41, 99, 100):
            aggregator.add(reads(second, 1, 1))

        (read,) = aggregator.snapshot(100 * _S).calls

        self.assertEqual(4, read.tally.errors)
        self.assertEqual(3, read.errors_60s)

    def test_end(self) -> None:
        """A snapshot has how the program ended."""
        aggregator = Aggregator()
        aggregator.ended(Ended(exit_code=3))

        snapshot = aggregator.snapshot()

        self.assertTrue(snapshot.done)
        self.assertEqual(3, snapshot.end.exit_code)

    def test_failure_keeps_the_numbers(self) -> None:
        """A failure keeps what was known before."""
        aggregator = Aggregator()
        aggregator.add(reads(10, 40))
        aggregator.failed("it broke")

        snapshot = aggregator.snapshot()

        self.assertEqual((True, "it broke", 40), (snapshot.done, snapshot.trouble, snapshot.total))

    def test_source(self) -> None:
        """A snapshot has the source, and how much of a log of known size has been read."""
        aggregator = Aggregator()
        aggregator.started(Started("strace log", ProcessInfo(7, "cat"), total_bytes=200))
        aggregator.add(Delta(reading=Delta().reading))

        snapshot = aggregator.snapshot()

        self.assertEqual(7, snapshot.source.process.pid)
        self.assertEqual(0.0, snapshot.part_read)
