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
