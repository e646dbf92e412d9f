"""Tests of modules that are imported when they are used."""

import subprocess
import sys

from twisted.trial.unittest import SynchronousTestCase

_PROGRAM = """
import sys
from syswatch.base.lazy import import_lazily
import_lazily("http.cookiejar")
import_lazily("http.no_such_module")
import_lazily("no_such_package.module")
from http import cookiejar
from twisted.python.compat import cookielib
print("urllib.request" in sys.modules)
jar = cookielib.CookieJar()
print("urllib.request" in sys.modules, cookielib is cookiejar, len(jar))
import_lazily("http.cookiejar")
print(sys.modules["http.cookiejar"] is cookiejar)
"""


# What measures coverage does not import this module.
_WITHOUT = """
import sys
import email
from syswatch.base.lazy import without
try:
    with without("colorsys", "email", "no_such_module"):
        import email
        try:
            import colorsys
        except ImportError as error:
            print(error.name)
        raise OSError("stays")
except OSError as error:
    print(error)
import colorsys
print("no_such_module" in sys.modules)
"""


class LazyTests(SynchronousTestCase):
    """A module that Twisted imports for others."""

    def test_loaded(self) -> None:
        """It is loaded when it is used, and then as usual; a missing module stays missing."""
        done = subprocess.run(
            [sys.executable, "-c", _PROGRAM], check=True, capture_output=True, text=True
        )
        self.assertEqual("False\nTrue True 0\nTrue\n", done.stdout)

    def test_without(self) -> None:
        """A module seems not to be installed, unless it was imported before; then it can be."""
        done = subprocess.run(
            [sys.executable, "-c", _WITHOUT], check=True, capture_output=True, text=True
        )
        self.assertEqual("colorsys\nstays\nFalse\n", done.stdout)
