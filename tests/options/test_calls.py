"""Tests of the options for a line of each call."""

import os
from pathlib import Path

from twisted.trial.unittest import SynchronousTestCase

from syswatch.model.messages import RunCommand
from syswatch.options.config import Config
from tests.options.parsing import config_of, error_of
from tests.system.servers import LOG


def _decodes_all(config: Config) -> bool:
    assert isinstance(config.job, RunCommand)
    return config.job.options.decode_all


class CallsTests(SynchronousTestCase):
    """`--calls` and `-o`."""

    def test_short_form(self) -> None:
        """`-o` names the file of the summary if there is one, or else that of the calls."""
        for words, calls, output in (
            (("-o", "x"), "x", ""),
            (("--calls", "x"), "x", ""),
            (("--calls=-",), "-", ""),
            (("-f", "-ttt", "-T", "-ox"), "x", ""),
            (("-c", "-o", "x"), "", "x"),
            (("-o", "x", "--format", "csv"), "", "x"),
            (("--output", "x"), "", "x"),
            (("--output", "y", "-o", "x"), "x", "y"),
            (("-c", "-o", "x", "--calls", "y"), "y", "x"),
            ((), "", ""),
        ):
            config = config_of("run", *words, "true")
            reporting = config.reporting
            self.assertEqual((calls, output), (reporting.calls, reporting.output), words)
            self.assertEqual(bool(calls), _decodes_all(config), words)
            self.assertEqual("text", reporting.calls_format)

    def test_two_summaries(self) -> None:
        """Only one file gets the summary."""
        for words in (("-c",), ("--format", "json")):
            message = error_of("run", *words, "--output", "y", "-o", "x", "true")
            self.assertIn("-o and --output both name", message)

    def test_of_logs(self) -> None:
        """The summary of a log has the short form."""
        self.assertEqual("x", config_of("stats", "-o", "x", str(LOG)).reporting.output)

    def test_summary(self) -> None:
        """With the calls, there is a summary only if it is asked for."""
        for words, expected in {
            ("--calls", "x"): False,
            ("-o", "x"): False,
            ("--calls", "x", "-c"): True,
            ("--calls", "x", "--output", "y"): True,
        }.items():
            config = config_of("run", "--tui", "never", *words, "true")
            self.assertEqual(expected, config.reporting.summary, words)

    def test_format(self) -> None:
        """The lines may be JSON."""
        config = config_of("run", "--calls", "x", "--calls-format", "ndjson", "true")
        self.assertEqual("ndjson", config.reporting.calls_format)

    def test_mistakes(self) -> None:
        """Each of them is answered in one sentence."""
        folder = self.mktemp()
        Path(folder).mkdir()
        for words, error in {
            ("--calls-format", "text"): "--calls-format has no effect without --calls",
            ("--calls", folder): f"--calls: {folder} is a directory",
            ("--calls", "/absent/x"): "--calls: no such directory: /absent",
            ("-o", "|less"): "-o: cannot write to a command (use a pipe: --calls - ... |less)",
            ("-ff", "-o", "x"): "-ff -o: one file has the calls of all processes (use -f -o)",
            ("--calls", "x", "--mode", "counts"): (
                "--calls has no effect with --mode counts, which only counts calls"
            ),
            ("--calls", "x", "--report", "x"): "--report and --calls name the same file: x",
            ("--tui", "always", "--calls", "-"): (
                "--tui always: calls are written to standard output"
            ),
            ("--calls", ""): "--calls: the name is empty",
        }.items():
            self.assertEqual(error, error_of("run", *words, "true"), words)

    def test_devices(self) -> None:
        """Devices can be written to."""
        self.assertEqual("", error_of("run", "--calls", os.devnull, "true"))
