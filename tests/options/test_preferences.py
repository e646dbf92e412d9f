"""Tests of the options that choose how the time is presented."""

from twisted.trial.unittest import SynchronousTestCase

from syswatch.model.objects import ObjectKind
from syswatch.model.preferences import ShareOf
from syswatch.options.config import Config
from syswatch.views.forms import CallSort

from .parsing import config_of, error_of


def _config(*words: str) -> Config:
    return config_of("run", *words, "true")


class PreferenceTests(SynchronousTestCase):
    """What the options become."""

    def test_defaults(self) -> None:
        """Shares are of busy time, calls are sorted by time, and objects are followed."""
        config = _config()

        self.assertIs(ShareOf.BUSY, config.preferences.share)
        self.assertEqual((), config.preferences.waits)
        self.assertIs(CallSort.TIME, config.reporting.sort)
        self.assertTrue(config.job.options.objects)

    def test_given(self) -> None:
        """Each option is passed on; what is declared blocked is considered first."""
        config = _config(
            *("--share", "wall", "--sort", "bytes"),
            *("--idle", "tcp,read@/run/*", "--blocked", "futex"),
        )

        self.assertIs(ShareOf.WALL, config.preferences.share)
        self.assertEqual(
            ["--blocked futex", "--idle tcp", "--idle read@/run/*"],
            [each.text for each in config.preferences.waits],
        )
        self.assertIs(ObjectKind.FUTEX, config.preferences.waits[0].kind)
        self.assertIs(CallSort.BYTES, config.reporting.sort)
        self.assertFalse(_config("--no-objects").job.options.objects)

    def test_invalid(self) -> None:
        """Each mistake is one sentence with what exists."""
        for words, part in (
            (
                ("--sort", "size"),
                "--sort: invalid value 'size' (choose from time, calls, errors, waiting, bytes, na",
            ),
            (("--share", "x"), "--share: invalid value 'x' (choose from wall, busy, calls)"),
            (("--idle", "fsycn"), "--idle: unknown call or kind of object 'fsycn'; did you mean"),
            (("--blocked", "qq"), "(the kinds are path, file, directory, device,"),
            (("--idle", ""), "--idle: the pattern is empty"),
            (
                ("--sort", "calls", "--format", "csv"),
                "--sort has no effect with --format csv, which has an order of its own",
            ),
        ):
            self.assertIn(part, error_of("run", *words, "true"))
