"""`syswatch profile` as users type it, with real programs."""

import json
import os
import pty
import re
import shutil
import subprocess

from twisted.trial.unittest import SkipTest

from syswatch.profiles.always import ALWAYS
from syswatch.profiles.architectures import ARCHITECTURES
from syswatch.profiles.profile import Profile
from syswatch.profiles.starting import startable
from tests.system.profile_case import ProfileCase
from tests.system.servers import LOG, SYSWATCH, need
from tests.tracer.strace import require_tracing

_SCRIPT = ("sh", "-c", "ls / | sort > /dev/null; exit 0")


class ProfileTests(ProfileCase):
    """Profiles of a shell script, and of logs."""

    def test_calls(self) -> None:
        """An exact profile has the names that strace -c has, and what every container needs."""
        require_tracing()
        need("strace")
        ended = self.profile("--exact", "--format", "oci", "-o", "p.json", "--", *_SCRIPT)
        self.assertEqual(0, ended.returncode, ended.stderr)
        entries = json.loads((self.folder / "p.json").read_text())["syscalls"]
        permitted = {name for each in entries for name in each["names"]}
        table = self.folder / "table"
        subprocess.run(["strace", "-f", "-c", "-o", str(table), *_SCRIPT], check=True)
        seen = set(re.findall(r"^ +[\d.]+ .* (\w+)$", table.read_text(), re.MULTILINE))
        own = ARCHITECTURES[os.uname().machine]
        needed = (set(ALWAYS) & own.numbers.keys()) | startable(Profile({}, [own])).calls
        self.assertEqual((seen - {"total"}) | needed, permitted)

    def test_check(self) -> None:
        """What the profile lacks is named, with the exit status 1; its own calls are permitted."""
        require_tracing()
        ended = self.profile("--format", "json", "-o", "true.json", "--", "true")
        self.assertEqual(0, ended.returncode, ended.stderr)
        checked = self.profile("check", "true.json", "--", "ls", "/")
        self.assertEqual(1, checked.returncode, checked.stderr)
        self.assertRegex(
            checked.stderr, r"(?m)^The profile would refuse \d+ of \d+ calls: .*getdents"
        )
        own = self.profile("check", "true.json", "--", "true")
        self.assertEqual(0, own.returncode, own.stderr)
        self.assertIn("would refuse none of the", own.stderr)

    def test_terminal(self) -> None:
        """A filter for bubblewrap is not written to a terminal, which it would disturb."""
        ours, theirs = pty.openpty()
        self.addCleanup(os.close, ours)
        try:
            ended = subprocess.run(
                [*SYSWATCH, "profile", "--format", "bwrap", str(LOG)],
                stdout=theirs,
                stderr=subprocess.PIPE,
                text=True,
                check=False,
            )
        finally:
            os.close(theirs)
        self.assertEqual(
            (2, "syswatch: bwrap is not text: write it to a file with -o FILE\n"),
            (ended.returncode, ended.stderr),
        )

    def test_failed_command(self) -> None:
        """The failure of a command is told from a refusal."""
        require_tracing()
        ended = self.profile("-o", "p.txt", "--", "false")
        self.assertEqual(3, ended.returncode, ended.stderr)
        self.assertIn("the command failed", ended.stderr)

    def test_log(self) -> None:
        """Profiles of a log are merged, compared and checked."""
        first = self.profile(str(LOG))
        self.assertRegex(first.stdout, r"^The profile permits \d+ system calls: ")
        for name, *words in (("a.json",), ("b.json", "--exact")):
            ended = self.profile(*words, "--format", "json", "-o", name, str(LOG))
            self.assertEqual(0, ended.returncode, ended.stderr)
        self.assertEqual(0, self.profile("check", "b.json", str(LOG)).returncode)
        merged = self.profile("merge", "--format", "json", "-o", "c.json", "a.json", "b.json")
        self.assertEqual(0, merged.returncode, merged.stderr)
        self.assertEqual(0, self.profile("diff", "a.json", "c.json").returncode)
        differs = self.profile("diff", "b.json", "a.json")
        self.assertEqual(1, differs.returncode, differs.stderr)
        self.assertRegex(differs.stdout, r"more freely: [1-9]\d*, less freely: 0\.")

    def test_log_only(self) -> None:
        """A profile for a canary refuses nothing, also if it was merged of those that do."""
        self.profile("--format", "json", "-o", "own.json", str(LOG))
        for words in ([str(LOG)], ["merge", "own.json"]):
            actions = []
            for more in ([], ["--log-only"]):
                ended = self.profile(*words, "--format", "oci", "-o", "oci.json", *more)
                self.assertEqual(0, ended.returncode, ended.stderr)
                actions.append(json.loads((self.folder / "oci.json").read_text())["defaultAction"])
            self.assertEqual(["SCMP_ACT_ERRNO", "SCMP_ACT_LOG"], actions)

    def test_bad_input(self) -> None:
        """Each mistake is one sentence."""
        (self.folder / "bad.json").write_text("{]")
        for words in (["check", "bad.json", str(LOG)], ["merge", "none.json"], ["none.rec"]):
            ended = self.profile(*words)
            self.assertEqual((2, ""), (ended.returncode, ended.stdout), words)
            self.assertRegex(ended.stderr, r"\Asyswatch: .*(bad|none)\.\w+: .*\n\Z")
        (self.folder / "script").write_text("#!/bin/sh\n")
        self.assertIn(
            "script: it is a program; to trace it: syswatch profile -- script",
            self.profile("script").stderr,
        )
        (self.folder / "oci.json").write_text('{"defaultAction": "SCMP_ACT_ERRNO"}')
        self.assertIn("not a profile of --format json", self.profile("oci.json").stderr)

    def test_enforced(self) -> None:
        """The program runs under its own profile, and another one does not."""
        require_tracing()
        need("bwrap")
        ended = self.profile("--format", "bwrap", "-o", "p.bpf", "--", *_SCRIPT)
        self.assertEqual(0, ended.returncode, ended.stderr)
        if self._sandboxed("true").returncode:
            raise SkipTest("bubblewrap can't create a sandbox on this machine")
        own = self._sandboxed(*_SCRIPT, profile="p.bpf")
        self.assertEqual((0, b""), (own.returncode, own.stderr))
        mkdir = self._sandboxed("mkdir", str(self.folder / "new"), profile="p.bpf")
        self.assertIn(b"Operation not permitted", mkdir.stderr)

    def _sandboxed(self, *command: str, profile: str = "") -> subprocess.CompletedProcess[bytes]:
        words = [shutil.which("bwrap") or "bwrap", "--bind", "/", "/", "--dev", "/dev"]
        if not profile:
            return subprocess.run([*words, *command], capture_output=True, check=False)
        with (self.folder / profile).open("rb") as file:
            return subprocess.run(
                [*words, "--seccomp", str(file.fileno()), "--", *command],
                capture_output=True,
                check=False,
                pass_fds=[file.fileno()],
            )
