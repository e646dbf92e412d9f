"""The command line: sub-commands and flags, the same for `syswatch` and `twistd syswatch`."""

import os
import stat
import sys
from collections.abc import Mapping, Sequence
from importlib.metadata import version
from ipaddress import ip_network
from pathlib import Path
from typing import NoReturn

from twisted.python import usage

from syswatch.config import Config, Reporting, Serving
from syswatch.model.messages import ReadLogs
from syswatch.web.hosts import Network
from syswatch.web.listen import Address, AddressError
from syswatch.web.site import MOST_CLIENTS, Access
from syswatch.web.tokens import Token
from syswatch.wire import Job

USAGE_STATUS = 2
_FORMATS = ("text", "json", "csv", "ndjson")


class CommonOptions(usage.Options):
    """Flags that are accepted before and after the sub-command."""

    optParameters = [
        ["serve", None, None, "Serve HTTP on :PORT, HOST:PORT or an endpoint description."],
        ["ws-token", None, None, "Require this token on /stream."],
        ["ws-token-file", None, None, "Read the token for /stream from this file."],
        ["http-token", None, None, "Require this token on everything but /healthz."],
        ["http-token-file", None, None, "Read that token from this file."],
        ["max-clients", None, None, "Serve /stream to at most N clients (5000)."],
        ["log-format", None, None, "How the server logs: text or json."],
        ["report", None, None, "Write an HTML report to this file at the end."],
        ["report-top-files", None, None, "Include the N most opened files in the report."],
        ["format", None, None, "How the summary is written: text, json, csv or ndjson."],
        ["output", None, None, "Write the summary to this file."],
        ["record", None, None, "Write what is observed to this file, for `stats` to read."],
    ]
    optFlags = [
        ["no-debug-endpoints", None, "Serve nothing below /debug."],
        ["per-pid", None, "Keep a table for each process."],
        ["debug", None, "Show what was not understood, and how the tracer works."],
        ["summary", None, "Print a summary at the end, also on a terminal."],
    ]

    def __init__(self) -> None:
        self.allowed_hosts: list[str] = []
        self.trusted_proxies: list[str] = []
        super().__init__()

    def opt_allow_host(self, name: str) -> None:
        """Answer requests whose Host is this name; may be repeated."""
        self.allowed_hosts.append(name.lower())

    def opt_trusted_proxy(self, address: str) -> None:
        """Believe the X-Forwarded headers of this address or network; may be repeated."""
        self.trusted_proxies.append(address)

    def opt_version(self) -> NoReturn:
        """Print the version and exit."""
        print(f"syswatch {version('syswatch')}")  # noqa: T201  what is asked for
        sys.exit(0)


class StatsOptions(CommonOptions):
    """Flags of `stats`."""

    synopsis = "[options] FILE..."
    longdesc = "Read strace logs, gzipped ones too, or recordings; - is standard input."

    def parseArgs(self, *files: str) -> None:
        """Take the files."""
        if not files:
            raise usage.UsageError("stats needs at least one FILE (- is standard input)")
        self["files"] = files

    def job(self, per_process: bool) -> Job:  # noqa: FBT001
        """Return what the tracer is to do."""
        files: Sequence[str] = self["files"]
        for name in files:
            _check_readable(name, alone=len(files) == 1)
        return ReadLogs(tuple(files), per_process, workers=os.cpu_count() or 1)


class Options(CommonOptions):
    """The whole command line."""

    synopsis = "[options] COMMAND [options] ..."
    subCommands = [
        ["stats", None, StatsOptions, "Show what a strace log holds."],
    ]

    def postOptions(self) -> None:
        """Nothing is done without a command."""
        if self.subCommand is None:
            names = ", ".join(str(command[0]) for command in self.subCommands)
            raise usage.UsageError(f"which command? One of: {names}")

    def config(self) -> Config:
        """Check everything and return it."""
        command = self.subOptions
        flags = {name: command[name] or self[name] for name in self if name in command}
        return Config(
            job=command.job(bool(flags["per-pid"])),
            serving=self._serving(flags),
            reporting=Reporting(
                summary=not flags["serve"] or bool(flags["summary"]),
                output=_writable("output", flags["output"]),
                summary_format=_one_of("format", flags["format"] or "text", _FORMATS),
                report=_writable("report", flags["report"]),
                report_top_files=_whole("report-top-files", flags["report-top-files"] or "0"),
                recording=_writable("record", flags["record"]),
                odd_lines=bool(flags["debug"]),
            ),
            progress=not flags["serve"] and sys.stderr.isatty() and sys.stdout.isatty(),
            log_format=_one_of("log-format", flags["log-format"] or "text", ("text", "json")),
        )

    def _serving(self, flags: Mapping[str, str | None]) -> Serving | None:
        access = Access(
            allowed_hosts=frozenset(self.allowed_hosts + self.subOptions.allowed_hosts),
            trusted_proxies=tuple(
                map(_network, self.trusted_proxies + self.subOptions.trusted_proxies)
            ),
            ws_token=self._token("ws-token"),
            http_token=self._token("http-token"),
            most_clients=_whole("max-clients", flags["max-clients"] or str(MOST_CLIENTS)),
            debug_endpoints=not flags["no-debug-endpoints"],
        )
        if flags["serve"] is None:
            return None
        try:
            return Serving(Address.parse(flags["serve"]), access)
        except AddressError as error:
            raise usage.UsageError(f"--serve: {error}") from error

    def _token(self, flag: str) -> Token | None:
        """Return a token; one that is empty is a mistake, such as an unset shell variable."""
        given = [options[flag] for options in (self.subOptions, self) if options[flag] is not None]
        file_flag = f"{flag}-file"
        if name := self.subOptions[file_flag] or self[file_flag]:
            given.append(_first_line(file_flag, name))
            flag = file_flag
        if not given:
            return None
        secret = given[0].strip().encode(errors="surrogateescape")
        if not secret:
            raise usage.UsageError(f"--{flag}: the token is empty")
        return Token(secret)


def _first_line(flag: str, name: str) -> str:
    try:
        lines = Path(name).read_text("utf-8", errors="surrogateescape").splitlines()
    except OSError as error:
        raise usage.UsageError(f"--{flag}: {name}: {error.strerror}") from error
    return lines[0] if lines else ""


def _network(address: str) -> Network:
    try:
        return ip_network(address, strict=False)
    except ValueError as error:
        raise usage.UsageError(
            f"--trusted-proxy: '{address}' is no IP address or network"
        ) from error


def _one_of(flag: str, value: str, values: Sequence[str]) -> str:
    if value not in values:
        raise usage.UsageError(f"--{flag}: '{value}' is none of {', '.join(values)}")
    return value


def _whole(flag: str, value: str) -> int:
    if not (value.isascii() and value.isdigit()):
        raise usage.UsageError(f"--{flag}: '{value}' is no whole number")
    return int(value)


def _writable(flag: str, name: str | None) -> str:
    """Find out before hours of watching, not after, that a file cannot be written."""
    if not name:
        return ""
    path = Path(name)
    if path.is_dir():
        raise usage.UsageError(f"--{flag}: {name} is a directory")
    if not path.parent.is_dir():
        raise usage.UsageError(f"--{flag}: there is no directory {path.parent}")
    if not os.access(path if path.exists() else path.parent, os.W_OK):
        raise usage.UsageError(f"--{flag}: {name} cannot be written: permission denied")
    return name


def _check_readable(name: str, *, alone: bool) -> None:
    if name == "-":
        return
    try:
        with Path(name).open("rb") as file:
            status = os.fstat(file.fileno())
    except OSError as error:
        raise usage.UsageError(f"{name}: {error.strerror}") from error
    if alone and stat.S_ISREG(status.st_mode) and not status.st_size:
        raise usage.UsageError(f"{name}: the file is empty")
