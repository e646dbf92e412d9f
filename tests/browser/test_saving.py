"""Tests of the button that saves what a flight recorder keeps."""

from pathlib import Path

from selenium.webdriver.remote.webelement import WebElement

from tests.tracer.strace import require_tracing

from .case import BrowserTestCase
from .server import SyswatchServer, session


class SavingTests(BrowserTestCase):
    """A trace of which the newest part is kept."""

    def test_saved(self) -> None:
        """The button saves, and a line says where; after the end there is nothing to save."""
        require_tracing()
        folder = Path(self.mktemp()).absolute()
        server = self.stop_later(
            SyswatchServer(
                *("run", "--backend", "ptrace", "--serve", ":0", "--tui", "never"),
                *("--record", str(folder), "--keep", "1h", "sh", "-c", "read line"),
            )
        )
        self.open(server.url)
        self.browser.until(self.button.is_displayed)
        self.browser.click("#save-recording")
        self.browser.until_text("#notices", "1 save")
        (save,) = (folder / "saves").iterdir()
        newest = f"1 save, the newest one is saves/{save.name} (HTTP request)"
        self.assertIn(newest, self.browser.text("#notices"))
        self.browser.until_text("#save-recording", "Save recording")
        server.end()
        self.browser.until_text("#notices", "final numbers")
        self.browser.until(lambda: not self.button.is_displayed())

    @property
    def button(self) -> WebElement:
        """The button."""
        return self.browser.one("#save-recording")

    def test_nothing_to_save(self) -> None:
        """Without a flight recorder there is no button."""
        self.open(self.serve(session(1)).url)
        self.browser.until(lambda: self.browser.all("#table .row, tbody tr"))
        self.assertFalse(self.button.is_displayed())
