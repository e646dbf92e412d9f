"""
Measure how soon the dashboard shows numbers, and what it costs the browser to keep it open.

Run it with nothing else running, with chromium and chromium-driver installed:

    python bench/pages.py [--seconds 20] [--loads 7] [--tiny]

A program that makes 60 different system calls is traced while Chromium shows the dashboard.
"""

import ctypes
import itertools
import os
import re
import statistics
import sys
import time
from collections.abc import Iterator
from pathlib import Path

# The tests drive the same browser and the same servers.
sys.path.append(str(Path(__file__).resolve().parent.parent))

import common
from system_calls import syscalls

from tests.browser.chromium import Browser
from tests.browser.server import SyswatchServer

# Calls that refuse -1 and null pointers, or that have no effect.
_CALLS = (
    *(
        "read",
        "write",
        "close",
        "fstat",
        "lseek",
        "ioctl",
        "pread64",
        "pwrite64",
        "readv",
        "writev",
    ),
    *("openat", "mkdirat", "unlinkat", "renameat2", "linkat", "symlinkat", "readlinkat", "statx"),
    *(
        "faccessat",
        "fchmod",
        "fchown",
        "ftruncate",
        "fallocate",
        "fsync",
        "fdatasync",
        "getdents64",
    ),
    *("fcntl", "flock", "dup", "dup3", "fgetxattr", "flistxattr", "bind", "listen", "accept4"),
    *("connect", "getsockname", "getpeername", "sendto", "recvfrom", "setsockopt", "getsockopt"),
    *("shutdown", "getpid", "getppid", "getuid", "geteuid", "getgid", "getegid", "gettid", "uname"),
    *("getrusage", "times", "sched_yield", "getpriority", "sysinfo", "getcwd", "umask", "madvise"),
    "clock_getres",
)
# The kind of a browser process, in its command line.
_TYPE = re.compile(r"--type=([\w-]+)")
_ROUNDS_A_SECOND = 60
_LATER_S = 5

# Notes when the first frame with a row of the table in it has been painted.
_FIRST_ROW = """
new MutationObserver((_, observer) => {
  if (!document.querySelector(".calls tbody tr")) return;
  observer.disconnect();
  requestAnimationFrame(() => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => { window.firstRowMs = performance.now(); };
    port2.postMessage(null);
  });
}).observe(document, { childList: true, subtree: true });
"""
_FIRST_PAINT = "return performance.getEntriesByName('first-contentful-paint')[0]?.startTime"
_WEIGHT = """
const entries = [
  ...performance.getEntriesByType("navigation"),
  ...performance.getEntriesByType("resource").filter((each) => !each.name.includes("/api/")),
];
return [entries.length, ...["decodedBodySize", "encodedBodySize"].map(
  (size) => entries.reduce((sum, each) => sum + each[size], 0))];
"""


def main() -> None:
    """Measure everything and print it."""
    arguments = common.parser("Measure the dashboard in a browser.")
    arguments.add_argument("--seconds", type=int, default=20)
    arguments.add_argument("--loads", type=int, default=7)
    arguments.add_argument("--be-busy", action="store_true", help="only make the calls")
    options = arguments.parse_args()
    if options.be_busy:
        be_busy()
        return
    if not all(common.has(program, "the dashboard") for program in ("chromium", "chromedriver")):
        return
    if options.tiny:
        options.seconds, options.loads = 1, 1
    later_s = 1 if options.tiny else _LATER_S
    server = SyswatchServer("run", "--serve", ":0", "--", sys.executable, __file__, "--be-busy")
    browser = Browser(keeping_logs=False)
    try:
        time.sleep(later_s)
        measure_loads(browser, server.url, options.loads)
        time.sleep(later_s)
        measure_polling(browser, options.seconds)
    finally:
        browser.close()
        server.stop()


def be_busy() -> None:
    """Make every one of the calls, many times a second."""
    libc = ctypes.CDLL(None)
    known = syscalls()
    numbers = [known.get(name, os.uname().machine) for name in _CALLS]
    for turn in itertools.count():
        # As in other programs, a few are made often and most seldom.
        for place, number in enumerate(numbers):
            if turn % (1 + place // 6) == 0:
                libc.syscall(number, -1, 0, 0, 0, 0, 0)
        time.sleep(1 / _ROUNDS_A_SECOND)


def measure_loads(browser: Browser, url: str, loads: int) -> None:
    """Measure loads of the dashboard with an empty and with a full browser cache."""
    browser.driver.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", {"source": _FIRST_ROW})
    browser.driver.execute_cdp_cmd("Performance.enable", {})
    browser.driver.get(url)
    for cache in ("empty", "full"):
        paints, rows = [], []
        for _ in range(loads):
            if cache == "empty":
                browser.driver.execute_cdp_cmd("Network.clearBrowserCache", {})
            browser.driver.get("about:blank")
            browser.driver.get(url)
            rows.append(browser.until(lambda: browser.run("return window.firstRowMs")))
            paints.append(browser.until(lambda: browser.run(_FIRST_PAINT)))
        print(f"first paint, cache {cache}            {_spread(paints)} ms")
        print(f"first paint with data, cache {cache}  {_spread(rows)} ms")
        if cache == "empty":
            requests, weight, sent = browser.run(_WEIGHT)
            print(
                f"page weight   {weight / 1000:.1f} kB in {requests} files, {sent / 1000:.1f} sent"
            )


def measure_polling(browser: Browser, seconds: int) -> None:
    """Print the CPU time of the browser while it shows the dashboard."""
    if (state := browser.text("#state")) != "tracing":
        sys.exit(f"the traced program is not running: {state}")
    rows = len(browser.all(".calls tbody tr"))
    before, began = dict(_cpu_s(browser)), time.monotonic()
    script_before = _metrics(browser)
    time.sleep(seconds)
    passed = time.monotonic() - began
    script = {name: value - script_before[name] for name, value in _metrics(browser).items()}
    used = {kind: now - before.get(kind, 0) for kind, now in _cpu_s(browser)}
    parts = ", ".join(f"{kind} {100 * each / passed:.1f}" for kind, each in used.items())
    print(f"polling, {rows} rows   {100 * sum(used.values()) / passed:.1f} % of a core ({parts})")
    a_tick = ", ".join(f"{name} {1000 * each / passed:.1f}" for name, each in script.items())
    print(f"main thread   ms a second: {a_tick}")


def _spread(values: list[float]) -> str:
    return f"{statistics.median(values):.0f} ({min(values):.0f} to {max(values):.0f})"


def _metrics(browser: Browser) -> dict[str, float]:
    reported = browser.driver.execute_cdp_cmd("Performance.getMetrics", {})["metrics"]
    wanted = ("ScriptDuration", "RecalcStyleDuration", "LayoutDuration", "TaskDuration")
    return {each["name"]: each["value"] for each in reported if each["name"] in wanted}


def _cpu_s(browser: Browser) -> Iterator[tuple[str, float]]:
    """Yield the CPU time of each kind of process below the driver."""
    kinds: dict[str, float] = {}
    for pid in common.descendants(browser.driver.service.process.pid):
        found = _TYPE.search(Path(f"/proc/{pid}/cmdline").read_text())
        kind = found[1] if found else "browser"
        kinds[kind] = kinds.get(kind, 0) + common.cpu_s(pid)
    yield from kinds.items()


if __name__ == "__main__":
    main()
