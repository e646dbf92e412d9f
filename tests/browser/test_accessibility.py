"""Tests with axe, which knows the rules of WCAG."""

import json
import shutil
import subprocess
import tarfile
from pathlib import Path
from typing import ClassVar

from twisted.trial.unittest import SkipTest

from .case import BrowserTestCase
from .watched import session

# Fetched when the tests run and kept out of the package: it is a tool, not a part.
_AXE = "axe-core@4"
_RUN = """
const done = arguments[arguments.length - 1];
axe.run(document, { resultTypes: ["violations"] })
  .then((found) => done(JSON.stringify(found.violations)));
"""


class AccessibilityTests(BrowserTestCase):
    """No page has a serious fault."""

    axe: ClassVar[str] = ""

    def setUp(self) -> None:
        """Fetch axe, once."""
        super().setUp()
        if not AccessibilityTests.axe:
            AccessibilityTests.axe = self._fetch()
        self.server = self.serve(session(2), "--per-pid")

    def _fetch(self) -> str:
        npm = shutil.which("npm")
        if npm is None:
            raise SkipTest("needs npm, to fetch axe-core")
        folder = Path(self.mktemp())
        folder.mkdir()
        packed = subprocess.run(
            [npm, "pack", _AXE, "--silent"], cwd=folder, capture_output=True, text=True, check=False
        )
        if packed.returncode:
            raise SkipTest("needs a registry of npm, to fetch axe-core")
        with tarfile.open(folder / packed.stdout.split()[-1]) as archive:
            script = archive.extractfile("package/axe.min.js")
            if script is None:
                raise SkipTest("axe-core has changed its files")
            return script.read().decode()

    def faults(self) -> list[str]:
        """Return the grave faults of the page as it is now."""
        self.browser.run(self.axe)
        found = json.loads(self.browser.driver.execute_async_script(_RUN))
        return [
            f"{fault['id']}: {node['target']} {node.get('failureSummary', '')}"
            for fault in found
            if fault["impact"] in ("serious", "critical")
            for node in fault["nodes"]
        ]

    def test_dashboard(self) -> None:
        """The dashboard, every tab of it, in both colours and on a phone."""
        for scheme, width in (("dark", 1440), ("light", 1440), ("light", 360)):
            self.browser.prefer(color_scheme=scheme, reduced_motion="reduce")
            self.browser.resize(width, 900)
            self.open(self.server.url)
            self.browser.until(lambda: self.browser.all("tbody tr"))
            for key in "234561":
                self.browser.press(key)
                self.browser.until(lambda: self.browser.text("#panel"))
                self.assertEqual([], self.faults(), f"tab {key}, {scheme}, {width}")

    def test_help(self) -> None:
        """The list of keys."""
        self.open(self.server.url)
        self.browser.press("?")
        self.browser.until(lambda: self.browser.run("return document.querySelector('#help').open"))

        self.assertEqual([], self.faults())

    def test_call_page(self) -> None:
        """The page of one call, in both colours."""
        for scheme in ("dark", "light"):
            self.browser.prefer(color_scheme=scheme)
            self.open(self.server.url + "syscall/openat")
            self.browser.until_text("#cards", "80")
            self.assertEqual([], self.faults(), scheme)
