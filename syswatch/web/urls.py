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
STREAM: Final = "/stream"
METRICS: Final = "/metrics"
READYZ: Final = "/readyz"
OPENAPI: Final = "/api/openapi.json"
GOROUTINES: Final = "/debug/goroutines"
PPROF: Final = "/debug/pprof/"
PPROF_PART: Final = "/debug/pprof/<string:part>"

# A probe has no token.
_OPEN = frozenset({HEALTHZ.encode()})


def is_open(path: bytes) -> bool:
    """Say whether a path is answered to anybody, also where the server has a token."""
    return path in _OPEN
