"""Tests of the command line as the server shows it."""

from twisted.trial.unittest import SynchronousTestCase

from syswatch.model.messages import Attach, ReadLogs, RunCommand, TraceOptions
from syswatch.options.masking import mask_arguments
from syswatch.settings.access import Access, Token

_ACCESS = Access(ws_token=Token(b"secret"), http_token=Token(b"a=b"))


class MaskingTests(SynchronousTestCase):
    """Secrets on the command line."""

    def test_tokens(self) -> None:
        """Every token is masked, however it was given."""
        for flag in ("--ws-token", "--http-token", "--http-t"):
            for secret in ("secret", " secret ", "a=b"):
                for words, expected in (
                    (("syswatch", flag, secret, "stats"), ("syswatch", flag, "***", "stats")),
                    ((f"{flag}={secret}", "stats"), (f"{flag}=***", "stats")),
                ):
                    self.assertEqual(expected, mask_arguments(words, ReadLogs(("log",)), _ACCESS))

    def test_redacted(self) -> None:
        """What is masked in the trace is masked here, and so are the patterns themselves."""
        options = TraceOptions(redact=("pass [a-z]*", "k.y"))
        ours = ("syswatch", "run", "--redact", "pass [a-z]*", "--red=k.y")
        masked = ("syswatch", "run", "--redact", "***", "--red=***")
        command = ("login", "--pass", "word", "--redact", "(")

        self.assertEqual(
            (*masked, "login --[redacted] --redact ("),
            mask_arguments((*ours, *command), RunCommand(command, options=options), _ACCESS),
        )
        self.assertEqual(
            (*masked, "7"), mask_arguments((*ours, "7"), Attach((7,), options), _ACCESS)
        )

    def test_environment(self) -> None:
        """The variables of the command may be passwords."""
        job = RunCommand(("true",), environment={"A": "pass=word"})
        for words, expected in (
            (("-E", "A=pass=word"), ("-E", "***")),
            (("-EA=pass=word",), ("-E***",)),
            (("--env", "A=pass=word"), ("--env", "***")),
            (("--env=A=pass=word",), ("--env=***",)),
        ):
            found = mask_arguments(("syswatch", "run", *words, "true"), job, _ACCESS)
            self.assertEqual(("syswatch", "run", *expected, "true"), found)

    def test_all_else(self) -> None:
        """Everything else is shown, including the names of token files and the command."""
        words = ("twistd", "-n", "syswatch", "--ws-token-file", "/run/token", "run", "ls", "secret")

        self.assertEqual(words, mask_arguments(words, RunCommand(("ls", "secret")), _ACCESS))
