"""Flags that every watching command has, accepted before and after its name."""

import sys
from collections.abc import Mapping

import attrs
from twisted.python import usage

from syswatch.codec.frames import Job
from syswatch.options.config import Config, Reporting, Serving
from syswatch.settings.access import MOST_CLIENTS, Access
from syswatch.settings.address import Address, AddressError

from . import checks
from .base import BaseOptions
from .effects import check_effects
from .screen import wants_screen
from .shown import shown

_FORMATS = ("text", "json", "csv", "ndjson")
Flags = Mapping[str, str | None]


class CommonOptions(BaseOptions):
    """The flags."""

    optParameters = [
        ["serve", None, None, "Serve HTTP on :PORT, HOST:PORT or an endpoint description."],
        ["ws-token", None, None, "Require this token on /stream."],
        ["ws-token-file", None, None, "Read the token for /stream from this file."],
        [
            "http-token",
            None,
            None,
            "Require this token for all data; pages and /healthz stay open.",
        ],
        ["http-token-file", None, None, "Read that token from this file."],
        ["max-clients", None, None, "Serve /stream to at most N clients (5000)."],
        ["log-format", None, None, "How the server logs: text or json."],
        ["report", None, None, "Write an HTML report to this file at the end."],
        ["report-top-files", None, None, "Include the N most opened files in the report."],
        ["format", None, None, "How the summary is written: text, json, csv or ndjson."],
        ["output", None, None, "Write the summary to this file."],
        ["tui", None, None, "Show the terminal UI: never, auto or always (auto)."],
        ["record", None, None, "Write what is observed to this file, for `stats` to read."],
    ]
    optFlags = [
        ["no-debug-endpoints", None, "Serve nothing below /debug."],
        ["per-pid", None, "Keep a table for each process."],
        ["debug", None, "Show what was not understood, and how the tracer works."],
        ["summary", None, "Print a summary at the end: beside a server, or in place of the UI."],
    ]

    repeated = {"allow-host": "allowed_hosts", "trusted-proxy": "trusted_proxies"}

    def __init__(self) -> None:
        self.allowed_hosts: list[str] = []
        self.trusted_proxies: list[str] = []
        super().__init__()

    def opt_allow_host(self, name: str) -> None:
        """Answer requests whose Host is this name; may be repeated."""
        self.allowed_hosts.append(checks.host_name("allow-host", name))

    def opt_trusted_proxy(self, address: str) -> None:
        """Believe the X-Forwarded headers of this address or network; may be repeated."""
        self.trusted_proxies.append(address)

    def has(self, name: str) -> bool:
        """Return whether a flag was given, be it one that may be repeated."""
        attribute = self.repeated.get(name)
        return bool(self.every(attribute)) if attribute else super().has(name)

    def every(self, name: str) -> list[str]:
        """Return all values of a flag that may be repeated, the first one first."""
        before = self.parent
        inherited = before.every(name) if isinstance(before, CommonOptions) else []
        return [*inherited, *getattr(self, name)]


class WatchOptions(CommonOptions):
    """A command that watches something."""

    # The files that are read.
    files: tuple[str, ...] = ()

    def job(self) -> Job:
        """Return what the tracer is to do."""
        raise NotImplementedError

    def action(self) -> Config:
        """Check everything and return it."""
        checks.need_proc()
        serve = self.given("serve")
        asked = any(map(self.given, ("summary", "format", "output")))
        job, access = self.job(), self._access()
        access = attrs.evolve(access, command_line=shown(sys.orig_argv, job, access))
        config = Config(
            job=job,
            serving=self._serving(serve, access),
            reporting=Reporting(
                summary=serve is None or asked,
                summary_asked=asked,
                output=checks.writable("output", self.given("output")),
                summary_format=checks.one_of("format", self.given_or("format", "text"), _FORMATS),
                report=checks.writable("report", self.given("report")),
                report_top_files=checks.whole(
                    "report-top-files", self.given_or("report-top-files", "0")
                ),
                recording=checks.writable("record", self.given("record")),
                odd_lines=bool(self.given("debug")),
            ),
            tui=wants_screen(
                self.given_or("tui", "auto"), serving=serve is not None, summary_asked=asked
            ),
            log_format=checks.one_of(
                "log-format", self.given_or("log-format", "text"), ("text", "json")
            ),
        )
        check_effects(self)
        self._check_files(config.reporting)
        return config

    def _check_files(self, reporting: Reporting) -> None:
        written = {
            "output": reporting.output,
            "report": reporting.report,
            "record": reporting.recording,
        }
        checks.check_apart(written, self.files)

    def _serving(self, serve: str | None, access: Access) -> Serving | None:
        if serve is None:
            return None
        try:
            address = Address.parse(serve)
        except AddressError as error:
            raise usage.UsageError(f"--serve: {error}") from error
        return Serving(address, access)

    def _access(self) -> Access:
        """Check the flags of a server, even where there is none: a mistake is one."""
        return Access(
            allowed_hosts=frozenset(self.every("allowed_hosts")),
            trusted_proxies=tuple(map(checks.network, self.every("trusted_proxies"))),
            ws_token=self.token("ws-token"),
            http_token=self.token("http-token"),
            most_clients=checks.whole(
                "max-clients", self.given_or("max-clients", str(MOST_CLIENTS)), least=1
            ),
            debug_endpoints=not self.given("no-debug-endpoints"),
        )
