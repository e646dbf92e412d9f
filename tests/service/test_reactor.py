"""Tests of the global reactor."""

import sys

from twisted.trial.unittest import SynchronousTestCase

from tests.system.servers import PATIENCE_S
from tests.system.shell import run

# A call is already scheduled when the clock is set back.
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
    """A system clock that is set back."""

    def test_goes_on(self) -> None:
        """Delayed calls run in time, also with the asyncio reactor."""
        for install in ("", _INSTALL_ASYNCIO):
            script = _SET_BACK.format(install=install)
            result = run([sys.executable, "-c", script], timeout=PATIENCE_S)
            self.assertEqual((0, ""), (result.returncode, result.stderr))
