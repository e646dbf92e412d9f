"""Tests of the tracer's running sums."""

from hypothesis import given
from hypothesis import strategies as st
from twisted.trial.unittest import SynchronousTestCase

from syswatch.model.calls import CallTally
from syswatch.model.delta import PATH_BYTES, TRACKED_PATHS, TRACKED_PROCESSES, Delta
from syswatch.model.histogram import Histogram
from syswatch.model.times import LONGEST_NS
from syswatch.model.window import HISTORY_S, SecondTotals
from syswatch.tracer.collector import Collector, cut

counted = st.lists(
    st.tuples(
        st.integers(1, 3),
        st.sampled_from(["close", "read"]),
        st.sampled_from(["", "", "EBADF", "EINTR"]),
        st.integers(0, 10**10) | st.none(),
        st.integers(100, 103) | st.none(),
        st.integers(1, 3),
    ),
    max_size=20,
)


class CollectorTests(SynchronousTestCase):
    """The content of a delta."""

    @given(counted)
    def test_sums(self, calls: list[tuple[int, str, str, int | None, int | None, int]]) -> None:
        """A delta holds the exact sums of what was counted."""
        collector = Collector(per_process=True)
        for pid, name, errno, duration, second, times in calls:
            collector.count(pid, name, errno, duration, second, times)

        delta = collector.take()

        expected = [each for each in calls for _ in range(each[5])]
        for name, tally in delta.calls.items():
            self.assertEqual(_tally([each for each in expected if each[1] == name]), tally)
        self.assertEqual(len(expected), sum(tally.count for tally in delta.calls.values()))
        self.assertEqual(len(expected), sum(tally.count for tally in delta.processes.values()))
        self.assertEqual(sum(each[3] is None for each in expected), delta.ledger.untimed_calls)
        self.assertEqual(sum(each[4] is None for each in expected), delta.ledger.undated_calls)
        dated = [moment for second in delta.window.seconds.values() for moment in second.values()]
        self.assertEqual(
            sum(each[4] is not None for each in expected), sum(moment.count for moment in dated)
        )

    @given(counted, st.integers(0, 20))
    def test_flush_anywhere(
        self, calls: list[tuple[int, str, str, int | None, int | None, int]], flush: int
    ) -> None:
        """Taking sums in between neither loses nor repeats anything."""
        whole, cut_in_two = Collector(), Collector()
        total = Delta()
        for index, call in enumerate(calls):
            if index == flush:
                total += cut_in_two.take()
            whole.count(*call)
            cut_in_two.count(*call)

        self.assertEqual(Delta() + whole.take(), total + cut_in_two.take())

    def test_processes_apart(self) -> None:
        """Tables by process are only kept on request."""
        for per_process in (False, True):
            collector = Collector(per_process=per_process)
            collector.count(1, "read", "", 5, 100)
            collector.count(2, "read", "", 7, 100)
            delta = collector.take()

            self.assertEqual(2, delta.calls["read"].count)
            self.assertEqual({1, 2} if per_process else set(), set(delta.by_process))
            self.assertEqual({1, 2}, set(delta.processes))

    def test_paths(self) -> None:
        """Paths are counted, long ones by their beginning, and failed calls separately."""
        collector = Collector()
        collector.count_path("/a", failed=False)
        collector.count_path("/a", 2, failed=True)
        collector.count_path("/" + "b" * 5000, failed=False)
        delta = collector.take()

        self.assertEqual({"/a": 3, "/" + "b" * (PATH_BYTES - 1): 1}, delta.paths)
        self.assertEqual({"/a": 2}, delta.failed_paths)
        self.assertEqual(({}, {}), (collector.take().paths, collector.take().failed_paths))

    def test_paths_are_bounded(self) -> None:
        """Paths beyond the table are counted in the ledger; known paths are still counted."""
        collector = Collector()
        for number in range(TRACKED_PATHS + 5):
            collector.count_path(f"/{number}", failed=number > 0)
        collector.count_path("/0", 9, failed=False)
        delta = collector.take()

        self.assertEqual((TRACKED_PATHS, 5), (len(delta.paths), delta.ledger.untracked_paths))
        self.assertEqual(10, delta.paths["/0"])
        self.assertEqual(delta.paths.keys() - {"/0"}, delta.failed_paths.keys())

    def test_ledger(self) -> None:
        """Entries of the ledger are set by name."""
        collector = Collector()
        collector.note("sampled_entries", 3)
        collector.note("sampled_entries")

        self.assertEqual(4, collector.take().ledger.sampled_entries)

    def test_only_the_newest_seconds(self) -> None:
        """The window is fifteen minutes, however long nothing was flushed."""
        collector = Collector()
        for second in range(2 * HISTORY_S):
            collector.count(1, "read", "", 5, second)

        window = collector.take().window

        self.assertEqual(HISTORY_S, len(window.seconds))
        self.assertEqual({"read": SecondTotals(1, 0, 5)}, window.seconds[2 * HISTORY_S - 1])

    def test_time_is_bounded(self) -> None:
        """A sum that exceeds what can be sent is limited."""
        collector = Collector()
        collector.count(1, "read", "", LONGEST_NS, 7, 3)
        delta = collector.take()

        self.assertEqual(LONGEST_NS, delta.calls["read"].total_ns)
        self.assertEqual(LONGEST_NS, delta.window.seconds[7]["read"].total_ns)
        self.assertEqual(LONGEST_NS, delta.processes[1].total_ns)


class CutTests(SynchronousTestCase):
    """Long paths."""

    @given(st.text(st.characters(exclude_categories=["Cs"]), max_size=2000))
    def test_between_characters(self, path: str) -> None:
        """A path is cut between two characters, and only if it is too long."""
        short = cut(path)

        self.assertTrue(path.startswith(short))
        self.assertLessEqual(len(short.encode()), PATH_BYTES)
        if len(path.encode()) <= PATH_BYTES:
            self.assertEqual(path, short)


def _tally(calls: list[tuple[int, str, str, int | None, int | None, int]]) -> CallTally:
    durations = [each[3] for each in calls if each[3] is not None]
    errnos: dict[str, int] = {}
    for _, _, errno, *_ in calls:
        if errno:
            errnos[errno] = errnos.get(errno, 0) + 1
    return CallTally(
        count=len(calls),
        errors=sum(errnos.values()),
        total_ns=sum(durations),
        min_ns=min(durations, default=0),
        max_ns=max(durations, default=0),
        histogram=Histogram.of(durations),
        errnos=errnos,
    )


class ManyProcessesTests(SynchronousTestCase):
    """Logs of very many processes."""

    def test_crowded(self) -> None:
        """Sums should be taken when there are more than can be shown."""
        collector = Collector()
        for pid in range(TRACKED_PROCESSES + 1):
            self.assertFalse(collector.is_crowded)
            collector.count(pid, "close", "", None, None)
        self.assertTrue(collector.is_crowded)

        collector.take()

        self.assertFalse(collector.is_crowded)

    def test_crowded_without_calls(self) -> None:
        """The same holds for seconds, and for processes without calls."""
        for fill in (
            lambda collector, number: collector.count(1, "close", "", None, number),
            lambda collector, number: collector.meet(number),
        ):
            collector = Collector()
            for number in range(TRACKED_PROCESSES + 1):
                self.assertFalse(collector.is_crowded)
                fill(collector, number)
            self.assertTrue(collector.is_crowded)
