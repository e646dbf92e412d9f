"""Tests of the command line that is shown."""

from twisted.trial.unittest import SynchronousTestCase

from syswatch.web.diagnostics.cmdline import masked


class MaskedTests(SynchronousTestCase):
    """Secrets on the command line."""

    def test_masked(self) -> None:
        """Every token is masked, however it was given."""
        for flag in ("--ws-token", "--http-token"):
            self.assertEqual(
                ["syswatch", flag, "***", "run"], masked(["syswatch", flag, "secret", "run"])
            )
            self.assertEqual([f"{flag}=***", "run"], masked([f"{flag}=secret", "run"]))
            self.assertEqual([f"{flag}=***"], masked([f"{flag}=a=b"]))

    def test_redacted(self) -> None:
        """What is masked in the trace is masked here, and so are the patterns."""
        words = ["syswatch", "run", "--redact", "pass[a-z]*", "--redact=k.y", "login", "--password"]

        self.assertEqual(
            ["syswatch", "run", "--redact", "***", "--redact=***", "login", "--***"], masked(words)
        )

    def test_shown(self) -> None:
        """Everything else is shown, the names of token files too."""
        words = ["twistd", "-n", "syswatch", "--ws-token-file", "/run/token", "--serve=:8080"]

        self.assertEqual(words, masked(words))

    def test_looks_like_flag(self) -> None:
        """A token that looks like a flag is a token."""
        self.assertEqual(["--ws-token", "***", "x"], masked(["--ws-token", "--http-token", "x"]))
        self.assertEqual([], masked([]))
