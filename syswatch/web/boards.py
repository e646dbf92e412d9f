"""What the pages ask for once a second, and the answers to it."""

from collections.abc import Mapping, Sequence

import attrs

from syswatch.model.catalog import lookup
from syswatch.model.snapshot import Snapshot
from syswatch.service.interface import ISession
from syswatch.views.board import PARTS, CallQuestion, Question

from .answers import Answer, json_answer
from .errors import bad_request
from .parameters import positive

Arguments = Mapping[bytes, Sequence[bytes]]
# Many pages ask the same; somebody who asks a thousand different things a second gets
# answers too, but we do not keep them.
_MOST_KEPT = 16


@attrs.define
class Boards:
    """Answers questions about the newest snapshot, and equal ones with the same bytes."""

    _session: ISession
    _snapshot: Snapshot | None = attrs.field(default=None, init=False)
    _kept: dict[Question | CallQuestion, Answer] = attrs.field(factory=dict, init=False)

    def answer(self, question: Question | CallQuestion) -> Answer:
        """Return the answer to a question."""
        snapshot = self._session.snapshot
        if snapshot is not self._snapshot:
            self._snapshot, self._kept = snapshot, {}
        answer = self._kept.get(question) or json_answer(question(snapshot))
        if len(self._kept) < _MOST_KEPT:
            self._kept[question] = answer
        return answer


def asked_board(arguments: Arguments) -> Question:
    """Read the question of a dashboard from the query."""
    return Question(_since(arguments), _parts(arguments), _pid(arguments))


def asked_call(name: str, arguments: Arguments) -> CallQuestion:
    """Read the question of the page of one system call from the query."""
    return CallQuestion(name, _since(arguments))


def is_call(snapshot: Snapshot, name: str) -> bool:
    """Say whether there is anything to show: Linux has such a call, or the trace does."""
    return lookup(name) is not None or snapshot.call(name) is not None


def _since(arguments: Arguments) -> int:
    return positive(arguments, "since", default=0)


def _pid(arguments: Arguments) -> int | None:
    return positive(arguments, "pid", default=0) or None


def _parts(arguments: Arguments) -> frozenset[str]:
    named = b",".join(arguments.get(b"with", ())).decode("utf-8", "replace")
    parts = frozenset(named.split(",")) - {""}
    if parts - PARTS:
        raise bad_request(f"with must name some of: {', '.join(sorted(PARTS))}.")
    return parts
