"""Tests of invalid listen addresses: one sentence, and nothing is started."""

import contextlib
import os
import subprocess
import uuid
from collections.abc import Sequence
from pathlib import Path

from twisted.trial.unittest import SkipTest, SynchronousTestCase

from tests.system.servers import PATIENCE_S, SYSWATCH, TWISTD, need, serving, wait_for
from tests.system.shell import run

_PRIVILEGED = 80


class BadAddressTests(SynchronousTestCase):
    """Each command with an address that cannot be used."""

    def check(self, addresses: Sequence[str], *reasons: str, prefix: Sequence[str] = ()) -> None:
        """
        Expect one line and status 2 of each command, no target, and no process left.

        The commands treat all addresses alike: all but the first are tried with one address.
        """
        first, *others = addresses
        for command, address in (
            *((SYSWATCH, other) for other in others),
            (SYSWATCH, first),
            ((*TWISTD, "-n", "--pidfile=", "syswatch"), first),
            (
                (*TWISTD, f"--pidfile={self.mktemp()}", f"--logfile={self.mktemp()}", "syswatch"),
                first,
            ),
        ):
            mark = f"SYSWATCH_TEST={uuid.uuid4()}"
            target = Path(self.mktemp()).absolute()
            started = [*prefix, "env", mark, *command, "run", "--serve", address]
            result = run([*started, "--", "touch", str(target)], timeout=PATIENCE_S)

            self.assertEqual(2, result.returncode, (command, result.stderr))
            ours = [line for line in result.stderr.splitlines() if line.startswith("syswatch: ")]
            self.assertEqual(1, len(ours), result.stderr)
            for reason in reasons:
                self.assertIn(reason, ours[0])
            self.assertNotIn("Traceback", result.stderr + result.stdout)
            # A daemon that fails reports to the process that started it before it exits.
            wait_for(lambda mark=mark: not marked(mark))
            self.assertFalse(target.exists())

    def test_in_use(self) -> None:
        """A port in use is refused."""
        with serving() as server:
            addresses = (f":{server.port}", f"127.0.0.1:{server.port}")
            self.check(addresses, "Address already in use")

    def test_not_ours(self) -> None:
        """An address of another machine is refused."""
        self.check(["192.0.2.1:8080"], "Cannot assign requested address")

    def test_nonsense(self) -> None:
        """Text that is not an address is refused."""
        self.check(["nonsense"], "is not a valid address")
        self.check([":99999"], "the highest port number is 65535")

    def test_privileged(self) -> None:
        """A privileged port is refused, and the missing capability is named."""
        first_free = int(Path("/proc/sys/net/ipv4/ip_unprivileged_port_start").read_text("ascii"))
        if first_free <= _PRIVILEGED:
            raise SkipTest(f"everybody may listen on port {_PRIVILEGED} of this machine")
        without: list[str] = []
        if os.geteuid() == 0:
            need("setpriv")
            without = ["setpriv", "--bounding-set=-net_bind_service"]
        addresses = (f":{_PRIVILEGED}", f"127.0.0.1:{_PRIVILEGED}")
        reasons = "Permission denied", "needs root or CAP_NET_BIND_SERVICE"
        self.check(addresses, *reasons, prefix=without)

    def test_left_over(self) -> None:
        """The check for processes that are left finds one."""
        mark = f"SYSWATCH_TEST={uuid.uuid4()}"
        with subprocess.Popen(["env", mark, "cat"], stdin=subprocess.PIPE) as cat:
            wait_for(lambda: marked(mark) == [cat.pid])


def marked(mark: str) -> list[int]:
    """Return the processes that have a mark in their environment."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        # It may have exited by now, or belong to another user.
        with contextlib.suppress(OSError):
            if mark.encode() in (folder / "environ").read_bytes().split(b"\0"):
                found.append(int(folder.name))
    return found
