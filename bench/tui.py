"""
Measure the CPU time of the terminal UI while 60 rows change all the time.

    python bench/tui.py [--tiny] [SECONDS]

A program makes 60 different system calls as fast as its tracer allows, and the UI shows them all.
The same process without the UI (`--tui never`) sums the same calls: the difference is the cost of
drawing.  The tracer is another process; bench/ptrace.py measures that.
"""

import fcntl
import os
import pty
import re
import signal
import struct
import sys
import termios
import threading
import time
from importlib.util import find_spec

import common

from syswatch.app.tracing import UI_TICK_S

ROWS, COLUMNS, LINES = 60, 160, 70
WARM_UP_S = 4.0
LIMIT = 0.05
# Sixty calls that do nothing; one in six fails.
TARGET = f"""
import ctypes, os
from syswatch.model.catalog import names
from syswatch.tracer.naming import machine
syscall = ctypes.CDLL(None).syscall
nothing = os.open("/dev/null", os.O_RDWR)
plain = '''getpid getppid getuid geteuid getgid getegid gettid getpgrp getsid getpgid sched_yield
getpriority sched_getscheduler sched_get_priority_max sched_get_priority_min sched_getparam umask
alarm brk sigaltstack madvise mprotect mincore msync munlock mlock times getcpu getgroups poll
getrandom membarrier capget getresuid getresgid ioprio_get time getitimer sysinfo'''.split()
on_file = '''read write pread64 pwrite64 readv writev lseek fcntl flock fadvise64 fstat ftruncate
preadv pwritev'''.split()
failing = '''close fchdir connect bind listen getsockname accept sendto recvfrom shutdown'''.split()
numbers = {{name: number for number, name in names(machine()).items()}}
calls = [(numbers[name], 0) for name in plain if name in numbers]
calls += [(numbers[name], nothing) for name in on_file]
calls = calls[:{ROWS} - len(failing)] + [(numbers[name], -1) for name in failing]
while True:
    for number, descriptor in calls:
        syscall(number, descriptor, 0, 0, 0, 0, 0)
"""


def measure(seconds: float, warm_up_s: float, tui: str) -> tuple[float, str]:
    """Trace; return the share of a CPU that it takes, and the rate that is shown."""
    pid, terminal = pty.fork()
    if pid == 0:
        words = ("run", "--tui", tui, "--", sys.executable, "-c", TARGET)
        os.environ["TERM"] = "xterm-256color"
        os.execv(sys.executable, [sys.executable, "-m", "syswatch", *words])  # noqa: S606
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", LINES, COLUMNS, 0, 0))
    drawn: list[bytes] = []
    threading.Thread(target=drain, args=(terminal, drawn), daemon=True).start()
    time.sleep(warm_up_s)
    began, before = time.monotonic(), common.cpu_s(pid)
    time.sleep(seconds)
    part = (common.cpu_s(pid) - before) / (time.monotonic() - began)
    os.kill(pid, signal.SIGTERM)
    os.waitpid(pid, 0)
    return part, rate(b"".join(drawn).decode())


def drain(terminal: int, drawn: list[bytes]) -> None:
    """Read what is drawn on the terminal."""
    try:
        while data := os.read(terminal, 1 << 16):
            drawn.append(data)
    except OSError:
        return


def rate(drawn: str) -> str:
    """Return the last rate that was drawn, if any."""
    rates = re.findall(r"([\d.]+ k?) ?/s", re.sub(r"\x1b\[[\d;?]*[A-Za-z]", "", drawn))
    return rates[-1] if rates else ""


def main() -> int:
    """Measure with and without the UI, and compare."""
    parser = common.parser("Measure what the terminal UI takes of a CPU.")
    parser.add_argument("seconds", nargs="?", type=float, default=20.0)
    arguments = parser.parse_args()
    seconds, warm_up_s = (1.0, 1.5) if arguments.tiny else (arguments.seconds, WARM_UP_S)
    if find_spec("textual") is None:
        common.leave_out("the screen", "Textual is not installed")
        return 0
    shown, calls = measure(seconds, warm_up_s, "always")
    unseen, _ = measure(seconds, warm_up_s, "never")
    pictures = round(1 / UI_TICK_S)
    print(f"{ROWS} rows, {calls} calls/s, {pictures} pictures/s: {100 * shown:.1f} % of a CPU")
    print(f"without the UI: {100 * unseen:.1f} %")
    common.judge(100 * (shown - unseen), "% of a CPU to draw the UI", 100 * LIMIT)
    return int(shown - unseen > LIMIT and not arguments.tiny)


if __name__ == "__main__":
    sys.exit(main())
