"""The endpoint that saves what a flight recorder keeps."""

from collections.abc import Callable

from twisted.internet.defer import Deferred
from twisted.web.iweb import IRequest

from syswatch.base.classes import define
from syswatch.model.recording import Save
from syswatch.service.recorder_process import NotSavedError
from syswatch.views import record_builders, records

from .errors import not_saved, nothing_to_save
from .responses import json_response
from .routes import serves

# Saves for a reason; the Deferred fires when that is done.
Saver = Callable[[str], Deferred[Save]]


@define
class SavingApi:
    """The endpoint; there is nothing to save without a flight recorder."""

    _save: Saver | None

    @serves("/api/recording/save", answers=records.Save, errors=(404, 503), changes=True)
    async def save(self, request: IRequest) -> bytes:
        """Save what the flight recorder keeps, and return where."""
        if self._save is None:
            raise nothing_to_save()
        try:
            made = await self._save("HTTP request")
        except NotSavedError as error:
            raise not_saved(str(error)) from error
        return json_response(record_builders.save(made)).send(request, unconditional=True)
