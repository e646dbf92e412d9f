"""A Chromium to look at pages with, and what it saw while it did."""

import json
import os
import shutil
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
    """Say why there is no browser here; None if there is one."""
    if os.environ.get("SYSWATCH_BROWSER_TESTS") == "elsewhere":
        return "the tox environment `browser` runs the tests of the pages"
    absent = [name for name in ("chromium", "chromedriver") if shutil.which(name) is None]
    return f"needs {' and '.join(absent)}" if absent else None


class Browser:
    """One window; `requests` and `complaints` say what a page has caused, where they are kept."""

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
        """End it, and leave nothing behind."""
        self.driver.quit()
        shutil.rmtree(self._profile, ignore_errors=True)

    def resize(self, width: int, height: int) -> None:
        """Be a screen of this size."""
        metrics = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False}
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)

    def prefer(self, **media: str) -> None:
        """Be somebody who prefers a colour scheme, or less motion."""
        features = [
            {"name": f"prefers-{k.replace('_', '-')}", "value": v} for k, v in media.items()
        ]
        self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": features})

    def be_paper(self, *, paper: bool = True) -> None:
        """Be what a page is printed on, or a screen again."""
        media = {"media": "print" if paper else ""}
        self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", media)

    def be_in(self, zone: str) -> None:
        """Be somewhere in the world; nowhere is where the test is."""
        self.driver.execute_cdp_cmd("Emulation.setTimezoneOverride", {"timezoneId": zone})

    def trust_any_certificate(self, *, trust: bool = True) -> None:
        """Be somebody who has been given the certificate of a test, or nobody special again."""
        self.driver.execute_cdp_cmd("Security.setIgnoreCertificateErrors", {"ignore": trust})

    def open(self, url: str) -> None:
        """Open a page with nothing remembered."""
        self.driver.get("about:blank")
        self.complaints()
        self.requests()
        self.driver.get(url)

    def run(self, script: str, *arguments: object) -> Any:
        """Run a script in the page."""
        return self.driver.execute_script(script, *arguments)

    def all(self, selector: str) -> list[WebElement]:
        """Find elements."""
        return self.driver.find_elements("css selector", selector)

    def one(self, selector: str) -> WebElement:
        """Find one element, waiting until it is there."""
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
        """Click an element, which may be drawn anew between the look and the click."""

        def is_clicked() -> bool:
            self.one(selector).click()
            return True

        self.until(is_clicked)

    def click_titled(self, selector: str, title: str) -> None:
        """Click the one of several elements that has this text."""
        self.until(lambda: title in self.texts(selector))
        self.run(
            "[...document.querySelectorAll(arguments[0])]"
            ".find((each) => each.textContent === arguments[1]).click()",
            selector,
            title,
        )

    def press(self, keys: str) -> None:
        """Press keys, wherever the focus is."""
        self.driver.switch_to.active_element.send_keys(keys)

    def until(self, condition: Callable[[], Any]) -> Any:
        """Wait until something is true; of what has been drawn anew it is asked again."""
        waiting = WebDriverWait(self.driver, _PATIENCE_S, 0.05, (StaleElementReferenceException,))
        return waiting.until(lambda _: condition())

    def until_text(self, selector: str, part: str) -> None:
        """Wait until an element has a text."""
        try:
            self.until(lambda: part in self.text(selector))
        except WebDriverException as error:
            raise AssertionError(f"{self.text(selector)!r} has no {part!r}") from error

    def ground(self) -> str:
        """Return the colour of the page."""
        return str(self.run("return getComputedStyle(document.body).backgroundColor"))

    def complaints(self) -> list[str]:
        """Return what the console has said since the last time, and forget it."""
        entries = self.driver.get_log("browser")
        return [entry["message"] for entry in entries if entry["level"] in ("SEVERE", "WARNING")]

    def requests(self) -> list[str]:
        """Return what has been asked of any server since the last time, and forget it."""
        entries = self.driver.get_log("performance")
        messages = [json.loads(entry["message"])["message"] for entry in entries]
        return [
            message["params"]["request"]["url"]
            for message in messages
            if message["method"] == "Network.requestWillBeSent"
        ]

    def screenshot(self, file: Path) -> None:
        """Keep what is seen."""
        self.driver.save_screenshot(str(file))


ESCAPE, ENTER, SPACE, END = Keys.ESCAPE, Keys.ENTER, Keys.SPACE, Keys.END
