"""Which backend traces: the requested one, or the best that is usable on this machine."""

from collections.abc import Mapping
from types import MappingProxyType

from syswatch.base.classes import frozen
from syswatch.machine.capabilities import read_facts
from syswatch.machine.doctor import backend_verdict
from syswatch.model.backends import (
    BACKENDS,
    Backend,
    find_backend,
    needed_by,
    not_available,
)
from syswatch.model.messages import Attach, RunCommand

from .errors import UnsupportedError

_NONE: Mapping[str, str] = MappingProxyType({})


@frozen
class Choice:
    """A backend and the reason why it is used."""

    backend: Backend
    reason: str
    is_requested: bool = False

    @property
    def notice(self) -> str:
        """Return the line for the user; empty for a requested backend that costs others nothing."""
        cost = self.backend.cost
        if self.is_requested and not cost.per_machine_call_us:
            return ""
        return f"backend {self.backend.name} ({self.reason}); it {cost.description}"


def choose(job: RunCommand | Attach, refusals: Mapping[str, str] = _NONE) -> Choice:
    """
    Return the backend for a job; `refusals` are those that failed to load, with the reasons.

    Raises an UnsupportedError if none is left.
    """
    needed = needed_by(job)
    backend = find_backend(job.options.backend)
    if backend is not None:
        for capability in needed:
            if capability not in backend.capabilities:
                raise UnsupportedError(not_available(capability, backend))
        if backend.name in refusals:
            raise UnsupportedError(refusals[backend.name])
        return Choice(backend, "requested", is_requested=True)
    able = [backend for backend in BACKENDS if backend.capabilities.issuperset(needed)]
    if len(able) == 1:
        if able[0].name in refusals:
            raise UnsupportedError(refusals[able[0].name])
        return Choice(able[0], f"required by {needed[0].option}")
    return _best(able, refusals)


def _best(able: list[Backend], refusals: Mapping[str, str]) -> Choice:
    """Return the first usable backend; the last one is not checked, but explains a refusal."""
    *preferred, last = able
    facts = read_facts(traceme=lambda: 0)
    reason = ""
    for backend in preferred:
        if backend.name in refusals:
            reason = refusals[backend.name].removesuffix(".")
            continue
        verdict = backend_verdict(backend, facts)
        if verdict.usable:
            return Choice(backend, "available")
        reason = f"{backend.title} is not usable: {verdict.why}"
    if last.name in refusals:
        raise UnsupportedError(refusals[last.name])
    return Choice(last, reason)
