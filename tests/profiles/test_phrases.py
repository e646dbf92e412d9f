"""Tests of rules and arguments in words."""

from twisted.trial.unittest import SynchronousTestCase

from syswatch.profiles.argument_rules import Level, conditions_of
from syswatch.profiles.phrases import of_conditions, of_values


class NameTests(SynchronousTestCase):
    """The names of arguments."""

    def test_names(self) -> None:
        """Values have the names that strace prints, which other arguments may decide."""
        for call, values, expected in (
            ("ioctl", (0x5401,), "request TCGETS"),
            ("fcntl", (2,), "command F_SETFD"),
            ("bpf", (5,), "command BPF_PROG_LOAD"),
            ("keyctl", (1,), "command KEYCTL_JOIN_SESSION_KEYRING"),
            ("prctl", (3,), "option PR_GET_DUMPABLE"),
            ("setsockopt", (1, 2), "level SOL_SOCKET, option SO_REUSEADDR"),
            ("setsockopt", (6, 1), "level SOL_TCP, option TCP_NODELAY"),
            ("setsockopt", (9999, 1), "level 0x270f, option 0x1"),
            (
                "socket",
                (10, 2, 17),
                "address family AF_INET6, socket type SOCK_DGRAM, protocol IPPROTO_UDP",
            ),
            ("socket", (1, 1, 0), "address family AF_UNIX, socket type SOCK_STREAM, protocol 0x0"),
        ):
            self.assertEqual(expected, of_values(call, "x86_64", values))
            rules = conditions_of(call, "x86_64", {values}, Level.EXACT)
            self.assertEqual(expected, of_conditions(call, rules[values]))

    def test_unknown(self) -> None:
        """A value without a name is a number, and no condition permits any arguments."""
        self.assertEqual("request 0xdead", of_values("ioctl", "x86_64", (0xDEAD,)))
        self.assertEqual("any arguments", of_conditions("read", ()))
