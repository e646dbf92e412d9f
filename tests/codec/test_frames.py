"""Tests of the frames on the pipes."""

import os
import struct

import msgspec
from hypothesis import given
from hypothesis import strategies as st
from twisted.trial.unittest import SynchronousTestCase

from syswatch.codec.frames import LARGEST_BODY, Decoder, Message, WireError, encode
from syswatch.model.delta import PATH_BYTES, TRACKED_PATHS, Delta
from syswatch.model.messages import (
    Attach,
    Deliver,
    Detach,
    Ended,
    Failed,
    FilterOptions,
    ReadLogs,
    Report,
    Reported,
    Resting,
    RunCommand,
    Started,
    TraceOptions,
    Watch,
)
from tests.strategies import counts, deltas, pids, process_infos, texts

# Arguments of a command can be any bytes.
typed = st.binary(max_size=12).map(os.fsdecode)
options = st.builds(
    TraceOptions,
    per_process=st.booleans(),
    string_limit=counts,
    redact=st.lists(typed, max_size=2).map(tuple),
    trace=typed,
    paths=st.lists(typed, max_size=2).map(tuple),
)
filters = st.builds(FilterOptions, per_process=st.booleans(), string_limit=counts | st.none())
messages: st.SearchStrategy[Message] = st.one_of(
    deltas,
    st.builds(ReadLogs, st.lists(typed, max_size=3).map(tuple), st.integers(1, 64), filters),
    st.builds(
        RunCommand,
        argv=st.lists(typed, max_size=3).map(tuple),
        cwd=typed,
        environment=st.dictionaries(typed, typed, max_size=2),
        options=options,
    ),
    st.builds(Attach, st.lists(pids, max_size=3).map(tuple), options),
    st.builds(Deliver, st.integers(1, 64)),
    st.just(Detach()),
    st.just(Report()),
    st.builds(Reported, st.integers(0, 1 << 62)),
    st.builds(Resting, st.booleans()),
    st.builds(Watch, st.booleans()),
    st.builds(Started, texts, process_infos, counts | st.none()),
    st.builds(Ended, st.integers(0, 255) | st.none(), st.integers(1, 64) | st.none()),
    st.builds(Failed, texts, st.integers(1, 255)),
)
_HEADER = struct.Struct("!BI")


def decode_all(pieces: list[bytes]) -> list[Message]:
    """Decode bytes that are received in pieces."""
    decoder = Decoder()
    received: list[Message] = []
    for piece in pieces:
        decoder.receive_data(piece)
        received += decoder.events()
    return received


class DecoderTests(SynchronousTestCase):
    """Decoding of frames."""

    @given(st.lists(messages, max_size=4), st.data())
    def test_cut_anywhere(self, sent: list[Message], data: st.DataObject) -> None:
        """Every message is decoded as it was sent, however the bytes are split."""
        whole = b"".join(map(encode, sent))
        cuts = sorted(data.draw(st.lists(st.integers(0, len(whole)), max_size=6)))
        pieces = [
            whole[begin:end] for begin, end in zip([0, *cuts], [*cuts, len(whole)], strict=True)
        ]

        self.assertEqual(sent, decode_all(pieces))

    @given(messages)
    def test_byte_by_byte(self, message: Message) -> None:
        """A message is complete with its last byte, and not before."""
        frame = encode(message)
        decoder = Decoder()
        for index in range(len(frame) - 1):
            decoder.receive_data(frame[index : index + 1])
            self.assertEqual([], list(decoder.events()))
        self.assertEqual(len(frame) - 1, decoder.pending)

        decoder.receive_data(frame[-1:])

        self.assertEqual([message], list(decoder.events()))
        self.assertEqual(0, decoder.pending)

    @given(st.binary(max_size=200))
    def test_noise(self, noise: bytes) -> None:
        """Random bytes raise WireError or are buffered."""
        try:
            decode_all([noise])
        except WireError as error:
            self.assertNotEqual("", str(error))

    @given(messages, st.data())
    def test_damaged(self, message: Message, data: st.DataObject) -> None:
        """A frame with one wrong byte is a message or raises WireError."""
        frame = bytearray(encode(message))
        frame[data.draw(st.integers(0, len(frame) - 1))] = data.draw(st.integers(0, 255))
        try:
            decode_all([bytes(frame)])
        except WireError as error:
            self.assertNotEqual("", str(error))

    def test_unknown_kind(self) -> None:
        """An unknown kind is rejected before its body is received."""
        decoder = Decoder()
        decoder.receive_data(_HEADER.pack(255, 1 << 20))

        self.assertRaises(WireError, list, decoder.events())

    def test_length_is_bounded(self) -> None:
        """A length above the limit is rejected."""
        decoder = Decoder()
        decoder.receive_data(_HEADER.pack(17, LARGEST_BODY + 1))

        self.assertRaises(WireError, list, decoder.events())

    def test_wrong_types(self) -> None:
        """A body with wrong types is an error that names the kind."""
        body = msgspec.msgpack.encode({"calls": "many"})
        decoder = Decoder()
        decoder.receive_data(_HEADER.pack(17, len(body)) + body)

        error = self.assertRaises(WireError, list, decoder.events())

        self.assertIn("Delta", str(error))

    def test_largest_delta(self) -> None:
        """A delta with as many and as long paths as possible can be sent."""
        paths = {f"{number:05}".ljust(PATH_BYTES, "x"): 1 for number in range(TRACKED_PATHS)}

        delta = Delta(paths=paths, failed_paths=paths)

        self.assertEqual([delta], decode_all([encode(delta)]))

    def test_before_failed_paths(self) -> None:
        """A delta of a version that did not count failed opens has none."""
        body = msgspec.msgpack.encode({"paths": {"/a": 2}})

        (delta,) = decode_all([_HEADER.pack(17, len(body)) + body])

        self.assertEqual(Delta(paths={"/a": 2}), delta)
