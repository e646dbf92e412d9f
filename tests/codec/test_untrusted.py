"""Tests of escaping the text of messages and answers."""

from typing import Any

import attrs
import msgspec
from hypothesis import given
from twisted.trial.unittest import SynchronousTestCase

from syswatch.codec.frames import Decoder, encode
from syswatch.codec.untrusted import LONGEST_TEXT, escape_texts
from syswatch.model.aggregator import Aggregator
from syswatch.model.calls import CallTally
from syswatch.model.delta import Delta
from syswatch.model.messages import Failed
from syswatch.views import record_builders
from syswatch.views.records import Status, SyscallStat
from tests.hostile import HOSTILE, delta_of, is_inert, started_of
from tests.strategies import deltas

# msgspec rejects lone surrogates.
_TEXTS = [text for raw in HOSTILE if (text := raw.decode(errors="replace"))]


def texts_in(value: object) -> set[str]:
    """Return all text in plain values."""
    match value:
        case str():
            return {value}
        case dict():
            return texts_in([*value, *value.values()])
        case list() | tuple():
            return set().union(*map(texts_in, value))
        case _:
            return set()


def _numbers(delta: Delta) -> Delta:
    """Return a delta without what contains arbitrary text."""
    nothing = Delta()
    return attrs.evolve(
        delta,
        paths={},
        failed_paths={},
        log=(),
        failures={},
        processes={},
        odd_lines=(),
        objects={},
        threads={tid: attrs.evolve(tally, comm="") for tid, tally in delta.threads.items()},
        now=nothing.now,
        slowest=nothing.slowest,
    )


class MessageTests(SynchronousTestCase):
    """Messages of a recording."""

    def test_every_text(self) -> None:
        """All text in messages is escaped."""
        for text in _TEXTS:
            for message in (delta_of(text), started_of(text)):
                decoder = Decoder()
                decoder.receive_data(encode(message))
                (arrived,) = decoder.events()
                found = texts_in(msgspec.to_builtins(escape_texts(arrived)))
                self.assertEqual([], [each for each in found if not is_inert(each)])
                # The text was hostile before it was escaped, so this test can fail.
                if not is_inert(text):
                    self.assertIn(text, texts_in(msgspec.to_builtins(arrived)))

    @given(deltas)
    def test_numbers(self, delta: Delta) -> None:
        """Numbers do not change."""
        self.assertEqual(
            _numbers(delta),
            _numbers(escape_texts(delta)),
        )
        for paths in ("paths", "failed_paths"):
            before, after = getattr(delta, paths), getattr(escape_texts(delta), paths)
            self.assertEqual(sum(before.values()), sum(after.values()))

    def test_equal_when_escaped(self) -> None:
        """Names that are equal once they are escaped are merged."""
        found = escape_texts(Delta(calls={"\x1b": CallTally(2), "\\x1b": CallTally(3)}))
        self.assertEqual({"\\x1b": CallTally(5)}, found.calls)

    def test_long(self) -> None:
        """Text that is too long is cut, with an ellipsis."""
        for text in ("x" * 10**6, "\x1b" * 10**6):
            (name,) = escape_texts(delta_of(text)).calls
            self.assertEqual((LONGEST_TEXT, "..."), (len(name), name[-3:]))

    def test_failure_message(self) -> None:
        """The message of a failure is escaped, and can be sent."""
        for raw, shown in HOSTILE.items():
            message = Failed(raw.decode(errors="surrogateescape"), 3)
            self.assertEqual(Failed(shown, 3), message)
            encode(message)


class AnswerTests(SynchronousTestCase):
    """Answers of another server."""

    def test_every_text(self) -> None:
        """All text in answers is escaped."""
        for text in _TEXTS:
            aggregator = Aggregator()
            aggregator.started(started_of(text))
            aggregator.add(delta_of(text))
            aggregator.failed(text)
            snapshot = aggregator.snapshot()
            found: set[str] = set()
            answers: tuple[Any, ...] = (
                record_builders.status(snapshot),
                *record_builders.stats(snapshot),
            )
            for answer in answers:
                self.assertIsInstance(answer, Status | SyscallStat)
                found |= texts_in(msgspec.to_builtins(escape_texts(answer)))
            self.assertEqual([], [each for each in found if not is_inert(each)])
