"""
A child that was started without Twisted, as a transport of Twisted's process protocols.

It relies on undocumented classes of Twisted; tests/service/test_early_start.py runs a child with
it, so that a new release fails there first.
"""

from collections.abc import Mapping
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
    """A child process; its pipes have numbers for the protocol, and descriptors here."""

    def __init__(
        self,
        reactor: Any,
        protocol: IProcessProtocol,
        pid: int,
        *,
        reading: Mapping[int, int],
        writing: Mapping[int, int],
    ) -> None:
        # Not that of `Process`, which starts a child.
        self.proto: IProcessProtocol | None = protocol
        self.pid = pid
        self.pipes: dict[int, Any] = {
            **{name: ProcessReader(reactor, self, name, fd) for name, fd in reading.items()},
            **{
                name: ProcessWriter(reactor, self, name, fd, forceReadHack=True)
                for name, fd in writing.items()
            },
        }
        protocol.makeConnection(self)
        registerReapProcessHandler(pid, self)
