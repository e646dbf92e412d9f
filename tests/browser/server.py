"""Servers for the browser."""

import re
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import IO

_PATIENCE_S = 120
_SERVING = re.compile(rb"serving (\S+)")


class SyswatchServer:
    """A running syswatch with --serve."""

    def __init__(
        self, *arguments: str, folder: Path | None = None, module: str = "syswatch"
    ) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-m", module, *arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            cwd=folder,
        )
        self.url = self._address()

    @classmethod
    def log(cls, lines: Sequence[str], *options: str, address: str = ":0") -> "SyswatchServer":
        """Serve a log that may be continued."""
        server = cls("stats", "--serve", address, *options, "-")
        server.write(lines)
        return server

    @classmethod
    def made(
        cls, *, seconds: int = 20, done: bool = False, grouped: bool = False
    ) -> "SyswatchServer":
        """Serve a made-up trace in which several threads waited, or one of several groups."""
        state = "grouped" if grouped else "done" if done else "live"
        return cls(str(seconds), state, module="tests.browser.time_server")

    @property
    def port(self) -> str:
        """The port that it listens on."""
        return self.url.rstrip("/").rpartition(":")[2]

    def write(self, lines: Sequence[str]) -> None:
        """Continue the log."""
        stdin = self._pipe(self._process.stdin)
        stdin.write("".join(f"{line}\n" for line in lines).encode())
        stdin.flush()

    def end(self) -> None:
        """End the log."""
        self._pipe(self._process.stdin).close()

    def stop(self) -> None:
        """Stop the server."""
        self._process.terminate()
        self._process.wait(_PATIENCE_S)
        for pipe in (self._process.stdin, self._process.stderr):
            self._pipe(pipe).close()

    def _address(self) -> str:
        said = b""
        for line in self._pipe(self._process.stderr):
            said += line
            if match := _SERVING.search(line):
                return match[1].decode()
        raise AssertionError(f"it does not serve: {said.decode()}")

    @staticmethod
    def _pipe(pipe: IO[bytes] | None) -> IO[bytes]:
        if pipe is None:
            raise AssertionError("it was started without this pipe")
        return pipe


def line(at: float, call: str, *, pid: int = 41, took: float = 0.00001) -> str:
    """Return a line as `strace -f -ttt -T` writes it."""
    return f"{pid} {1_700_000_000 + at:.6f} {call} <{took:.6f}>"


def failed(name: str, arguments: str, errno: str = "ENOENT") -> str:
    """Return a failed call."""
    return f"{name}({arguments}) = -1 {errno} (it is said)"


def session(seconds: int) -> list[str]:
    """Return the log of a program that starts, searches a file, reads and waits."""
    lines = [line(0, 'execve("/bin/prog", ["prog", "-v"], 0x7ffd /* 3 vars */) = 0')]
    for at in range(seconds):
        for turn in range(20):
            now = at + turn / 25
            lines += [
                line(now, failed("openat", 'AT_FDCWD, "/opt/lib/x.so", O_RDONLY')),
                line(now + 0.001, 'openat(AT_FDCWD, "/etc/hosts", O_RDONLY) = 3'),
                line(now + 0.002, 'read(3, "x", 4096) = 1', took=0.0004),
                line(now + 0.003, "close(3) = 0"),
            ]
        lines.append(line(at + 0.9, "epoll_wait(4, [], 8, 100) = 0", took=0.1, pid=42))
    return lines
