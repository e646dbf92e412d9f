"""Tests of the parser: options in every spelling, and suggestions for mistakes."""

from pathlib import Path

from twisted.trial.unittest import SynchronousTestCase

from syswatch.model.messages import Attach, RunCommand
from syswatch.options import PROGRAM
from tests.options.parsing import config_of, error_of
from tests.system.servers import LOG

# What is typed, and the error with its suggestion.
_SUGGESTIONS: dict[tuple[str, ...], str] = {
    ("atach", "-p", "1"): "unknown command 'atach'; did you mean 'attach'?",
    ("Run", "true"): "unknown command 'Run'; did you mean 'run'?",
    ("help", "stat"): "unknown command 'stat'; did you mean 'stats'?",
    ("true", "-x"): "unknown command 'true'; did you mean 'syswatch run true'?",
    ("12", "-x"): "unknown command '12'; did you mean 'syswatch attach 12'?",
    (str(LOG),): f"unknown command '{LOG}'; did you mean 'syswatch stats {LOG}'?",
    ("--serve", ":0"): (
        "missing command; choose from: "
        "run, attach, stats, replay, query, export, diff, check, profile, top, discover,"
        " doctor, help"
    ),
    ("doctor", "--json"): "unknown option '--json' (see: syswatch help doctor)",
    ("run", "--servee", ":0", "true"): "unknown option '--servee'; did you mean '--serve'?",
    ("doctor", "--backnd", "x"): "unknown option '--backnd'; did you mean '--backend' of run?",
    ("run", "--servee=:0", "true"): "unknown option '--servee'; did you mean '--serve'?",
    ("run", "--qqqqqqqqqqqq", "true"): "unknown option '--qqqqqqqqqqqq' (see: syswatch help run)",
    ("run", "-Q", "true"): "unknown option '-Q' (see: syswatch help run)",
    ("--qqqqqqqqqqqq", "run"): "unknown option '--qqqqqqqqqqqq' (see: syswatch help)",
    ("run", "--format", "jsn", "true"): "--format: invalid value 'jsn'; did you mean 'json'?",
    ("run", "--format", "xml", "true"): (
        "--format: invalid value 'xml' (choose from text, json, ndjson, csv)"
    ),
    ("run", "--backend=pt", "true"): (
        "--backend: invalid value 'pt' (choose from auto, ebpf, ptrace)"
    ),
    ("run", "--re", "x", "true"): (
        "ambiguous option '--re': --redact, --report, --report-top-files, --record"
    ),
    ("run", "--summary=x", "true"): "--summary takes no value",
    ("run", "--serve"): "--serve: missing value ADDRESS",
    ("run", "-c", "-e"): "-e: missing value EXPR",
    ("attach", "--wait", "--pi"): "--pid: missing value PID",
    ("run", "--pid=5", "true"): (
        "--pid is an option of attach; did you mean 'syswatch attach --pid=5'?"
    ),
    ("run", "-p", "1", "true"): "-p is an option of attach; did you mean 'syswatch attach -p 1'?",
    # It is the beginning of --allow-host, which would take the command as its value.
    ("run", "--all", "true"): (
        "--all is an option of attach, diff, discover; did you mean 'syswatch attach --all'?"
    ),
    ("--all", "run", "true"): (
        "--all is an option of attach, diff, discover; did you mean 'syswatch attach --all'?"
    ),
    ("run", "--cgroup", "/x", "true"): (
        "--cgroup is an option of attach; did you mean 'syswatch attach --cgroup /x'?"
    ),
    ("doctor", "--ws-token=sesame"): (
        "--ws-token is an option of run, attach, stats, replay; did you mean"
        " 'syswatch run --ws-token TOKEN'?"
    ),
    ("export", "rec", "--format", "csv"): (
        "--format is an option of run, attach, stats, query, diff, check, profile; did you mean"
        " '--to csv'?"
    ),
    ("run", "-E", "A", "true"): "-E: invalid value 'A' (expected NAME=VALUE)",
    ("run", "--wait", "true"): (
        "--wait is an option of attach; did you mean 'syswatch attach --wait'?"
    ),
    ("-e", "open", "run", "true"): (
        "-e is an option of run, attach, stats; did you mean 'syswatch run -e open'?"
    ),
    **dict.fromkeys(
        (
            ("run", "-p", "123"),
            ("run", "-p123", "true"),
            ("run", "-cfp", "123"),
            ("-p", "123"),
            ("stats", "-p", "123"),
        ),
        "-p is an option of attach; did you mean 'syswatch attach -p 123'?",
    ),
    ("run",): "run: missing COMMAND, as in 'syswatch run ls -l'",
    ("help", "run", "attach"): "help takes a single COMMAND",
}


class SuggestionTests(SynchronousTestCase):
    """Mistyped commands, options and values."""

    def test_suggestions(self) -> None:
        """Each mistake is one sentence that says what was probably meant."""
        for words, sentence in _SUGGESTIONS.items():
            self.assertEqual(sentence, error_of(*words))

    def test_any_text(self) -> None:
        """Any text in the place of a command or an option is one sentence."""
        for text in ("", "x" * 5000, "\0", "\udcff", "é", "a/b", ".", "~"):
            self.assertIn("unknown command", error_of(text))
            self.assertIn("unknown option", error_of("run", f"--{text or '='}", "true"))


class SpellingTests(SynchronousTestCase):
    """Options in every form that getopt knows."""

    def test_combined(self) -> None:
        """Short options may share a word, the last one with its value."""
        job = config_of("attach", "-fcyTp12", "-s", "9", "-e%file").job
        assert isinstance(job, Attach)
        self.assertEqual(
            ((12,), True, 9, "%file"),
            (
                job.pids,
                job.options.descriptor_paths,
                job.options.string_limit,
                job.options.trace,
            ),
        )

    def test_abbreviated(self) -> None:
        """A long option may be cut as long as it is not ambiguous."""
        self.assertEqual("json", config_of("run", "--form=json", "true").reporting.summary_format)

    def test_last_wins(self) -> None:
        """Of an option that is given twice the last value holds, wherever it stands."""
        for words in (
            ("run", "--format", "csv", "--format", "json", "true"),
            ("--format", "csv", "run", "--format", "json", "true"),
            ("--format", "json", "run", "true"),
        ):
            self.assertEqual("json", config_of(*words).reporting.summary_format)

    def test_end_of_options(self) -> None:
        """After `--` and after the command, nothing is an option."""
        for words in (("--", "-c", "--serve"), ("ls", "--", "-c")):
            config = config_of("run", *words)
            assert isinstance(config.job, RunCommand)
            self.assertEqual(words[words[0] == "--" :], config.job.argv)
            self.assertFalse(config.reporting.summary_asked)

    def test_every_option_is_unique(self) -> None:
        """No command has two options with one spelling."""
        for command in (PROGRAM, *PROGRAM.commands):
            spellings = [s for option in command.options for s in option.spellings]
            self.assertEqual(len(spellings), len(set(spellings)), command.name)

    def test_references(self) -> None:
        """Whatever an option refers to is an option of the same command."""
        for command in PROGRAM.commands:
            names = {option.name for option in command.options}
            for option in command.options:
                excluded = {*option.excludes, *([option.alias_of[0]] if option.alias_of else [])}
                clashing = {clash.option for clash in option.clashes}
                self.assertLessEqual(excluded, names, (command.name, option.name))
                # One of them is enough: "replay" pushes nothing.
                needed = names.intersection(option.needs)
                self.assertEqual(bool(option.needs), bool(needed), (command.name, option.name))
                self.assertLessEqual(set(option.needs) - needed, {"otlp"}, option.name)
                # "stats" has no --mode, and "replay" no --no-objects.
                elsewhere = {"mode", "all", "cgroup", "no-objects"}
                self.assertLessEqual(clashing - elsewhere, names, option.name)


class TokenFileTests(SynchronousTestCase):
    """Tokens read from a file."""

    def test_first_line(self) -> None:
        """The first line is the token."""
        file = Path(self.mktemp())
        file.write_text("sesame \nopen\n")
        serving = config_of("run", "--serve", ":0", "--ws-token-file", str(file), "true").serving
        assert serving is not None
        assert serving.access.ws_token is not None
        self.assertEqual(b"sesame", serving.access.ws_token.secret)

    def test_endless_line(self) -> None:
        """A file without an end, which is a mistake, is not read to its end."""
        found = error_of("run", "--serve", ":0", "--http-token-file", "/dev/zero", "true")
        self.assertEqual(
            "--http-token-file: /dev/zero: the first line has more than 16384 bytes", found
        )
