"""Tests of the service against its OpenAPI description with schemathesis."""

import importlib.util
import sys
from pathlib import Path

from twisted.trial.unittest import SkipTest, SynchronousTestCase

from tests.system.servers import LOG, PATIENCE_S, serving
from tests.system.shell import run

# Each of these takes as many seconds as requested.
_SLOW = "/debug/pprof/(profile|heap|block|trace)"
_CONFIGURATION = Path(__file__).with_name("schemathesis.toml")


class DescriptionTests(SynchronousTestCase):
    """Schemathesis."""

    def test_nothing_found(self) -> None:
        """All answers match the description."""
        if importlib.util.find_spec("schemathesis") is None:
            raise SkipTest("schemathesis is not installed")
        program = Path(sys.executable).with_name("schemathesis")
        with serving("--baseline", str(LOG)) as server:
            url = f"http://127.0.0.1:{server.port}/api/openapi.json"
            options = ("--exclude-path-regex", _SLOW, "--max-examples=25", "--seed=1")
            # A busy machine may be slow.
            patience = (f"--request-timeout={PATIENCE_S}", "--suppress-health-check=too_slow")
            command = [str(program), f"--config-file={_CONFIGURATION}", "run", url]
            result = run([*command, *options, *patience], timeout=240)
            self.assertEqual(0, result.returncode, result.stdout + result.stderr)
            server.end()
        self.assertNotIn(b"Traceback", server.output)
