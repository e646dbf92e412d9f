"""Tests of the binary form of recorded calls."""

import hypothesis.strategies as st
from hypothesis import given
from twisted.trial.unittest import TestCase

from syswatch.codec.event_frames import (
    HEADER,
    LARGEST_BODY,
    EventDecoder,
    Kind,
    Life,
    Loss,
    Records,
    Text,
    encode,
    header_of_events,
)
from syswatch.codec.events import EVENT
from syswatch.codec.frames import WireError

_RECORDS: dict[Kind, Records] = {
    Kind.TEXTS: [Text(7, 1 << 60, '"/tmp"', "3")],
    Kind.LOSSES: [Loss(7, 1_700_000_000, 12), Loss(0, 1_700_000_001, 1)],
    Kind.LIVES: [Life(7, None, 1, "dd", "dd bs=1"), Life(8, 5, 7, "", "", 9, None, 11)],
}


def _decoded(*pieces: bytes) -> list[bytes | Records]:
    decoder = EventDecoder()
    found: list[bytes | Records] = []
    for piece in pieces:
        decoder.receive_data(piece)
        found += decoder.frames()
    return found


class EventTests(TestCase):
    """Frames of events."""

    def test_size(self) -> None:
        """An event has 128 bytes, which divide every page and ring."""
        self.assertEqual(128, EVENT.size)

    @given(st.lists(st.integers(1, 40), max_size=9))
    def test_round_trip(self, cuts: list[int]) -> None:
        """What was encoded comes out, however the bytes are cut."""
        events = bytes(2 * EVENT.size)
        stream = b"".join(encode(kind, records) for kind, records in _RECORDS.items())
        stream += header_of_events(len(events)) + events
        pieces = []
        for size in cuts:
            pieces.append(stream[:size])
            stream = stream[size:]
        self.assertEqual([*_RECORDS.values(), events], _decoded(*pieces, stream))

    def test_damaged(self) -> None:
        """Unknown kinds, impossible lengths and other types are refused."""
        for damaged in (
            HEADER.pack(99, 0),
            HEADER.pack(Kind.EVENTS, LARGEST_BODY + 1),
            HEADER.pack(Kind.EVENTS, 1) + b"x",
            HEADER.pack(Kind.TEXTS, 1) + b"\xc1",
            HEADER.pack(Kind.LOSSES, 1) + b"\x01",
        ):
            self.assertRaises(WireError, _decoded, damaged)
