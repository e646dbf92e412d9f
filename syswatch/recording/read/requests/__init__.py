"""
The functions that answer questions: a module for each kind, with a `REQUEST`.

Another kind is another module, which is added to `REQUESTS`; the types of its question and answer
are where the service can import them, as in `syswatch.recording.questions`.
"""

from collections.abc import Mapping
from typing import Any, Final

from . import fold, sql, state, timeline
from .request import QuestionError, Reader, Request

__all__ = ["REQUESTS", "QuestionError", "Reader", "Request"]

REQUESTS: Final[Mapping[str, Request[Any, Any]]] = {
    each.kind.name: each for each in (state.REQUEST, fold.REQUEST, sql.REQUEST, *timeline.REQUESTS)
}
