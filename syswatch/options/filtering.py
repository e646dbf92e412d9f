"""Flags that say what is counted and shown, of a living program as of a log."""

import platform

from twisted.python import usage

from syswatch.base.redaction import RedactionError, Redactor
from syswatch.model.filters import FilterError, traced_names
from syswatch.model.messages import FilterOptions

from . import checks
from .common import WatchOptions

STRING_LIMIT = 32
_STATUSES = ("failed", "successful")


class FilteringOptions(WatchOptions):
    """The flags."""

    optParameters = [
        ["trace", "e", None, "Trace only these calls: names, %classes, /regex, !not."],
        ["status", None, None, "Trace only calls that `failed` or were `successful`."],
        [
            "string-limit",
            "s",
            None,
            f"Show at most N bytes of a string ({STRING_LIMIT}; of a log, all that it has).",
        ],
    ]
    optFlags = [
        ["no-args", None, "Read nothing from the memory of the target; show no arguments of a log."]
    ]

    def __init__(self) -> None:
        self.paths: list[str] = []
        self.patterns: list[str] = []
        super().__init__()

    def opt_trace_path(self, path: str) -> None:
        """Trace only calls that name this path; may be repeated."""
        self.paths.append(path)

    opt_P = opt_trace_path

    def opt_redact(self, pattern: str) -> None:
        """Mask what this regular expression matches, or `secrets`; may be repeated."""
        self.patterns.append(pattern)

    def filters(self) -> FilterOptions:
        """Check the flags and return them."""
        expression = self.given_or("trace", "all")
        try:
            traced_names(expression, platform.machine())
            Redactor(tuple(self.patterns))
        except (FilterError, RedactionError) as error:
            raise usage.UsageError(str(error)) from error
        status = self.given("status")
        limit = self.given("string-limit")
        return FilterOptions(
            per_process=bool(self.given("per-pid")),
            read_arguments=not self["no-args"],
            string_limit=None if limit is None else checks.whole("string-limit", limit),
            redact=tuple(self.patterns),
            trace=expression,
            status="" if status is None else checks.one_of("status", status, _STATUSES),
            paths=tuple(self.paths),
        )
