"""What the pages ask for once a second, and what stands out."""

import attrs
from twisted.web.iweb import IRequest

from syswatch.model.catalog import lookup
from syswatch.model.snapshot import Snapshot
from syswatch.views import board_records
from syswatch.views.board import PARTS, CallQuestion, Question, standing_out
from syswatch.views.records import encode

from . import urls
from .answers import Answer, Tick
from .errors import unknown_syscall
from .parameters import Whole, Words
from .routes import serves

_SINCE = Whole("since", "Give the history after this second only.", default=0, least=0)
_PID = Whole("pid", "Give the table of this process only.", default=0, least=0)
_WITH = Words("with", "Which further parts to give.", PARTS)


@attrs.define
class Boards:
    """Answers the questions of the pages; equal ones with the same bytes."""

    _tick: Tick

    @serves(urls.ALERTS, answers=list[board_records.Alert])
    def alerts(self, request: IRequest) -> bytes:
        """Return what stands out, the gravest first, and why it may be harmless or not."""
        return self._tick.json(standing_out).send(request)

    @serves(
        urls.BOARD,
        answers=board_records.Board,
        parameters=(_SINCE, _WITH, _PID),
        errors=(400,),
    )
    def board(self, request: IRequest) -> bytes:
        """Return everything that the dashboard shows, in one answer."""
        question = Question(_SINCE.of(request), _WITH.of(request), _PID.of(request) or None)
        return self._answer(question).send(request)

    @serves(
        urls.CALL_BOARD,
        answers=board_records.CallBoard,
        parameters=(_SINCE,),
        errors=(400, 404),
    )
    def call_board(self, request: IRequest, name: str) -> bytes:
        """Return everything that the page of one system call shows, in one answer."""
        if not is_call(self._tick.current(), name):
            raise unknown_syscall(name)
        return self._answer(CallQuestion(name, _SINCE.of(request))).send(request)

    def _answer(self, question: Question | CallQuestion) -> Answer:
        return self._tick.answer(question, lambda snapshot: Answer(encode(question(snapshot))))


def is_call(snapshot: Snapshot, name: str) -> bool:
    """Return whether there is anything to show: Linux has such a call, or the trace does."""
    return lookup(name) is not None or snapshot.call(name) is not None
