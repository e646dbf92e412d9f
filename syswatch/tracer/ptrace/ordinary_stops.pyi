# Compiled, and optional.
import ctypes
from typing import Any

COUNTS_NOTHING_HERE: int
COUNTS_DURATIONS: int
COUNTS_OBJECTS: int

class OrdinaryStops:
    counts: int
    resume_request: int
    idle_ns: int

    def __init__(
        self,
        threads: dict[int, Any],
        known: dict[int, dict[int, Any]],
        recorder: object,
        status: ctypes.c_int,
    ) -> None: ...
    def wait(self) -> int: ...
