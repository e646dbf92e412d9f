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

DASHBOARD: Final = "/"
CALL_PAGE: Final = "/syscall/<string:name>"
STATIC: Final = "/static/<string:name>"
