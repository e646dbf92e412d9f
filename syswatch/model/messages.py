"""What a tracer and its service say to each other, besides deltas."""

import attrs

from .process import ProcessInfo


@attrs.frozen
class ReadLogs:
    """The job of reading trace logs; `-` is standard input."""

    files: tuple[str, ...]
    per_process: bool = False
    workers: int = 1


@attrs.frozen
class Started:
    """The tracer has begun; `total_bytes` is the size of what it reads, where that is known."""

    backend: str
    process: ProcessInfo = attrs.field(factory=ProcessInfo)
    total_bytes: int | None = None


@attrs.frozen
class Ended:
    """There is nothing more to come."""

    process: ProcessInfo = attrs.field(factory=ProcessInfo)
    ending: str = ""


@attrs.frozen
class Failed:
    """The tracer gives up; what it has sent until now stays true."""

    message: str
