"""Tests of the option --engine, and of inputs that are patterns or URLs."""

from pathlib import Path
from unittest.mock import patch

from twisted.trial.unittest import SynchronousTestCase

from syswatch.model.messages import ReadLogs
from syswatch.options import action
from syswatch.options.config import Diff, Profiling
from syswatch.settings import engine
from tests.options.parsing import config_of, error_of
from tests.system.servers import LOG


class EngineTests(SynchronousTestCase):
    """Where inputs are read."""

    def scheduler(self, *words: str) -> str | None:
        """Return the scheduler that a command line stands for."""
        job = config_of("stats", *words, str(LOG)).job
        assert isinstance(job, ReadLogs)
        return job.scheduler

    def test_addresses(self) -> None:
        """The port of a scheduler and TCP are the default; an own cluster has no address."""
        self.assertIsNone(self.scheduler())
        self.assertIsNone(self.scheduler("--engine", "local"))
        for text, address in {
            "dask": "",
            "dask://host": "tcp://host:8786",
            "dask://[::1]:99": "tcp://[::1]:99",
            "dask://tls://a.b:1": "tls://a.b:1",
        }.items():
            self.assertEqual(address, self.scheduler("--engine", text))

    def test_mistakes(self) -> None:
        """An engine that cannot be meant is one sentence."""
        for words, sentence in {
            ("spark",): "invalid value 'spark' (choose from local, dask, dask://HOST:PORT)",
            ("dask://a:b",): "invalid value 'dask://a:b' (expected dask://HOST:PORT)",
            ("dask", "-"): "the workers of a cluster cannot read standard input ('-')",
        }.items():
            error = error_of("stats", "--engine", *words, str(LOG))
            self.assertEqual(f"--engine: {sentence}", error)

    def test_missing_packages(self) -> None:
        """The extra is named if one of its packages is not installed."""
        with patch.object(engine, "find_spec", {"distributed": object()}.get):
            self.assertEqual(
                "--engine: a Dask cluster needs the package fsspec: pip install 'syswatch[dask]'",
                error_of("stats", "--engine", "dask", str(LOG)),
            )

    def test_other_commands(self) -> None:
        """What is compared, and what profiles are made of, is read on a cluster, too."""
        diff = action(["diff", "--engine", "dask", "a", "b"])
        profile = action(["profile", "--engine", "dask://host", "a", "b"])

        self.assertTrue(isinstance(diff, Diff) and diff.scheduler == "")
        self.assertTrue(isinstance(profile, Profiling) and profile.scheduler == "tcp://host:8786")
        for words in (("merge", "a.json"), ("--", "ls")):
            self.assertEqual(
                "--engine has an effect only with INPUT: recordings and logs",
                error_of("profile", "--engine", "dask", *words),
            )


class PatternTests(SynchronousTestCase):
    """Patterns and URLs among the inputs."""

    def files(self, *words: str) -> tuple[str, ...]:
        """Return the files to be read."""
        job = config_of("stats", *words).job
        assert isinstance(job, ReadLogs)
        return job.files

    def test_patterns(self) -> None:
        """A pattern that the shell did not expand stands for the files that match, in order."""
        folder = Path(self.mktemp())
        names = [folder / each for each in ("b.log", "a.log", "below/c.log", "[x].log")]
        (folder / "below").mkdir(parents=True)
        for name in names:
            name.write_bytes(LOG.read_bytes())
        b, a, below, odd = map(str, names)

        self.assertEqual((odd, a, b), self.files(f"{folder}/*.log"))
        self.assertEqual({a, b, below, odd}, set(self.files(f"{folder}/**/*.log")))
        self.assertEqual((odd,), self.files(odd))
        self.assertEqual(
            f"{folder}/*.gz: no file matches this pattern", error_of("stats", f"{folder}/*.gz")
        )

    def test_urls(self) -> None:
        """URLs are left to the process that reads them."""
        urls = ("s3://bucket/*.gz", "http://host/a.log")

        self.assertEqual(urls, self.files(*urls))
