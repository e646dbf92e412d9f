"""Tests of decoding wait statuses."""

import signal

from twisted.trial.unittest import TestCase

from syswatch.tracer.ptrace.stops import SYSCALL_STATUS, Report, Stop, read_status


def stopped(number: int, event: int = 0) -> int:
    """Return the status of a thread that was stopped."""
    return event << 16 | number << 8 | 0x7F


class StatusTests(TestCase):
    """Each kind of stop is known by its status alone."""

    def test_system_call(self) -> None:
        """A system call stop is SIGTRAP with bit 7."""
        self.assertEqual(stopped(signal.SIGTRAP | 0x80), SYSCALL_STATUS)
        self.assertEqual(Report(Stop.SYSCALL), read_status(SYSCALL_STATUS))

    def test_signals(self) -> None:
        """A stop without an event delivers a signal, including SIGTRAP and SIGSTOP."""
        for number in (signal.SIGTERM, signal.SIGTRAP, signal.SIGSTOP, signal.SIGRTMAX):
            self.assertEqual(Report(Stop.SIGNAL_DELIVERY, number), read_status(stopped(number)))

    def test_group_stop(self) -> None:
        """The four stopping signals with PTRACE_EVENT_STOP are group-stops."""
        for number in (signal.SIGSTOP, signal.SIGTSTP, signal.SIGTTIN, signal.SIGTTOU):
            self.assertEqual(Report(Stop.GROUP_STOP, number), read_status(stopped(number, 128)))

    def test_trap(self) -> None:
        """PTRACE_EVENT_STOP with SIGTRAP delivers nothing."""
        self.assertIs(Stop.TRAP, read_status(stopped(signal.SIGTRAP, 128)).stop)

    def test_events(self) -> None:
        """Requested events have a kind each; any other event is only resumed."""
        kinds = [read_status(stopped(signal.SIGTRAP, event)).stop for event in range(1, 8)]
        self.assertEqual([Stop.NEW_CHILD] * 3, kinds[:3])
        self.assertEqual([Stop.EXEC, Stop.OTHER_EVENT, Stop.ENDING, Stop.SECCOMP], kinds[3:])

    def test_ends(self) -> None:
        """Exit codes and killing signals are decoded, with or without a core file."""
        self.assertEqual(Report(Stop.EXITED, 3), read_status(3 << 8))
        self.assertEqual(Report(Stop.KILLED, signal.SIGKILL), read_status(signal.SIGKILL))
        self.assertEqual(Report(Stop.KILLED, signal.SIGABRT), read_status(signal.SIGABRT | 0x80))
