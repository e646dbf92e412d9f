"""A Chromium, with its console messages and requests."""

import json
import os
import re
import shutil
from base64 import b64decode
from collections.abc import Callable
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

from selenium.common.exceptions import StaleElementReferenceException, WebDriverException
from selenium.webdriver import Chrome, ChromeOptions
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.remote.webelement import WebElement
from selenium.webdriver.support.wait import WebDriverWait

_PATIENCE_S = 120
_FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--hide-scrollbars",
)


def missing() -> str | None:
    """Return why no browser can be used, or None."""
    if os.environ.get("SYSWATCH_BROWSER_TESTS") == "elsewhere":
        return "the tox environment `browser` runs the tests of the pages"
    absent = [name for name in ("chromium", "chromedriver") if shutil.which(name) is None]
    return f"needs {' and '.join(absent)}" if absent else None


class Browser:
    """A browser window; `console_messages` and `requests` need logs."""

    def __init__(self, *, keeping_logs: bool = True) -> None:
        self._profile = mkdtemp(prefix="syswatch-chromium-")
        options = ChromeOptions()
        options.binary_location = shutil.which("chromium") or ""
        for flag in (*_FLAGS, f"--user-data-dir={self._profile}"):
            options.add_argument(flag)
        if keeping_logs:
            options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
        self.driver = Chrome(options=options, service=Service(shutil.which("chromedriver")))
        self.driver.set_script_timeout(_PATIENCE_S)
        self.resize(1440, 900)

    def close(self) -> None:
        """Close the browser and delete its profile."""
        self.driver.quit()
        shutil.rmtree(self._profile, ignore_errors=True)

    def resize(self, width: int, height: int) -> None:
        """Set the size of the screen."""
        metrics = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False}
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)

    def emulate_media(self, **media: str) -> None:
        """Emulate media features such as a colour scheme or reduced motion."""
        features = [
            {"name": f"prefers-{k.replace('_', '-')}", "value": v} for k, v in media.items()
        ]
        self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": features})

    def emulate_print(self, *, paper: bool = True) -> None:
        """Emulate printing, or a screen again."""
        media = {"media": "print" if paper else ""}
        self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", media)

    def set_timezone(self, zone: str) -> None:
        """Set the time zone; an empty one restores the default."""
        self.driver.execute_cdp_cmd("Emulation.setTimezoneOverride", {"timezoneId": zone})

    def accept_any_certificate(self, *, trust: bool = True) -> None:
        """Accept any certificate, or only valid ones again."""
        self.driver.execute_cdp_cmd("Security.setIgnoreCertificateErrors", {"ignore": trust})

    def open(self, url: str) -> None:
        """Open a page with empty logs."""
        self.driver.get("about:blank")
        self.console_messages()
        self.requests()
        self.driver.get(url)

    def leave(self) -> None:
        """Leave the page, which would report its stopped server, and forget what it stored."""
        # A later server may have the same port, and its pages would restore the view.
        self.run("try { sessionStorage.clear(); localStorage.clear(); } catch { /* No page. */ }")
        self.driver.get("about:blank")

    def run(self, script: str, *arguments: object) -> Any:
        """Run a script in the page."""
        return self.driver.execute_script(script, *arguments)

    def all(self, selector: str) -> list[WebElement]:
        """Return all elements that match."""
        return self.driver.find_elements("css selector", selector)

    def one(self, selector: str) -> WebElement:
        """Return the first element that matches, waiting for it."""
        found: list[WebElement] = self.until(lambda: self.all(selector))
        return found[0]

    def text(self, selector: str) -> str:
        """Return the text of an element."""
        return str(self.run("return document.querySelector(arguments[0])?.textContent", selector))

    def texts(self, selector: str) -> list[str]:
        """Return the texts of elements."""
        script = "return [...document.querySelectorAll(arguments[0])].map((e) => e.textContent)"
        found: list[str] = self.run(script, selector)
        return found

    def click(self, selector: str) -> None:
        """Click an element, which may be replaced meanwhile."""

        def is_clicked() -> bool:
            self.one(selector).click()
            return True

        self.until(is_clicked)

    def click_titled(self, selector: str, title: str) -> None:
        """Click the element that has the given text."""
        self.until(lambda: title in self.texts(selector))
        self.run(
            "[...document.querySelectorAll(arguments[0])]"
            ".find((each) => each.textContent === arguments[1]).click()",
            selector,
            title,
        )

    def press(self, keys: str) -> None:
        """Press keys in the focused element."""
        self.driver.switch_to.active_element.send_keys(keys)

    def until(self, condition: Callable[[], Any]) -> Any:
        """Wait until a condition holds, also while elements are replaced."""
        waiting = WebDriverWait(self.driver, _PATIENCE_S, 0.05, (StaleElementReferenceException,))
        return waiting.until(lambda _: condition())

    def until_text(self, selector: str, part: str) -> None:
        """Wait until the text of an element contains another one."""
        try:
            self.until(lambda: part in self.text(selector))
        except WebDriverException as error:
            raise AssertionError(f"{self.text(selector)!r} has no {part!r}") from error

    def background_colour(self) -> str:
        """Return the background colour of the page."""
        return str(self.run("return getComputedStyle(document.body).backgroundColor"))

    def console_messages(self) -> list[str]:
        """Return and forget the errors and warnings in the console."""
        entries = self.driver.get_log("browser")
        return [entry["message"] for entry in entries if entry["level"] in ("SEVERE", "WARNING")]

    def requests(self) -> list[str]:
        """Return and forget the URLs of all requests."""
        entries = self.driver.get_log("performance")
        messages = [json.loads(entry["message"])["message"] for entry in entries]
        return [
            message["params"]["request"]["url"]
            for message in messages
            if message["method"] == "Network.requestWillBeSent"
        ]

    def printed_pages(self) -> int:
        """Print the page on A4 and return on how many sheets."""
        paper = {"paperWidth": 8.27, "paperHeight": 11.69, "preferCSSPageSize": True}
        answer = self.driver.execute_cdp_cmd("Page.printToPDF", paper)
        return len(re.findall(rb"/Type\s*/Page\b", b64decode(answer["data"])))

    def screenshot(self, file: Path) -> None:
        """Save a screenshot."""
        self.driver.save_screenshot(str(file))


ESCAPE, ENTER, SPACE, END = Keys.ESCAPE, Keys.ENTER, Keys.SPACE, Keys.END
