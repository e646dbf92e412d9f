"""The reports of the recorder to the service: a line of JSON for each, with all outputs."""

import attrs
import msgspec

from syswatch.base.classes import define
from syswatch.model.recording import RecordingState

from .frames import WireError

Report = tuple[RecordingState, ...]
# No path is longer than 4096 bytes, of which each may be escaped.
_LONGEST_LINE = 1 << 20


def encode(report: Report) -> bytes:
    """Return the line of a report."""
    return msgspec.json.encode([attrs.asdict(each) for each in report]) + b"\n"


@define
class ReportDecoder:
    """Splits what the recorder writes into reports."""

    _rest: bytes = attrs.field(default=b"", init=False)

    def receive_data(self, data: bytes) -> list[Report]:
        """Return the reports that are complete."""
        *lines, self._rest = (self._rest + data).split(b"\n")
        if len(self._rest) > _LONGEST_LINE:
            raise WireError("the recorder sent a line without an end")
        try:
            return [msgspec.json.decode(line, type=Report) for line in lines]
        except msgspec.MsgspecError as error:
            raise WireError(f"invalid report of the recorder: {error}") from error
