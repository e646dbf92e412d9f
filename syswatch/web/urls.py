"""The paths that several modules use; every other path is declared where it is served."""

from typing import Final

HEALTHZ: Final = "/healthz"
STATS: Final = "/api/stats"
STATUS: Final = "/api/status"
TIME: Final = "/api/time"
NOW: Final = "/api/now"
STREAM: Final = "/stream"
