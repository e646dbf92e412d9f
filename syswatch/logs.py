"""
The server's own log: a line for people, or a JSON object a line for programs.

`twistd --logger syswatch.logs.json_lines` uses the second form.
"""

import json
import sys
from typing import Any, TextIO

from twisted.logger import (
    FilteringLogObserver,
    ILogFilterPredicate,
    ILogObserver,
    LogEvent,
    LogLevel,
    LogLevelFilterPredicate,
    PredicateResult,
    formatEvent,
    globalLogBeginner,
    textFileLogObserver,
)
from twisted.python.failure import Failure
from zope.interface import implementer, provider

from syswatch.views.moments import rfc3339


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
            "message": formatEvent(event),
        }
        if isinstance(failure, Failure):
            line["traceback"] = failure.getTraceback()
        self._out.write(json.dumps(line, ensure_ascii=False) + "\n")
        self._out.flush()


def json_lines() -> ILogObserver:
    """Return the observer that twistd is to use."""
    return JsonLines(sys.__stderr__ or sys.stderr)


def begin(log_format: str) -> None:
    """Let warnings and worse be seen on stderr."""
    out = sys.stderr
    observer = JsonLines(out) if log_format == "json" else textFileLogObserver(out)
    levels = LogLevelFilterPredicate(defaultLogLevel=LogLevel.warn)
    globalLogBeginner.beginLoggingTo(
        [FilteringLogObserver(observer, [_unless_worded, levels])], redirectStandardIO=False
    )


@provider(ILogFilterPredicate)
def _unless_worded(event: LogEvent) -> Any:
    """Leave out what Twisted says of a certificate: `top` says it in a sentence."""
    is_worded = event.get("log_namespace") == "twisted.internet._sslverify"
    return PredicateResult.no if is_worded else PredicateResult.maybe
