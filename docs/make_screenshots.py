"""Take the screenshots of the documentation, with a demo program that is traced.

Run it in a checkout, with chromium, chromium-driver and pillow installed:

    PYTHONPATH=. python3 docs/make_screenshots.py
"""

import math
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory

import attrs
from PIL import Image

from tests.browser.chromium import Browser
from tests.browser.server import SyswatchServer

HERE = Path(__file__).parent
PICTURES = HERE / "screenshots"
# Long enough to fill a part of the charts.
TRACED_S = 75
_OPTIONS = (
    *("run", "--serve", ":0", "--exit-with-target"),
    *("--report", "report.html", "--report-top-files", "10"),
)
_COLOURS, _MAX_COLOURS, _DISTINCT = 128, 256, 24
DESK, PHONE = (1440, 900), (360, 740)


@attrs.frozen
class Shot:
    """A screenshot: its page, its size, its colour scheme, and the steps before it is taken."""

    name: str
    path: str = ""
    size: tuple[int, int] = DESK
    scheme: str = "dark"
    steps: Callable[[Browser], None] = lambda _browser: None


def _range(browser: Browser) -> None:
    from selenium.webdriver import ActionChains

    charts = browser.one("#time-charts")
    drag = ActionChains(browser.driver).move_to_element_with_offset(charts, 60, 0)
    drag.click_and_hold().move_by_offset(120, 0).release().perform()


def _lower(browser: Browser) -> None:
    browser.run("document.querySelector('.lower').scrollIntoView()")


# A URL with a tab is complete: nothing is kept of the previous screenshot.
_ALL = "?tab=calls"
SHOTS = (
    Shot("dashboard-dark", _ALL),
    Shot("dashboard-light", _ALL, scheme="light"),
    Shot("dashboard-range", _ALL, steps=_range),
    Shot("dashboard-phone", _ALL, size=PHONE, scheme="light"),
    Shot("tab-objects", "?tab=objects", scheme="light", steps=_lower),
    Shot("tab-now", "?tab=now", steps=_lower),
    Shot("tab-threads", "?tab=threads", steps=_lower),
    Shot("tab-log", "?tab=log", scheme="light", steps=_lower),
    Shot("tab-files", "?tab=files", steps=_lower),
    Shot("tab-processes", "?tab=processes", steps=_lower),
    Shot("syscall-dark", "syscall/openat", (1440, 1200)),
    Shot("syscall-light", "syscall/fsync", (1440, 1000), "light"),
)


def main() -> None:
    """Trace the demo program, and take all screenshots."""
    PICTURES.mkdir(exist_ok=True)
    browser = Browser()
    with TemporaryDirectory() as name:
        folder = Path(name)
        shutil.copy(HERE / "demo_program.py", folder / "demo.py")
        server = SyswatchServer(*_OPTIONS, "--", _python(), "-I", "demo.py", folder=folder)
        time.sleep(TRACED_S)
        for shot in SHOTS:
            _take(browser, server.url, shot)
        server.stop()
        report = (folder / "report.html").as_uri()
        for scheme in ("dark", "light"):
            _take(browser, "", Shot(f"report-{scheme}", report, (1200, 1400), scheme))
    browser.close()


def _python() -> str:
    """Return the interpreter with the shortest path, which every screenshot shows."""
    return shutil.which("python3", path="/usr/bin") or sys.executable


def _take(browser: Browser, url: str, shot: Shot) -> None:
    browser.resize(*shot.size)
    browser.emulate_media(color_scheme=shot.scheme)
    browser.open(url + shot.path)
    # The page remembers what the previous screenshot showed.
    browser.run("sessionStorage.clear()")
    browser.open(url + shot.path)
    browser.until(lambda: browser.text(".cards b"))
    shot.steps(browser)
    # Let the page poll once more.
    time.sleep(2)
    file = PICTURES / f"{shot.name}.png"
    browser.screenshot(file)
    _shrink(file)


def _shrink(file: Path) -> None:
    """Reduce the colours, because a repository keeps every version of a picture."""
    image = Image.open(file).convert("RGB")
    palette = Image.new("P", (1, 1))
    palette.putpalette([value for colour in _few(image) for value in colour])
    image.quantize(palette=palette, dither=Image.Dither.NONE).save(file, optimize=True)


def _few(image: Image.Image) -> list[tuple[int, ...]]:
    """Return the most frequent colours, and rare ones that are distinct from these."""
    counted = sorted(image.getcolors(1 << 24) or [], reverse=True)
    kept = [colour for _, colour in counted[:_COLOURS]]
    for _, colour in counted[_COLOURS:]:
        if len(kept) < _MAX_COLOURS and min(math.dist(colour, each) for each in kept) > _DISTINCT:
            kept.append(colour)
    return kept


if __name__ == "__main__":
    try:
        main()
    except subprocess.SubprocessError as error:
        sys.exit(f"no screenshots: {error}")
