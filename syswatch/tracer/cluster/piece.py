"""What was read of some consecutive inputs."""

from collections.abc import Iterable, Iterator, Mapping

import attrs

from syswatch.base.classes import define, frozen
from syswatch.codec.frames import Message
from syswatch.model.delta import Delta
from syswatch.model.exactness import add_without_cutting
from syswatch.model.messages import Ended, Failed, Started
from syswatch.tracer.inputs.input_file import InputError
from syswatch.tracer.inputs.sink import Sink


@frozen
class Piece:
    """
    The sums of some consecutive inputs, and how each source began and ended.

    These are several deltas if a sum would exceed a limit: what a limit cuts depends on the order,
    and the service adds them in that of the inputs.
    """

    deltas: tuple[Delta, ...] = ()
    starts: Mapping[str, Started] = attrs.field(factory=dict)
    ends: Mapping[str, Ended | Failed] = attrs.field(factory=dict)
    has_records: bool = False
    # The errors of inputs that could not be read, or not to their end.
    troubles: tuple[InputError, ...] = ()

    @property
    def bytes(self) -> int:
        """How many bytes of the inputs were read."""
        return sum(delta.reading.bytes for delta in self.deltas)


@define
class Gathering:
    """Takes what sources read, in a sink of its own."""

    sink: Sink = attrs.field(init=False)
    _deltas: list[Delta] = attrs.field(factory=list, init=False)

    def __attrs_post_init__(self) -> None:
        """Make a sink that is never due: nothing waits for a part of a piece."""
        self.sink = Sink(self, must_stop=lambda: False, filters="", now=lambda: 0.0)

    def send(self, message: Message) -> None:
        """Take a start, which the sink keeps."""

    def offer(self, delta: Delta) -> None:
        """Take a delta."""
        self._deltas.append(delta)

    def finish(self, message: Message) -> None:
        """Take the end, which the sink keeps."""

    def piece(self, *troubles: InputError) -> Piece:
        """Return all that was taken."""
        self.sink.finish(Ended())
        return Piece(
            tuple(summed(self._deltas)),
            dict(self.sink.starts),
            dict(self.sink.ends),
            self.sink.has_records,
            troubles,
        )


def added(pieces: Iterable[Piece]) -> Piece:
    """Add pieces in the order of their inputs; of several logs, the first one tells the start."""
    pieces = tuple(pieces)
    starts: dict[str, Started] = {}
    ends: dict[str, Ended | Failed] = {}
    for piece in pieces:
        for name, start in piece.starts.items():
            starts.setdefault(name, start)
        ends.update(piece.ends)
    return Piece(
        tuple(summed(delta for piece in pieces for delta in piece.deltas)),
        starts,
        ends,
        any(piece.has_records for piece in pieces),
        tuple(trouble for piece in pieces for trouble in piece.troubles),
    )


def summed(deltas: Iterable[Delta]) -> Iterator[Delta]:
    """Yield the sums of consecutive deltas that exceed no limit."""
    whole = Delta()
    for delta in deltas:
        if add_without_cutting(whole, delta):
            whole += delta
        else:
            yield whole
            whole = delta
    yield whole
