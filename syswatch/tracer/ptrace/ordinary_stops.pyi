# Compiled, and optional.
import ctypes
from collections.abc import Callable, Mapping
from typing import Any

COUNTS_NOTHING_HERE: int
COUNTS_DURATIONS: int
COUNTS_OBJECTS: int

class OrdinaryStops:
    counts: int
    resume_request: int
    idle_ns: int
    # What finds the objects of paths, or None.
    paths: Any

    def __init__(
        self,
        threads: dict[int, Any],
        known: dict[int, dict[int, Any]],
        recorder: object,
        status: ctypes.c_int,
        errors: Mapping[int, str],
        object_at_entry: Callable[..., int],
        object_at_exit: Callable[..., int],
    ) -> None: ...
    def wait(self) -> int: ...
