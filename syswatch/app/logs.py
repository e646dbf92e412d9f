"""
The server's own log, as text or as JSON Lines.

`twistd --logger syswatch.app.logs.json_lines` writes JSON Lines.
"""

import json
import sys
from typing import Any, TextIO

from twisted.logger import (
    FileLogObserver,
    FilteringLogObserver,
    ILogFilterPredicate,
    ILogObserver,
    LogEvent,
    LogLevel,
    LogLevelFilterPredicate,
    PredicateResult,
    formatEvent,
    formatEventAsClassicLogText,
    globalLogBeginner,
)
from twisted.python.failure import Failure
from zope.interface import implementer, provider

from syswatch.base.text import escape_text
from syswatch.views.formatting import rfc3339


@implementer(ILogObserver)
class JsonLines:
    """Writes each event as one line of JSON."""

    def __init__(self, out: TextIO) -> None:
        self._out = out

    def __call__(self, event: LogEvent) -> None:
        """Write one event."""
        failure = event.get("log_failure")
        line = {
            "time": rfc3339(int(event.get("log_time", 0.0) * 1e9)),
            "level": getattr(event.get("log_level"), "name", "info"),
            "source": event.get("log_namespace", ""),
            "message": _inert_lines(formatEvent(event)),
        }
        if isinstance(failure, Failure):
            line["traceback"] = _inert_lines(failure.getTraceback())
        self._out.write(json.dumps(line, ensure_ascii=False) + "\n")
        self._out.flush()


def json_lines() -> ILogObserver:
    """Return the observer for twistd."""
    return JsonLines(sys.__stderr__ or sys.stderr)


def begin(log_format: str) -> None:
    """Write warnings and errors to stderr."""
    out = sys.stderr
    observer = JsonLines(out) if log_format == "json" else text_lines(out)
    levels = LogLevelFilterPredicate(defaultLogLevel=LogLevel.warn)
    globalLogBeginner.beginLoggingTo(
        [FilteringLogObserver(observer, [_drop_certificate_errors, levels])],
        redirectStandardIO=False,
    )


def text_lines(out: TextIO) -> ILogObserver:
    """Return an observer that writes text."""
    return FileLogObserver(out, _as_text)


def _as_text(event: LogEvent) -> str | None:
    text = formatEventAsClassicLogText(event)
    return None if text is None else _inert_lines(text)


def _inert_lines(text: str) -> str:
    """Escape each line: an event may quote text from elsewhere."""
    return "\n".join(map(escape_text, text.split("\n")))


@provider(ILogFilterPredicate)
def _drop_certificate_errors(event: LogEvent) -> Any:
    """Drop Twisted's messages about certificates: `top` prints an error of its own."""
    is_dropped = event.get("log_namespace") == "twisted.internet._sslverify"
    return PredicateResult.no if is_dropped else PredicateResult.maybe
