"""Tests of splitting blocks into lines."""

import tracemalloc

from hypothesis import given
from hypothesis import strategies as st
from twisted.trial.unittest import SynchronousTestCase

from syswatch.tracer.stracelog.lines import LONGEST_LINE, Chunk, LineBuffer, Overlong


def pieces(blocks: list[bytes]) -> list[Chunk | Overlong]:
    """Return everything that the buffer yields for some blocks."""
    buffer = LineBuffer()
    out = [piece for block in blocks for piece in buffer.receive_data(block)]
    return [*out, *buffer.close()]


class LineBufferTests(SynchronousTestCase):
    """Splitting blocks into complete lines."""

    @given(
        st.lists(st.binary(max_size=20).map(lambda raw: raw.replace(b"\r", b"")), max_size=8),
        st.data(),
    )
    def test_cut_anywhere(self, lines: list[bytes], data: st.DataObject) -> None:
        """The size of the blocks makes no difference."""
        whole = b"".join(line.replace(b"\n", b"x") + b"\n" for line in lines)
        cuts = sorted(data.draw(st.lists(st.integers(0, len(whole)), max_size=5)))
        blocks = [
            whole[begin:end] for begin, end in zip([0, *cuts], [*cuts, len(whole)], strict=True)
        ]

        chunks = [piece.lines for piece in pieces(blocks) if isinstance(piece, Chunk)]

        self.assertEqual(whole, b"".join(chunk + b"\n" for chunk in chunks))

    def test_last_line_without_end(self) -> None:
        """The last line is yielded even if it has no newline."""
        self.assertEqual([Chunk(b"a\nb"), Chunk(b"c")], pieces([b"a\nb\nc"]))

    def test_nothing(self) -> None:
        """An empty input has no line."""
        self.assertEqual([], pieces([b"", b""]))

    def test_carriage_returns(self) -> None:
        """A carriage return before a newline is removed, even between blocks."""
        self.assertEqual(
            [Chunk(b"a\nb\nc\rd"), Chunk(b"e")],
            pieces([b"a\r", b"\nb\r\nc\rd\r\n", b"e\r"]),
        )

    def test_overlong(self) -> None:
        """A line that is too long is one piece; the lines around it are complete."""
        blocks = [b"before\n", *[b"x" * 1_000_000] * 10, b"x\nafter\n"]

        before, overlong, after = pieces(blocks)

        self.assertEqual((Chunk(b"before"), Chunk(b"after")), (before, after))
        self.assertTrue(isinstance(overlong, Overlong) and overlong.beginning.startswith(b"xxx"))

    def test_overlong_at_the_end(self) -> None:
        """A line that is too long may be the last one, without a newline."""
        (overlong,) = pieces([b"x" * 1_000_000] * 10)

        self.assertIsInstance(overlong, Overlong)

    def test_two_gigabytes_without_an_end(self) -> None:
        """A line of two gigabytes takes a few megabytes of memory."""
        block = b"\x00" * (1 << 20)
        buffer = LineBuffer()
        tracemalloc.start()
        self.addCleanup(tracemalloc.stop)
        for _ in range(2048):
            self.assertEqual([], list(buffer.receive_data(block)))

        _, peak = tracemalloc.get_traced_memory()

        self.assertLess(peak, 3 * LONGEST_LINE)
        self.assertEqual(1, len(list(buffer.close())))
