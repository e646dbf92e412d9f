"""
What can be asked of a recording: a module for each kind of request, with a `REQUEST`.

Another kind is another module, which is added to `REQUESTS`.
"""

from collections.abc import Mapping
from typing import Any, Final

from . import fold, state
from .request import Reader, Request

__all__ = ["REQUESTS", "Reader", "Request"]

REQUESTS: Final[Mapping[str, Request[Any, Any]]] = {
    each.name: each for each in (state.REQUEST, fold.REQUEST)
}
