"""
A child that was started without Twisted, as a transport of Twisted's process protocols.

It relies on undocumented classes of Twisted; tests/service/test_early_start.py runs a child with
it, so that a new release fails there first.
"""

from typing import Any

from twisted.internet.interfaces import IProcessProtocol
from twisted.internet.process import (
    Process,
    ProcessReader,
    ProcessWriter,
    registerReapProcessHandler,
)

TRIED_WITH = ("24.7.0", "26.10.0")


class AdoptedProcess(Process):
    """A child process with one pipe to read and one to write, by their numbers here."""

    def __init__(
        self, reactor: Any, protocol: IProcessProtocol, pid: int, frames_fd: int, control_fd: int
    ) -> None:
        # Not that of `Process`, which starts a child.
        self.proto: IProcessProtocol | None = protocol
        self.pid = pid
        self.pipes: dict[int, Any] = {
            frames_fd: ProcessReader(reactor, self, frames_fd, frames_fd),
            control_fd: ProcessWriter(reactor, self, control_fd, control_fd, forceReadHack=True),
        }
        protocol.makeConnection(self)
        registerReapProcessHandler(pid, self)
