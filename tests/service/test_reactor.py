"""Tests of the reactor that a main program gets."""

import sys

from twisted.trial.unittest import SynchronousTestCase

from tests.system.servers import PATIENCE_S
from tests.system.shell import run

# What is to happen waits already when the time of day is set back.
_SET_BACK = """
import time
now, offset_s = time.time, [0]
time.time = lambda: now() + offset_s[0]
{install}
from syswatch.service.reactor import global_reactor
reactor = global_reactor()
reactor.callLater(0, offset_s.__setitem__, 0, -3600)
reactor.callLater(0.1, reactor.stop)
reactor.run()
"""
_INSTALL_ASYNCIO = "from twisted.internet import asyncioreactor; asyncioreactor.install()"


class ClockTests(SynchronousTestCase):
    """A time of day that is set back."""

    def test_goes_on(self) -> None:
        """What is to happen soon does happen soon, with the reactor of the terminal as well."""
        for install in ("", _INSTALL_ASYNCIO):
            script = _SET_BACK.format(install=install)
            result = run([sys.executable, "-c", script], timeout=PATIENCE_S)
            self.assertEqual((0, ""), (result.returncode, result.stderr))
