"""Tests of the captured output of a command."""

import os

from twisted.trial.unittest import TestCase

from syswatch.terminal.ui.captured_output import CapturedOutput


class CapturedOutputTests(TestCase):
    """What is printed later, and what is shown."""

    def printed(self, output: CapturedOutput) -> bytes:
        """Return what is printed."""
        read_end, write_end = os.pipe()
        output.print_to(write_end)
        os.close(write_end)
        with open(read_end, "rb") as pipe:  # noqa: PTH123  a descriptor
            return pipe.read()

    def test_printed_unchanged(self) -> None:
        """Every byte is printed as it was written."""
        output = CapturedOutput()
        for data in (b"one\ntw", b"o\x1b[31m\n", b"\xffrest"):
            output.add(data)
        self.assertEqual(self.printed(output), b"one\ntwo\x1b[31m\n\xffrest")

    def test_shown_without_colours(self) -> None:
        """Lines are shown whole, without escape sequences and overwritten text."""
        output = CapturedOutput()
        for data in (b"on", b"e\n\x1b[1;31mred\x1b[m\n10%\r20%\r", b"\nrest"):
            output.add(data)
        self.assertEqual(list(output.lines()), ["one", "red", "20%", "rest"])

    def test_bounded(self) -> None:
        """Bytes above the limit are dropped and counted."""
        output = CapturedOutput(max_bytes=5)
        output.add(b"123")
        output.add(b"4567")
        self.assertEqual((self.printed(output), output.dropped), (b"12345", 2))
