"""Tests of the option --baseline."""

from twisted.trial.unittest import SynchronousTestCase

from syswatch.options.config import Config
from tests.options.parsing import config_of, error_of
from tests.system.servers import LOG

_COMMANDS = {
    "run": ("true",),
    "attach": ("1",),
    "stats": (str(LOG),),
}


def _baselines(config: Config) -> tuple[str, ...]:
    assert config.serving is not None
    return config.serving.baselines


class BaselineTests(SynchronousTestCase):
    """The runs that a trace is compared with."""

    def test_repeated(self) -> None:
        """They are in the order in which they are given."""
        for command, operands in _COMMANDS.items():
            words = ("--serve", ":0", "--baseline", "a.rec", "--baseline", "host:8080")
            config = config_of(command, *words, *operands)
            self.assertEqual(("a.rec", "host:8080"), _baselines(config), command)
            self.assertEqual((), _baselines(config_of(command, "--serve", ":0", *operands)))

    def test_mistakes(self) -> None:
        """Without a server it has no effect, and standard input is for other things."""
        for words, sentence in {
            ("--baseline", "a"): "--baseline has no effect without --serve",
            ("--serve", ":0", "--baseline", "-"): (
                "--baseline: standard input cannot be a baseline"
            ),
            ("--serve", ":0", "--baseline", ""): "--baseline: the name is empty",
        }.items():
            for command, operands in _COMMANDS.items():
                self.assertEqual(sentence, error_of(command, *words, *operands))
