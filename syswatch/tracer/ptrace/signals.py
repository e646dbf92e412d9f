"""Signals that are passed on to the traced command."""

import os
import signal
import time

import attrs

from syswatch.base.classes import define
from syswatch.tracer.control import Control

from .lifecycle import Lifecycle
from .threads import Thread


@define
class Signals:
    """Passes signals on to the command."""

    lifecycle: Lifecycle
    control: Control
    # When each signal was last delivered to the command.
    _delivered_ns: dict[int, int] = attrs.field(factory=dict, init=False)

    @property
    def main_is_alive(self) -> bool:
        """Whether the command has not ended yet."""
        return self.lifecycle.main_pid in self.lifecycle.threads.processes

    def delivered(self, thread: Thread, number: int) -> None:
        """Note that the kernel delivers a signal to a thread."""
        if thread.process.pid == self.lifecycle.main_pid:
            self._delivered_ns[number] = time.monotonic_ns()

    def deliver(self, number: int) -> None:
        """
        Pass a signal to the command; if the command has ended, stop tracing.

        A signal to the whole process group has reached the command already.  If it is still
        pending there, the kernel merges the two.
        """
        if not self.main_is_alive:
            self.control.must_stop = True
        elif self.control.coincides(number, self._delivered_ns.get(number, 0)):
            return
        elif number in signal.valid_signals():
            os.kill(self.lifecycle.main_pid, number)
