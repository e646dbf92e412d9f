"""Tests of how `syswatch check` is parsed."""

import os
from pathlib import Path

from twisted.trial.unittest import SynchronousTestCase

from syswatch.model.messages import RunCommand
from syswatch.options import action
from syswatch.options.config import Check
from tests.options.parsing import error_of

_MISTAKES = {
    (): "check: missing COMMAND, as in 'syswatch check -- make test'",
    ("--recording", "a", "true"): "check: --recording and COMMAND cannot be given together",
    ("--recording", "a", "--url", "b"): "check: --recording and --url cannot be given together",
    ("--recording", "a", "--recording", "b"): "check: only --write takes several runs",
    ("--recording", ""): "--recording: the name is empty",
    ("--recording", "a", "--backend", "ptrace"): "--backend has no effect with --recording",
    ("--recording", "a", "--write", "--runs", "2"): "--runs has no effect with --recording",
    ("--runs", "2", "true"): "--runs has no effect without --write",
    ("--write", "--runs", "0", "true"): "--runs: invalid value '0' (expected a whole number, at"
    " least 1)",
    ("--write", "--runs", "2", "--record", "r", "true"): "--record has no effect with --runs: a"
    " recording is of one run",
    ("--force", "true"): "--force has no effect without --write",
    ("--format", "xml", "true"): "--format: invalid value 'xml' (choose from text, json,"
    " markdown, junit)",
    ("--junit", "a", "--markdown", "a", "true"): "--markdown and --junit name the same file: a",
    ("--budget", "", "true"): "--budget: the name is empty",
    ("--junit", "no/such/file", "true"): "--junit: no such directory: no/such",
}


def check_of(*words: str) -> Check:
    """Return what a command line stands for."""
    found = action(["check", *words])
    assert isinstance(found, Check), found
    return found


class CheckTests(SynchronousTestCase):
    """Command lines."""

    def test_command(self) -> None:
        """A command is traced with everything that can be limited, and without a log."""
        check = check_of("--backend", "ptrace", "-E", "A=b", "--", "make", "--write")
        assert check.traced is not None
        job = check.traced.job
        assert isinstance(job, RunCommand)
        self.assertEqual((("make", "--write"), {"A": "b"}), (job.argv, job.environment))
        self.assertEqual(("ptrace", 0, True), (job.options.backend, job.options.log_rate, True))
        self.assertTrue(job.options.objects and job.options.read_arguments)
        self.assertFalse(check.traced.reporting.summary)
        self.assertIsNone(check.budget)

    def test_sources(self) -> None:
        """What exists is read instead."""
        check = check_of("--url", "localhost:8080", "--budget", "b.toml", "--junit", "x.xml")
        self.assertIsNone(check.traced)
        self.assertEqual(("localhost:8080",), check.sources)
        self.assertEqual((Path("b.toml"), {"junit": "x.xml"}), (check.budget, check.files))
        self.assertEqual(2, len(check_of("--write", "--recording=a", "--recording=b").sources))

    def test_mistakes(self) -> None:
        """Each mistake is one sentence."""
        for words, sentence in _MISTAKES.items():
            self.assertEqual(sentence, error_of("check", *words), words)

    def test_write(self) -> None:
        """A budget that exists is not replaced by accident, and pyproject.toml never."""
        file = Path(self.mktemp())
        words = ("--write", "--budget", str(file))
        self.assertEqual(file, check_of(*words, "true").budget)
        file.symlink_to("nowhere")
        self.assertEqual(
            f"check --write: {file} exists (--force replaces it)",
            error_of("check", *words, "true"),
        )
        self.assertTrue(check_of(*words, "--force", "true").writes)
        error = error_of("check", "--write", "--budget", "pyproject.toml", "true")
        self.assertIn("pyproject.toml is not written to; write syswatch.toml", error)
        folder = Path(self.mktemp())
        folder.mkdir()
        self.assertEqual(
            f"--budget: {folder} is a directory",
            error_of("check", "--write", "--budget", str(folder), "true"),
        )
        self.assertTrue(os.path.lexists(file))
