"""Every path that the server answers; relative to where a proxy mounts it."""

from typing import Final

HEALTHZ: Final = "/healthz"
INDEX: Final = "/api"
INDEX_WITH_SLASH: Final = "/api/"
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
# Whatever follows is answered with a page, be it no name at all.
CALL_PAGE: Final = "/syscall/<path:name>"
STATIC: Final = "/static/<string:name>"

_PROBED = HEALTHZ.encode()


def is_for_probes(path: bytes) -> bool:
    """Return whether a path is answered under any name: whatever a probe calls us, we are alive."""
    return path == _PROBED
