"""
The format of the deltas in a recording, which was once the format of whole recordings.

It begins with a line that names the format and its version.  The frames of the tracer follow as
they arrived (see `frames`); the last one is the end of the trace.  Frames are written whole: a
recording that was cut short between two of them lacks only its end.
"""

import re
from collections.abc import Callable, Iterator, Mapping

import attrs

from syswatch.base.classes import define
from syswatch.model.delta import Delta
from syswatch.model.messages import Ended, Failed

from .frames import Decoder, Message, WireError, decoded
from .older_recordings import message_of_version_1
from .plausible import implausible
from .untrusted import escape_texts

_VERSION = 2
MAGIC = b"syswatch recording %d\n" % _VERSION
# How the frames of each version that is known are decoded.
_DECODERS: Mapping[int, Callable[[bytes], Message]] = {
    1: message_of_version_1,
    _VERSION: decoded,
}
_ANY_VERSION = re.compile(rb"syswatch recording (\d{1,9})\n")
# The file with the frames in the directory of a recording of every call.
DELTAS = "deltas"
NO_DELTAS = f"it is a directory without a recording: it has no {DELTAS}"
_LONGEST_MAGIC = len(b"syswatch recording 999999999\n")
_MORE_CALLS = "; calls recorded after the last delta are counted by 'syswatch query' only"


class RecordingError(Exception):
    """A recording is damaged, incomplete or of another version; the message is a clause."""


def is_recording(beginning: bytes) -> bool:
    """Return whether a file that begins like this is a recording, of whatever version."""
    return _ANY_VERSION.match(beginning) is not None


@define
class RecordingReader:
    """
    Turns the bytes of a recording into messages.

    Anyone may have written the file, so all text in the messages is escaped.
    """

    # Whether the calls are recorded besides: without an end, some of them may not be in the sums.
    has_calls: bool = False
    # Why it was cut short, where that is known, as a clause.
    trouble: str = ""
    _decoder: Decoder = attrs.field(factory=Decoder, init=False)
    _beginning: bytes | None = attrs.field(default=b"", init=False)
    _decode: Callable[[bytes], Message] = attrs.field(default=decoded, init=False)
    _last: Message | None = attrs.field(default=None, init=False)

    def receive_data(self, data: bytes) -> Iterator[Message]:
        """Yield the messages that are complete with these bytes; raise RecordingError."""
        if self._beginning is not None:
            data = self._without_magic(self._beginning + data)
        self._decoder.receive_data(data)
        try:
            for frame in self._decoder.undecoded():
                message = self._last = self._decode(frame)
                if isinstance(message, Delta) and (part := implausible(message)):
                    raise RecordingError(f"the recording is damaged: impossible numbers ({part})")
                yield escape_texts(message)
        except WireError as error:
            raise RecordingError(f"the recording is damaged: {error}") from error

    @property
    def has_end(self) -> bool:
        """Return whether the last message is the end of the trace."""
        return not self._decoder.pending and isinstance(self._last, Ended | Failed)

    def close(self) -> None:
        """Raise RecordingError if the recording has no end."""
        if self._decoder.pending:
            raise self._cut_short("its last message is incomplete")
        if not self.has_end:
            raise self._cut_short("the end of the trace is missing")

    def _cut_short(self, reason: str) -> RecordingError:
        more = _MORE_CALLS if self.has_calls else ""
        return RecordingError(f"the recording is cut short: {self.trouble or reason}{more}")

    def _without_magic(self, beginning: bytes) -> bytes:
        """Check the version and return what follows; keep a line that is not complete yet."""
        match = _ANY_VERSION.match(beginning)
        if match is None and len(beginning) < _LONGEST_MAGIC:
            self._beginning = beginning
            return b""
        if match is None:
            raise RecordingError("the recording is damaged: its first line is missing")
        version = int(match[1])
        if version not in _DECODERS:
            raise RecordingError(
                f"the recording has format version {version}, this syswatch reads versions up to "
                f"{_VERSION}; read it with the syswatch that wrote it"
            )
        self._decode = _DECODERS[version]
        self._beginning = None
        return beginning[match.end() :]
