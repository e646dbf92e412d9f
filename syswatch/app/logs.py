"""
The server's own log: a line for people, or a JSON object a line for programs.

`twistd --logger syswatch.app.logs.json_lines` uses the second form.
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

from syswatch.base.text import inert
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
    """Return the observer that twistd is to use."""
    return JsonLines(sys.__stderr__ or sys.stderr)


def begin(log_format: str) -> None:
    """Let warnings and worse be seen on stderr."""
    out = sys.stderr
    observer = JsonLines(out) if log_format == "json" else text_lines(out)
    levels = LogLevelFilterPredicate(defaultLogLevel=LogLevel.warn)
    globalLogBeginner.beginLoggingTo(
        [FilteringLogObserver(observer, [_unless_worded, levels])], redirectStandardIO=False
    )


def text_lines(out: TextIO) -> ILogObserver:
    """Return the observer that writes for people."""
    return FileLogObserver(out, _as_text)


def _as_text(event: LogEvent) -> str | None:
    text = formatEventAsClassicLogText(event)
    return None if text is None else _inert_lines(text)


def _inert_lines(text: str) -> str:
    """Escape each line: an event may quote what somebody else has written."""
    return "\n".join(map(inert, text.split("\n")))


@provider(ILogFilterPredicate)
def _unless_worded(event: LogEvent) -> Any:
    """Leave out what Twisted says of a certificate: `top` says it in a sentence."""
    is_worded = event.get("log_namespace") == "twisted.internet._sslverify"
    return PredicateResult.no if is_worded else PredicateResult.maybe
