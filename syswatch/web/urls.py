"""Every path that the server answers; relative to where a proxy mounts it."""

from typing import Final

HEALTHZ: Final = "/healthz"
INDEX: Final = "/api"
STATS: Final = "/api/stats"
SYSCALL: Final = "/api/syscall/<string:name>"
STATUS: Final = "/api/status"
LOG: Final = "/api/log"
CATEGORIES: Final = "/api/categories"
FILES: Final = "/api/files"
FIDELITY: Final = "/api/fidelity"
HISTORY: Final = "/api/history"
PROCESSES: Final = "/api/processes"
ALERTS: Final = "/api/alerts"
BOARD: Final = "/api/dashboard"
CALL_BOARD: Final = "/api/dashboard/<string:name>"
STREAM: Final = "/stream"
METRICS: Final = "/metrics"
READYZ: Final = "/readyz"
OPENAPI: Final = "/api/openapi.json"
GOROUTINES: Final = "/debug/goroutines"
PPROF: Final = "/debug/pprof/"

DASHBOARD: Final = "/"
CALL_PAGE: Final = "/syscall/<string:name>"
STATIC: Final = "/static/<string:name>"

# A probe has no token, and neither has a browser before a page has asked for it; the pages
# hold no data of their own.
_OPEN = frozenset({HEALTHZ.encode(), DASHBOARD.encode()})
_PROBED = HEALTHZ.encode()
_OPEN_BELOW = (b"/syscall/", b"/static/")


def is_open(path: bytes) -> bool:
    """Say whether a path is answered to anybody, also where the server has a token."""
    return path in _OPEN or path.startswith(_OPEN_BELOW)


def is_for_probes(path: bytes) -> bool:
    """Say whether a path is answered under any name: whatever a probe calls us, we are alive."""
    return path == _PROBED
