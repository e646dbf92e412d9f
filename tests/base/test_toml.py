"""Tests of parsing TOML that may be anything."""

from twisted.trial.unittest import SynchronousTestCase

from syswatch.base.toml import TomlError, parsed


class ParsedTests(SynchronousTestCase):
    """Documents, and what is none."""

    def test_document(self) -> None:
        """A document is a table."""
        self.assertEqual({"a": {"b": 1}}, parsed("[a]\nb = 1\n"))

    def test_mistakes(self) -> None:
        """Whatever the parser raises becomes one error with its reason."""
        for text, why in (
            ("a = ", "invalid value"),
            ("a = " + "1" * 5000, "a number is too long"),
            ("a = " + "[" * 5000 + "]" * 5000, "nested too deeply"),
        ):
            error = self.assertRaises(TomlError, parsed, text)
            self.assertIn(why, str(error))
