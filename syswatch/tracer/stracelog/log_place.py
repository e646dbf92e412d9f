"""Where a process of a log is: its PID, its command and its working directory."""

from syswatch.base.classes import define


@define
class Place:
    """The PID, the command and the working directory of a process, which its threads share."""

    pid: int
    comm: str = ""
    directory: bytes = b""
