"""Tests of what is imported to parse a command line."""

import sys

from twisted.trial.unittest import SynchronousTestCase

from tests.system.servers import LOG
from tests.system.shell import run

_HEAVY = {"autobahn", "hyperlink", "klein", "prometheus_client", "textual", "twisted", "werkzeug"}
_CODE = """
import sys
from syswatch.app.cli import main
try:
    main({words})
except SystemExit:
    pass
print(*sys.modules, file=sys.stderr)
"""


class ImportTests(SynchronousTestCase):
    """Commands that only print something."""

    def test_no_server(self) -> None:
        """They import neither the server, nor Twisted, nor Textual."""
        for words in (["--version"], ["help"], ["run", "-h"], ["doctor"], ["atach"]):
            result = run([sys.executable, "-c", _CODE.format(words=words)])
            modules = set(result.stderr.split())
            self.assertIn("syswatch.options.registry", modules)
            self.assertEqual(set(), _HEAVY & {name.partition(".")[0] for name in modules}, words)
            parts = {name.split(".")[1] for name in modules if name.startswith("syswatch.")}
            self.assertEqual(set(), {"web", "service", "tracer"} & parts, words)

    def test_comparison(self) -> None:
        """A comparison of logs imports no packages for recordings and servers, either."""
        words = ["diff", str(LOG), str(LOG)]
        result = run([sys.executable, "-c", _CODE.format(words=words)])
        packages = {name.partition(".")[0] for name in result.stderr.split()}
        self.assertRegex(result.stdout, "^No change: ")
        self.assertEqual(set(), (_HEAVY | {"duckdb", "http", "numpy", "pyarrow"}) & packages)
