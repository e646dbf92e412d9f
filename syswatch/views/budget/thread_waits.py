"""
Waits for a futex that are not those of a worker without work, however long they take.

The main thread of a process is no worker, and if all threads of a process wait for one another,
there is none left that could hand out work.  That is different if the process waits for work in
another way: then its main thread often does nothing but wait for the end of the others.
"""

from collections.abc import Callable, Iterator, Mapping

from syswatch.model.now import ThreadNow
from syswatch.model.objects import ObjectKind
from syswatch.model.snapshot import Snapshot
from syswatch.model.threads import OTHER_THREADS, ThreadTally, Wait
from syswatch.model.times import SECOND_NS

from .scope import info_of, now_of, waiting_now

# A process that waits for work for this share of the time of its main thread is a server.
_SERVES = 0.5
# A thread that has lived for this share of the time of the main thread could hand out work.
_OLD = 0.5
_NEARLY_ALL = 0.8
# Threads hand over work faster than that.
_LONG_NS = SECOND_NS


def waits_for_threads(snapshot: Snapshot, is_idle: Callable[[Wait], bool]) -> frozenset[Wait]:
    """Return the waits for other threads within work; `is_idle` judges all that are no futex."""
    waits = _Waits(snapshot, is_idle)
    return frozenset({*waits.of_main_threads(), *waits.of_all_threads()})


class _Waits:
    def __init__(self, snapshot: Snapshot, is_idle: Callable[[Wait], bool]) -> None:
        self._snapshot = snapshot
        self._is_idle = is_idle

    def of_main_threads(self) -> Iterator[Wait]:
        """Yield the futexes that main threads wait for, except those of servers."""
        processes: dict[int, dict[int, ThreadTally]] = {}
        for tid, tally in self._snapshot.sums.threads.items():
            if tid != OTHER_THREADS:
                processes.setdefault(tally.pid, {})[tid] = tally
        for pid, threads in processes.items():
            main = self._futexes(threads[pid]) if pid in threads else {}
            if main and self._served_ns(threads) < _SERVES * sum(main.values()):
                yield from main
                yield from self._of_others(threads, threads[pid].times.wall_ns)

    def _of_others(self, threads: Mapping[int, ThreadTally], main_ns: int) -> Iterator[Wait]:
        """Yield the futexes of all threads if each waited for one nearly all the time."""
        long = [each for each in threads.values() if each.times.wall_ns >= _OLD * main_ns]
        waits = [self._futexes(each) for each in long]
        if all(
            sum(futexes.values()) >= _NEARLY_ALL * each.times.wall_ns
            for each, futexes in zip(long, waits, strict=True)
        ):
            for futexes in waits:
                yield from futexes

    def of_all_threads(self) -> Iterator[Wait]:
        """Yield the futexes that processes wait for with all of their threads."""
        processes: dict[int, dict[int, ThreadNow]] = {}
        for tid, thread in now_of(self._snapshot).items():
            processes.setdefault(thread.pid, {})[tid] = thread
        long = {
            tid: Wait(thread.object, thread.call)
            for tid, thread, spent_ns in waiting_now(self._snapshot)
            if spent_ns >= _LONG_NS and self._is_futex(thread.object)
        }
        for threads in processes.values():
            if threads.keys() <= long.keys():
                yield from (long[tid] for tid in threads)

    def _futexes(self, tally: ThreadTally) -> Mapping[Wait, int]:
        waiting = tally.times.waiting.items()
        return {wait: spent_ns for wait, spent_ns in waiting if self._is_futex(wait.object)}

    def _served_ns(self, threads: Mapping[int, ThreadTally]) -> int:
        """Return the longest time that one of the threads waited for work from elsewhere."""
        return max(
            sum(
                spent_ns
                for wait, spent_ns in tally.times.waiting.items()
                if not self._is_futex(wait.object) and self._is_idle(wait)
            )
            for tally in threads.values()
        )

    def _is_futex(self, number: int) -> bool:
        return info_of(self._snapshot, number).kind is ObjectKind.FUTEX
