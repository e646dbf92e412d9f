"""A completed call as a source of calls shows it, whether it has registers or text."""

from collections.abc import Sequence
from typing import Protocol

from .addresses import Address


class ObservedCall(Protocol):
    """
    A call with access to its arguments, which are numbered from 0.

    What a source cannot read is 0, empty or None.
    """

    @property
    def name(self) -> str:
        """The name, of 32-bit programs too: without a mark."""

    @property
    def pid(self) -> int:
        """The process that made the call."""

    @property
    def tid(self) -> int:
        """The thread that made the call."""

    @property
    def comm(self) -> str:
        """The command of the process."""

    @property
    def result(self) -> int:
        """The result, or a negated errno."""

    def number(self, index: int) -> int:
        """Return an argument as an unsigned number; names of flags as the bits they stand for."""

    def text(self, index: int) -> bytes:
        """Return the string that an argument points to."""

    def base(self, index: int) -> bytes:
        """Return the directory that a path argument is relative to."""

    def flags_field(self, index: int) -> int:
        """Return the flags at the beginning of the structure that an argument points to."""

    def address(self, index: int) -> Address | None:
        """Return the socket address that an argument points to."""

    def destinations(self) -> Sequence[Address]:
        """Return the socket addresses of the messages that a call has sent or failed to send."""

    def descriptors(self, index: int) -> Sequence[int]:
        """Return the descriptors that the kernel has written to the array of an argument."""

    def received(self, index: int) -> Sequence[int]:
        """Return the descriptors in the control data of a message or an array of messages."""

    def event(self, index: int) -> int:
        """Return the data in a `struct epoll_event`."""
