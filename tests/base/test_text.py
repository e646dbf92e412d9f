"""Tests of making text safe to show."""

from hypothesis import given
from hypothesis import strategies as st
from twisted.trial.unittest import SynchronousTestCase

from syswatch.base.text import escape_text, shortened, unquoted
from tests.hostile import HOSTILE, is_inert


class InertTests(SynchronousTestCase):
    """Escaping of any text."""

    @given(st.text(st.characters()) | st.binary())
    def test_safe(self, text: str | bytes) -> None:
        """The result is printable, visible, and can be encoded."""
        shown = escape_text(text)
        self.assertTrue(is_inert(shown), ascii(shown))
        shown.encode()

    @given(st.text(st.characters()) | st.binary())
    def test_once(self, text: str | bytes) -> None:
        """Escaped text is not escaped again."""
        self.assertEqual(escape_text(text), escape_text(escape_text(text)))

    @given(st.text().filter(is_inert))
    def test_text_stays(self, text: str) -> None:
        """Safe text is unchanged."""
        self.assertEqual(text, escape_text(text))
        self.assertEqual(text, escape_text(text.encode()))

    @given(st.binary())
    def test_bytes_as_text(self, raw: bytes) -> None:
        """Bytes and their decoded form give the same result."""
        self.assertEqual(escape_text(raw), escape_text(raw.decode("utf-8", "surrogateescape")))

    def test_escapes(self) -> None:
        """Each kind of hostile text has its escape."""
        for hostile, shown in HOSTILE.items():
            self.assertEqual(shown, escape_text(hostile))

    def test_every_character(self) -> None:
        """Escapes are unique, and all control and invisible characters have one."""
        shown = [escape_text(chr(code)) for code in range(0x110000)]
        self.assertEqual(len(shown), len(set(shown)))
        for code in (*range(0x20), *range(0x7F, 0xA0), 0x61C, *range(0x200B, 0x2010)):
            self.assertIn("\\", shown[code])
        for code in (*range(0x2028, 0x202F), *range(0x2060, 0x2070), 0xFEFF, 0x3164, 0xE0001):
            self.assertIn("\\", shown[code])


class UnquotedTests(SynchronousTestCase):
    """The strings of a log."""

    @given(st.binary())
    def test_safe(self, raw: bytes) -> None:
        """The result of undoing escapes is safe to show."""
        self.assertTrue(is_inert(unquoted(raw)))

    def test_undone(self) -> None:
        """Escapes are undone as far as the result can be shown."""
        self.assertEqual('a"b\\ä', unquoted(rb"a\"b\\\303\244"))
        self.assertEqual("\\x1b[0m\\n\\xff", unquoted(rb"\33[0m\n\xff"))


class ShortenedTests(SynchronousTestCase):
    """Long texts end with an ellipsis."""

    @given(st.text(), st.integers(0, 30))
    def test_between_characters(self, text: str, most: int) -> None:
        """The result is the start of the text within the limit."""
        raw = text.encode()

        short = shortened(raw, most)

        if len(raw) <= most:
            self.assertEqual(raw, short)
        else:
            self.assertTrue(text.startswith(short.removesuffix(b"...").decode()))
            self.assertLessEqual(len(short), most + 3)

    @given(st.binary(), st.integers(0, 30))
    def test_no_text(self, raw: bytes, most: int) -> None:
        """Bytes that are not UTF-8 are cut as well."""
        self.assertLessEqual(len(shortened(raw, most)), max(len(raw), most + 3))
