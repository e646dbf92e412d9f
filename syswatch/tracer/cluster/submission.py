"""Submits the tasks of inputs, and those that add what they return."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice
from typing import Any, Protocol, TypeVar
from uuid import uuid4

import attrs

from syswatch.base.classes import define
from syswatch.model.messages import ReadLogs

from . import tasks
from .piece import Piece
from .tasks import Plan

# How many pieces one task adds, and how many ranges of a log one task joins.
FAN_IN = 8
# A sum of more inputs than this would keep the service waiting for its next numbers.
_MOST_IN_ANSWER = 64
# In so many steps the numbers grow, if the inputs are many.
_LEAST_ANSWERS = 32
_RETRIES = 3
T = TypeVar("T")


class Future(Protocol):
    """The result of a task, as Dask gives it."""

    @property
    def key(self) -> Any:
        """The name of the task."""

    @property
    def status(self) -> str | None:
        """The state of the task; "finished" if it has a result."""

    def done(self) -> bool:
        """Return whether the task has ended."""

    def result(self) -> Any:
        """Return what the task returned, or raise its error."""

    def add_done_callback(self, fn: Callable[["Future"], None]) -> None:
        """Call a function in another thread when the task has ended."""


class Scheduler(Protocol):
    """The part of Dask's client that is used here."""

    def submit(self, func: Callable[..., Any], /, *args: Any, **options: Any) -> Future:
        """Submit a task; futures among its arguments stand for their results."""


@define
class Submission:
    """
    Submits tasks on demand, so that the scheduler never has those of all inputs.

    `is_read` is called in another thread when a task has read so many bytes, or has failed.
    """

    scheduler: Scheduler
    job: ReadLogs
    plans: Sequence[tuple[str, Plan | Piece]]
    is_read: Callable[[int, Future], None]
    # The reading tasks that have not ended: Dask forgets what nothing refers to.
    reading: set[Future] = attrs.field(factory=set, init=False)
    # Of which input each reading task is, for errors.
    names: dict[str, str] = attrs.field(factory=dict, init=False)
    _token: str = attrs.field(factory=lambda: uuid4().hex, init=False)
    _submitted: int = attrs.field(default=0, init=False)

    def answers(self) -> Iterator[Future]:
        """Submit the tasks of the next inputs whenever the next future is asked for."""
        count = sum(_pieces_of(plan) for _, plan in self.plans)
        size = min(max(count // _LEAST_ANSWERS, 1), _MOST_IN_ANSWER)
        pieces = (piece for name, plan in self.plans for piece in self._pieces(name, plan))
        for some in _batches(pieces, size):
            yield self._sum(some)

    def _pieces(self, name: str, plan: Plan | Piece) -> Iterator[Future | Piece]:
        if isinstance(plan, Piece):
            yield plan
        elif plan.ranges:
            yield from self._joined(name, plan)
        else:
            yield self._read(plan.size or 0, name, tasks.read_whole, self.job, name)

    def _joined(self, name: str, plan: Plan) -> Iterator[Future]:
        before = None
        for ranges in _batches(plan.ranges, FAN_IN):
            parts = [
                self._read(end - begin, name, tasks.read_parts, self.job, name, begin, end)
                for begin, end in ranges
            ]
            before = self._submit(tasks.join, self.job, name, before, *parts, priority=1)
            self.names[before.key] = name
            yield self._submit(tasks.piece_of, before, priority=1)
        yield self._submit(tasks.rest_of, before, priority=1)

    def _sum(self, pieces: Sequence[Future | Piece]) -> Future:
        level = 1
        while len(pieces) > 1 or isinstance(pieces[0], Piece):
            level += 1
            pieces = [
                self._submit(tasks.add, *some, priority=level) for some in _batches(pieces, FAN_IN)
            ]
        return pieces[0]

    def _read(self, size: int, name: str, *task: Any) -> Future:
        future = self._submit(*task)
        self.names[future.key] = name
        self.reading.add(future)
        future.add_done_callback(lambda ended: self.is_read(size, ended))
        return future

    def _submit(self, task: Callable[..., Any], *arguments: Any, priority: int = 0) -> Future:
        self._submitted += 1
        return self.scheduler.submit(
            task,
            *arguments,
            key=f"syswatch-{task.__name__}-{self._token}-{self._submitted}",
            priority=priority,
            retries=_RETRIES,
            pure=False,
        )


def _pieces_of(plan: Plan | Piece) -> int:
    if isinstance(plan, Plan) and plan.ranges:
        # The last one is what is only known at the end.
        return -(-len(plan.ranges) // FAN_IN) + 1
    return 1


def _batches(items: Iterable[T], size: int) -> Iterator[list[T]]:
    """Yield lists of consecutive items; the last one may be shorter."""
    iterator = iter(items)
    while some := list(islice(iterator, size)):
        yield some
