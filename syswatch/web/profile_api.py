"""The endpoints for the seccomp profile that the traced program needs."""

from importlib import import_module
from typing import TYPE_CHECKING, Final

import attrs
from twisted.web.iweb import IRequest

from syswatch.base.classes import define
from syswatch.model.snapshot import Snapshot
from syswatch.profiles.architectures import native
from syswatch.profiles.argument_rules import Level
from syswatch.profiles.formats import CONTENTS, FILE_NAMES
from syswatch.views.profile_records import ProfileSummary

from .errors import no_evidence, not_expressible
from .parameters import ChoiceParameter
from .responses import JSON, TEXT, Response, ResponseCache, json_response
from .routes import serves
from .slow_responses import SlowResponses

if TYPE_CHECKING:
    from syswatch.profiles.formats.outcome import Written
    from syswatch.profiles.needs import Wanted

_BINARY: Final = b"application/octet-stream"
_YAML: Final = b"application/yaml"
_TYPES: Final = {"json": JSON, "oci": JSON, "kubernetes": _YAML, "bwrap": _BINARY}
_FORMAT = ChoiceParameter(
    "format",
    "The format: " + "; ".join(f"`{name}`: {about}" for name, about in CONTENTS.items()) + ".",
    tuple(CONTENTS),
    "text",
)
_LEVEL = ChoiceParameter(
    "level",
    "How much more than what was seen is permitted.",
    tuple(level.value for level in Level),
    Level.DEFAULT.value,
)


@define
class ProfileApi:
    """The endpoints; nothing is known of a profile if no evidence is counted."""

    _cache: ResponseCache
    _counts_evidence: bool = attrs.field(kw_only=True)
    _responses: SlowResponses = attrs.field(init=False)

    def __attrs_post_init__(self) -> None:
        """Keep what is computed."""
        self._responses = SlowResponses(self._cache)

    @serves(
        "/api/profile",
        content_type=TEXT,
        alternatives=(JSON, _YAML, _BINARY),
        parameters=(_FORMAT, _LEVEL),
        errors=(400, 404, 409),
    )
    async def profile(self, request: IRequest) -> bytes:
        """Return the seccomp profile that the program needs so far, as a file."""
        form, wanted = _FORMAT.value(request), self._wanted(request)
        response = await self._responses.get(
            (form, wanted.level), lambda snapshot: _file(snapshot, wanted, form)
        )
        return response.send(request)

    @serves(
        "/api/profile/summary", answers=ProfileSummary, parameters=(_LEVEL,), errors=(400, 404, 409)
    )
    async def summary(self, request: IRequest) -> bytes:
        """Return what the program needs so far: each rule with its reasons, and the newest call."""
        wanted = self._wanted(request)
        response = await self._responses.get(
            ("summary", wanted.level), lambda snapshot: _summary(snapshot, wanted)
        )
        return response.send(request)

    def _wanted(self, request: IRequest) -> "Wanted":
        from syswatch.profiles.needs import Wanted

        level = Level(_LEVEL.value(request))
        if not (self._counts_evidence or self._cache.snapshot().sums.evidence):
            raise no_evidence()
        architecture = native()
        if architecture is None:
            raise not_expressible("the architecture of this machine is not supported")
        return Wanted(level, architecture)


def import_making() -> None:
    """Import what makes profiles, which few runs need."""
    for name in ("basis", "formats.registry", "making", "needs", "summary"):
        import_module(f"syswatch.profiles.{name}")


def _summary(snapshot: Snapshot, wanted: "Wanted") -> Response:
    # Few runs need a profile; what makes it takes a tenth of the time to import a server.
    from syswatch.profiles.summary import summary

    return json_response(summary(snapshot, wanted))


def _file(snapshot: Snapshot, wanted: "Wanted", form: str) -> Response:
    from syswatch.profiles.basis import Basis
    from syswatch.profiles.formats.outcome import FormatError
    from syswatch.profiles.formats.registry import write_made_of
    from syswatch.profiles.making import make

    basis = Basis.of(snapshot.sums)
    profile = make(basis, wanted).profile
    try:
        written = write_made_of(basis, profile, form, wanted.architecture)
    except FormatError as error:
        raise not_expressible(str(error)) from error
    return _sent(written, form)


def _sent(written: "Written", form: str) -> Response:
    # A browser shows a text itself.
    name = "" if form == "text" else FILE_NAMES[form]
    return Response(written.content, _TYPES.get(form, TEXT), name)
