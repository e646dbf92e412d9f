"""Tests of settings for systemd units, with systemd where it is installed."""

import shutil
import subprocess
from pathlib import Path

from hypothesis import given
from twisted.trial.unittest import SkipTest, SynchronousTestCase

from syswatch.profiles.actions import ALLOW, KILL_PROCESS, LOG, PRETEND_ABSENT, REFUSE
from syswatch.profiles.architectures import ARCHITECTURES
from syswatch.profiles.conditions import Known
from syswatch.profiles.formats import systemd, systemd_reading
from syswatch.profiles.formats.outcome import FormatError, Target
from syswatch.profiles.formats.systemd_groups import groups
from syswatch.profiles.needs import Wanted, needed
from syswatch.profiles.profile import NO_REASONS, Profile, Rule

from .samples import SERVER, seen
from .strategies import allowlists

_TARGET = Target("x86_64")


def _profile(*calls: str) -> Profile:
    rules = dict.fromkeys(map(Rule, calls), NO_REASONS)
    return Profile(rules, [ARCHITECTURES["x86_64"]])


def _settings(profile: Profile) -> list[str]:
    return systemd.write(profile).content.decode().splitlines()


def _read(text: str) -> Profile:
    return systemd_reading.read(text.encode(), _TARGET).profile


class WritingTests(SynchronousTestCase):
    """Writing."""

    def test_restrictions(self) -> None:
        """Limits of arguments become settings of their own."""
        settings = _settings(needed(SERVER, Wanted()))
        for line in (
            "NoNewPrivileges=yes",
            "SystemCallArchitectures=native",
            "SystemCallErrorNumber=EPERM",
            "RestrictAddressFamilies=AF_INET",
            "RestrictNamespaces=yes",
            "MemoryDenyWriteExecute=yes",
        ):
            self.assertIn(line, settings)

    def test_what_was_seen_is_not_restricted(self) -> None:
        """A setting that would refuse what was seen is left out."""
        evidence = SERVER | seen("mprotect", 4) | seen("unshare", 0x1000_0000)
        settings = _settings(needed(evidence | seen("socket"), Wanted()))
        self.assertIn("RestrictNamespaces=user", settings)
        for start in ("MemoryDenyWriteExecute", "RestrictAddressFamilies"):
            self.assertFalse([line for line in settings if line.startswith(start)])

    def test_groups(self) -> None:
        """A group is used if all its calls are permitted, and else its calls are listed."""
        whole = _settings(_profile(*groups()["@timer"]))
        self.assertIn("SystemCallFilter=@default @timer", whole)
        part = _settings(_profile(*groups()["@timer"] - {"alarm"}))
        self.assertFalse([line for line in part if "@timer" in line])
        self.assertTrue([line for line in part if "timerfd_create" in line])

    def test_losses(self) -> None:
        """What systemd permits in addition is said."""
        losses = systemd.write(needed(SERVER, Wanted())).losses
        self.assertIn("nanosleep", losses[0])
        self.assertEqual(
            losses[1],
            "systemd has no setting for these limits of arguments, and permits any: ioctl",
        )

    def test_log_first(self) -> None:
        """A profile that logs what it does not list refuses nothing."""
        profile = Profile(_profile("read").rules, [ARCHITECTURES["x86_64"]], LOG)
        settings = _settings(profile)
        self.assertIn("SystemCallLog=~read", settings)
        names = {line.partition("=")[0] for line in settings if "=" in line and line[0] != "#"}
        self.assertEqual({"NoNewPrivileges", "SystemCallLog"}, names)

    def test_written_paths(self) -> None:
        """Paths are quoted, and everything else is read-only."""
        content = systemd.write(_profile("read"), ["/var/lib/my app", "/a%b"]).content.decode()
        self.assertIn('ProtectSystem=strict\nReadWritePaths="-/a%%b"\n', content)
        self.assertIn('ReadWritePaths="-/var/lib/my app"\n', content)

    def test_denylist(self) -> None:
        """A profile that permits what it does not list can't be written."""
        profile = Profile({}, [ARCHITECTURES["x86_64"]], ALLOW)
        self.assertRaises(FormatError, systemd.write, profile)


class ReadingTests(SynchronousTestCase):
    """Reading."""

    @given(allowlists)
    def test_never_stricter(self, profile: Profile) -> None:
        """What was written permits all calls of the profile that its architectures have."""
        known = {call for each in profile.architectures for call in each.numbers}
        if profile.default.kind == "ERRNO":
            # One architecture is written as that of the machine.
            target = Target(profile.architectures[0].name)
            again = systemd_reading.read(systemd.write(profile).content, target).profile
            self.assertLessEqual(profile.calls & known, again.calls)
            self.assertEqual(again.architectures, profile.architectures)
            self.assertEqual(again.default, profile.default)

    def test_same_answers(self) -> None:
        """Limits of arguments are read back."""
        profile = needed(SERVER, Wanted())
        again = systemd_reading.read(systemd.write(profile).content, _TARGET).profile
        for call, values in (
            ("socket", (2, 1, 0)),
            ("socket", (16, 3, 0)),
            ("clone", (0x11,)),
            ("clone", (0x1000_0011,)),
            ("clone3", ()),
            ("mmap", (0, 4096, 5)),
            ("mmap", (0, 4096, 7)),
            ("mprotect", (0, 4096, 4)),
            ("ptrace", ()),
        ):
            known = dict(enumerate(map(Known, values)))
            self.assertEqual(again.answer(call, known), profile.answer(call, known), call)

    def test_permitting(self) -> None:
        """Lists are added up, and a tilde removes from them; the default group is implied."""
        profile = _read("""
            [Service]
            # SystemCallFilter=ptrace
            SystemCallFilter=@timer read \\
                write
            SystemCallFilter=~alarm
            SystemCallFilter=bpf
        """)
        self.assertLessEqual({"read", "write", "bpf", "timerfd_create", "execve"}, profile.calls)
        self.assertEqual({"alarm", "ptrace"} & profile.calls, set())
        self.assertEqual(profile.default, KILL_PROCESS)

    def test_refusing(self) -> None:
        """A list that begins with a tilde refuses, each call with its own error or the usual."""
        profile = _read(
            "SystemCallFilter=~ptrace clone3:ENOSYS\nSystemCallErrorNumber=EPERM\n"
            "SystemCallFilter=ptrace:kill\nSystemCallFilter=~bpf"
        )
        found = [profile.answer(call, {}) for call in ("ptrace", "clone3", "bpf", "read")]
        self.assertEqual(found, [ALLOW, PRETEND_ABSENT, REFUSE, ALLOW])

    def test_reset(self) -> None:
        """An empty value clears the list."""
        profile = _read("SystemCallFilter=~ptrace\nSystemCallFilter=\nSystemCallFilter=read")
        self.assertEqual(profile.calls, {"read", *groups()["@default"]})

    def test_mistakes(self) -> None:
        """What is no such unit is refused with a sentence."""
        for text in (
            "",
            "[Service]\nExecStart=/bin/true",
            "SystemCallFilter=~read:EMANY",
            "SystemCallFilter=read\nSystemCallArchitectures=z80",
            "RestrictAddressFamilies=AF_MANY",
        ):
            self.assertRaises(FormatError, systemd_reading.read, text.encode(), _TARGET)


class SystemdTests(SynchronousTestCase):
    """What systemd says about the settings."""

    def _analyze(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        if not shutil.which("systemd-analyze"):
            raise SkipTest("systemd-analyze is not installed")
        return subprocess.run(
            ["systemd-analyze", *arguments],
            capture_output=True,
            text=True,
            check=False,
            timeout=60,
            env={"SYSTEMD_LOG_LEVEL": "info", "PATH": "/usr/bin:/bin"},
        )

    def _unit(self) -> str:
        settings = systemd.write(needed(SERVER, Wanted()), ["/var/lib/server"]).content.decode()
        unit = Path(self.mktemp()).absolute()
        unit.mkdir()
        file = unit / "profiled.service"
        file.write_text(f"[Unit]\nDescription=Test\n{settings}ExecStart=/bin/true\n")
        return str(file)

    def test_verify(self) -> None:
        """It reports no errors in them."""
        found = self._analyze("verify", "--man=no", self._unit())
        own = [line for line in found.stderr.splitlines() if "profiled.service" in line]
        self.assertEqual((found.returncode, own), (0, []))

    def test_security(self) -> None:
        """It sees the restrictions."""
        found = self._analyze("security", "--offline=true", "--no-pager", self._unit())
        for setting in (
            "MemoryDenyWriteExecute=",
            "NoNewPrivileges=",
            "RestrictNamespaces=~user",
            "SystemCallArchitectures=",
            "SystemCallFilter=~@mount",
            "SystemCallFilter=~@obsolete",
        ):
            self.assertRegex(found.stdout, f"✓ {setting}", found.stderr)

    def test_groups(self) -> None:
        """The table of groups is that of systemd 252."""
        if "systemd 252 " not in self._analyze("--version").stdout:
            raise SkipTest("the table is that of systemd 252, and another version is installed")
        for name, calls in groups().items():
            found = self._analyze("syscall-filter", name).stdout.split("\n", 1)[-1]
            words = {line.strip() for line in found.splitlines() if line.startswith("    ")}
            direct = {word for word in words if word.replace("_", "").isalnum()}
            self.assertLessEqual(direct, calls)
