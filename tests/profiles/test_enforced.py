"""Real programs under their own profile, enforced by bubblewrap."""

import os
import re
import shutil
import subprocess
from pathlib import Path

import attrs
from twisted.trial.unittest import SkipTest, SynchronousTestCase

from syswatch.model.evidence import Evidence, EvidenceKey, EvidenceTally
from syswatch.profiles.argument_rules import Level
from syswatch.profiles.formats import bwrap
from syswatch.profiles.merging import merge_profiles
from syswatch.profiles.needs import Wanted, needed
from syswatch.profiles.profile import Profile

_CALL = re.compile(r"^(?:\d+ +)?(\w+)\(", re.MULTILINE)
_COMMANDS = (
    ("sh", "-c", "ls -l / | sort | head -n 3; cat /etc/passwd > /dev/null; exit 0"),
    ("find", "/etc", "-maxdepth", "1", "-name", "pass*"),
    ("python3", "-S", "-c", "import os, threading; threading.Thread(target=os.getpid).start()"),
)


class EnforcedTests(SynchronousTestCase):
    """Programs that were traced, and then run under the profile made of that."""

    def setUp(self) -> None:
        """Skip the test without the programs that it needs."""
        for program in ("bwrap", "strace"):
            if not shutil.which(program):
                raise SkipTest(f"{program} is not installed")
        if os.uname().machine != "x86_64":
            raise SkipTest("the profiles are for x86_64")
        if self._sandboxed("true").returncode:
            raise SkipTest("bubblewrap can't create a sandbox on this machine")

    def _sandboxed(
        self, *command: str, profile: Profile | None = None
    ) -> subprocess.CompletedProcess[bytes]:
        file = os.memfd_create("filter")
        try:
            if profile is not None:
                os.write(file, bwrap.write(profile).content)
                os.lseek(file, 0, os.SEEK_SET)
            seccomp = ["--seccomp", str(file)] if profile is not None else []
            return subprocess.run(
                ["bwrap", "--bind", "/", "/", "--dev", "/dev", *seccomp, "--", *command],
                capture_output=True,
                check=False,
                timeout=60,
                pass_fds=[file],
            )
        finally:
            os.close(file)

    def _traced(self, command: tuple[str, ...]) -> Evidence:
        log = Path(self.mktemp())
        subprocess.run(
            ["strace", "-f", "-qq", "-o", str(log), *command], capture_output=True, check=True
        )
        calls = _CALL.findall(log.read_text("utf-8", "replace"))
        return {EvidenceKey(call): EvidenceTally(calls.count(call)) for call in set(calls)}

    def test_own_profile(self) -> None:
        """Each program does the same under its exact and its default profile."""
        for command in _COMMANDS:
            evidence = self._traced(command)
            free = self._sandboxed(*command)
            self.assertEqual(free.returncode, 0, free.stderr)
            for level in (Level.EXACT, Level.DEFAULT):
                found = self._sandboxed(*command, profile=needed(evidence, Wanted(level)))
                self.assertEqual(
                    (found.returncode, found.stdout, found.stderr),
                    (free.returncode, free.stdout, free.stderr),
                    (command, level),
                )

    def test_merged_profile(self) -> None:
        """Each program runs under the merged profile of all."""
        merged = merge_profiles([needed(self._traced(each), Wanted()) for each in _COMMANDS])
        for command in _COMMANDS:
            self.assertEqual(self._sandboxed(*command, profile=merged).returncode, 0, command)

    def test_missing_call(self) -> None:
        """A program fails if the profile lacks a call that it needs."""
        profile = needed(self._traced(("ls", "/")), Wanted())
        rules = {rule: why for rule, why in profile.rules.items() if "getdents" not in rule.call}
        found = self._sandboxed("ls", "/", profile=attrs.evolve(profile, rules=rules))
        self.assertIn(b"Operation not permitted", found.stderr)
        self.assertNotEqual(found.returncode, 0)
