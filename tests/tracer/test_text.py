"""Tests of making bytes safe to show."""

from hypothesis import given
from hypothesis import strategies as st
from twisted.trial.unittest import SynchronousTestCase

from syswatch.tracer.text import printable, shortened, unquoted


class PrintableTests(SynchronousTestCase):
    """Bytes of unknown origin."""

    @given(st.binary())
    def test_safe(self, raw: bytes) -> None:
        """Nothing that comes out can move a cursor or is no character."""
        self.assertTrue(printable(raw).isprintable())
        self.assertTrue(unquoted(raw).isprintable())

    @given(st.text().filter(str.isprintable))
    def test_text_stays(self, text: str) -> None:
        """What was safe is unchanged."""
        self.assertEqual(text, printable(text.encode()))

    def test_escapes(self) -> None:
        """Bytes that are no UTF-8, and characters that are no print, are escaped."""
        self.assertEqual("a\\xffb", printable(b"a\xffb"))
        self.assertEqual("a\\x1b[0m\\x00", printable(b"a\x1b[0m\x00"))
        self.assertEqual("\\u202e", printable("\u202e".encode()))


class ShortenedTests(SynchronousTestCase):
    """Long texts end with an ellipsis."""

    @given(st.text(), st.integers(0, 30))
    def test_between_characters(self, text: str, most: int) -> None:
        """What is left is the beginning of the text, and no longer than asked for."""
        raw = text.encode()

        short = shortened(raw, most)

        if len(raw) <= most:
            self.assertEqual(raw, short)
        else:
            self.assertTrue(text.startswith(short.removesuffix(b"...").decode()))
            self.assertLessEqual(len(short), most + 3)

    @given(st.binary(), st.integers(0, 30))
    def test_no_text(self, raw: bytes, most: int) -> None:
        """Bytes that are no text are cut as well."""
        self.assertLessEqual(len(shortened(raw, most)), max(len(raw), most + 3))
