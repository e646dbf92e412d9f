"""Tests of the command line of `syswatch diff`."""

from twisted.trial.unittest import SynchronousTestCase

from syswatch.options import action
from syswatch.options.config import Diff
from syswatch.settings.access import Token
from tests.options.parsing import error_of
from tests.system.servers import LOG


def diff_of(*words: str) -> Diff:
    """Return the configuration that a command line stands for."""
    found = action(["diff", *words])
    assert isinstance(found, Diff), found
    return found


class SideTests(SynchronousTestCase):
    """The runs before and after."""

    def test_sides(self) -> None:
        """Two runs need no separator; options may stand anywhere before it."""
        for words, sides in {
            ("a", "b"): (("a",), ("b",)),
            ("a", "--", "b"): (("a",), ("b",)),
            ("a", "--threshold", "5", "b", "-o", "-", "--", "c", "d"): (("a", "b"), ("c", "d")),
            ("a", "--", "b", "--", "-c"): (("a",), ("b", "--", "-c")),
            ("-o", "--", "a", "b"): (("a",), ("b",)),
        }.items():
            found = diff_of(*words)
            self.assertEqual(sides, (found.before, found.after), words)

    def test_mistakes(self) -> None:
        """What is missing, or not separated, is one sentence."""
        for words, sentence in {
            (): "diff: missing BEFORE, as in 'syswatch diff old.rec new.rec'",
            ("a",): "diff: missing AFTER, as in 'syswatch diff old.rec new.rec'",
            ("a", "--"): "diff: missing AFTER, as in 'syswatch diff old.rec new.rec'",
            ("--", "a"): "diff: missing BEFORE, as in 'syswatch diff old.rec new.rec'",
            ("a", "b", "c"): (
                "diff: with several runs on a side, '--' must separate the sides:"
                " BEFORE... -- AFTER..."
            ),
            ("-", "--", "-"): "diff: standard input ('-') can be read only once",
            ("a", ""): "diff: the name of a run is empty",
            ("-o", str(LOG), "a", str(LOG)): f"-o: {LOG} is an input and would be overwritten",
        }.items():
            self.assertEqual(sentence, error_of("diff", *words))


class OptionTests(SynchronousTestCase):
    """The options."""

    def test_defaults(self) -> None:
        """Everything is compared, and written as text to standard output."""
        self.assertEqual(Diff(("a",), ("b",)), diff_of("a", "b"))

    def test_given(self) -> None:
        """Kinds can be separated by commas or given apart; the percent sign is optional."""
        words = ("--only", "calls,errors", "--only", "calls", "--format", "html")
        found = diff_of("a", "b", *words, "--threshold", "2.5%", "--http-token", "sesame")
        self.assertEqual((("calls", "errors"), 2.5), (found.only, found.threshold))
        self.assertEqual(("html", False), (found.format, found.all))
        self.assertTrue(diff_of("a", "b", "--all").all)
        assert found.token is not None
        self.assertEqual(Token(b"sesame").secret, found.token.secret)

    def test_invalid(self) -> None:
        """An invalid value is named, with what would be valid."""
        for words, sentence in {
            ("--only", "cals"): "--only: invalid value 'cals'; did you mean 'calls'? (choose from",
            ("--only", "calls,"): "--only: invalid value '' (choose from calls, errors, bytes,",
            ("--format", "xml"): "--format: invalid value 'xml'",
            ("--threshold", "-1"): "--threshold: invalid value '-1' (expected a percentage such",
            ("--threshold", "nan"): "--threshold: invalid value 'nan' (expected",
            ("--threshold", "1.2.3"): "--threshold: invalid value '1.2.3' (expected",
            ("--http-token", ""): "--http-token: the token is empty",
        }.items():
            found = error_of("diff", "a", "b", *words)
            self.assertTrue(found.startswith(sentence), found)
