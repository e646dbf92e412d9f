"""The download of a recording: read in a thread, and sent as fast as the client takes it."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import attrs
from twisted.internet.defer import Deferred, succeed
from twisted.internet.interfaces import IPushProducer
from twisted.internet.threads import deferToThread
from twisted.logger import Logger
from twisted.python.failure import Failure
from twisted.web.iweb import IRequest
from zope.interface import implementer

from syswatch.base.classes import define
from syswatch.recording import manifest
from syswatch.recording.packing import ShortenedError, packed

from .errors import no_recording, too_many_downloads, unreadable_recording
from .routes import Exposure, serves
from .timeline_api import RecordingReader

_TAR: Final = b"application/x-tar"
_MOST_DOWNLOADS: Final = 4
_log = Logger()


@define
class RecordingDownload:
    """The endpoint, with a limit on how many downloads are in progress."""

    _reader: RecordingReader | None
    _running: int = attrs.field(default=0, init=False)

    @serves(
        "/api/recording/download",
        content_type=_TAR,
        errors=(404, 503),
        exposure=Exposure.COSTLY,
    )
    def download(self, request: IRequest) -> Deferred[bytes]:
        """Return the recording as a tar archive."""
        if self._reader is None:
            raise no_recording()
        if self._running >= _MOST_DOWNLOADS:
            raise too_many_downloads()
        self._running += 1
        sent = Deferred.fromCoroutine(_send(request, Path(self._reader.folder)))
        return sent.addBoth(self._ended)

    def _ended(self, result: bytes | Failure) -> bytes | Failure:
        self._running -= 1
        return result


async def _send(request: IRequest, folder: Path) -> bytes:
    """Send a recording; what the caller has to send after it is nothing."""
    sending = _Sending(request, packed(folder))
    try:
        await deferToThread(manifest.read, folder)
        first = await deferToThread(next, sending.parts)
    except manifest.ManifestError as error:
        raise unreadable_recording(str(error)) from error
    except OSError as error:
        raise unreadable_recording(error.strerror or str(error)) from error
    request.setHeader(b"Content-Type", _TAR)
    request.setHeader(b"Cache-Control", b"no-store")
    request.setHeader(b"X-Content-Type-Options", b"nosniff")
    request.setHeader(b"Content-Disposition", _disposition(folder))
    if request.method != b"HEAD":
        await sending.send(first)
    return b""


def _disposition(folder: Path) -> bytes:
    name = "".join(c if c.isascii() and (c.isalnum() or c in "-_.") else "-" for c in folder.name)
    return f'attachment; filename="{name}.tar"'.encode()


@implementer(IPushProducer)
@define(eq=False)
class _Sending:
    """Sends the parts of an archive, unless the client is behind or has gone."""

    # A request of Twisted: the interface lacks the methods for producers.
    request: Any
    parts: Iterator[bytes]
    _may_send: Deferred[None] = attrs.field(factory=lambda: succeed(None), init=False)
    _when_gone: Deferred[None] = attrs.field(factory=Deferred, init=False)

    def __attrs_post_init__(self) -> None:
        """Notice when the client goes."""
        self.request.notifyFinish().addErrback(lambda _: self.stopProducing())

    async def send(self, part: bytes | None) -> None:
        """Send a part and all that follow; break the connection off if one cannot be read."""
        if self._has_gone():
            return
        self.request.registerProducer(self, streaming=True)
        try:
            while part is not None:
                await self._until_resumed()
                if self._has_gone():
                    return
                self.request.write(part)
                part = await deferToThread(next, self.parts, None)
        except (OSError, ShortenedError) as error:
            _log.error("a recording could not be sent: {error}", error=error)
            # Otherwise, the archive would look complete.
            self.request.transport.abortConnection()
            await self._when_gone
        else:
            self.request.unregisterProducer()

    def _has_gone(self) -> bool:
        return bool(self._when_gone.called)

    async def _until_resumed(self) -> None:
        if not self._may_send.called:
            await self._may_send

    def pauseProducing(self) -> None:
        """Wait, because the client is behind."""
        if self._may_send.called:
            self._may_send = Deferred()

    def resumeProducing(self) -> None:
        """Continue."""
        if not self._may_send.called:
            self._may_send.callback(None)

    def stopProducing(self) -> None:
        """End, because the client has gone."""
        if not self._has_gone():
            self._when_gone.callback(None)
        self.resumeProducing()
