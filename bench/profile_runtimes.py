"""The programs that enforce the profiles of bench/profiles.py: crun, runc and bubblewrap."""

import json
import os
import shutil
import subprocess
import sys
import uuid
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import attrs
import common
from profile_supervisor import Refused, Supervisor

from syswatch.profiles.capabilities import DOCKER_CAPABILITIES

# Directories of the root that a sandbox has of its own.
_OWN = frozenset({"dev", "lost+found", "proc", "sys", "tmp"})
_TMP = "/tmp"  # noqa: S108  it is that of the sandbox
_MOUNTS = (
    ("/proc", "proc", "proc", ()),
    ("/dev", "tmpfs", "tmpfs", ("nosuid", "strictatime", "mode=755", "size=65536k")),
    ("/dev/shm", "tmpfs", "shm", ("nosuid", "noexec", "nodev", "mode=1777")),  # noqa: S108
    ("/sys", "none", "/sys", ("rbind", "nosuid", "noexec", "nodev", "ro")),
    (_TMP, "tmpfs", "tmpfs", ("nosuid", "mode=1777")),
)
# crun refuses to start where version 2 of cgroups is mounted beside version 1.
_HIDE = 'umount /sys/fs/cgroup/unified 2> /dev/null; exec "$@"'


@attrs.define
class Sandbox:
    """A command under a profile, and the calls that were refused, if that is known."""

    words: Sequence[str]
    refused: Sequence[Refused] = ()


@attrs.frozen
class Bubblewrap:
    """Runs commands under the filter that is in a file."""

    name: str = "bwrap"
    format: str = "bwrap"

    @property
    def title(self) -> str:
        """How results name it."""
        return self.name

    @contextmanager
    def enforcing(
        self, profile: Path, folder: Path, command: Sequence[str], environment: Mapping[str, str]
    ) -> Iterator[Sandbox]:
        """Yield the command in a sandbox."""
        binds = [word for each in _python() for word in ("--ro-bind", each, each)]
        words = ("bwrap", "--ro-bind", "/", "/", "--dev", "/dev", "--tmpfs", _TMP, *binds)
        own = (
            "--clearenv",
            *(word for each in environment.items() for word in ("--setenv", *each)),
        )
        here = str(folder)
        sandbox = (*words, "--bind", here, here, "--chdir", here, *own, "--seccomp", "9", "--")
        opened = ("sh", "-c", 'exec 9< "$0"; exec "$@"', str(profile))
        yield Sandbox((*opened, *sandbox, *command))


@attrs.frozen
class ContainerRuntime:
    """
    Runs commands in containers that have the root directory of this machine, read-only.

    If it is `counting`, the default action of the profile asks a supervisor, which refuses.
    """

    name: str
    options: Sequence[str] = ()
    counting: bool = False
    format: str = "oci"

    @property
    def title(self) -> str:
        """How results name it."""
        return f"{self.name}, refusals counted" if self.counting else self.name

    @contextmanager
    def enforcing(
        self, profile: Path, folder: Path, command: Sequence[str], environment: Mapping[str, str]
    ) -> Iterator[Sandbox]:
        """Yield the command in a container."""
        seccomp = json.loads(profile.read_text())
        bundle = folder.parent / f"bundle-{uuid.uuid4()}"
        (bundle / "rootfs").mkdir(parents=True)
        start = (self.name, *self.options, "run", "--bundle", str(bundle), bundle.name)
        hidden = ("unshare", "--mount", "sh", "-c", _HIDE, "sh", *start)
        try:
            if not self.counting:
                _write(bundle, folder, command, environment, seccomp)
                yield Sandbox(hidden)
                return
            supervisor = Supervisor(bundle / "listener", shutil.which(self.name) or self.name)
            counted = {
                **{key: value for key, value in seccomp.items() if key != "defaultErrnoRet"},
                "defaultAction": "SCMP_ACT_NOTIFY",
                "listenerPath": str(supervisor.path),
            }
            _write(bundle, folder, command, environment, counted)
            with supervisor.listening():
                yield Sandbox(hidden, supervisor.refused)
        finally:
            shutil.rmtree(bundle)


Runtime = Bubblewrap | ContainerRuntime
COUNTING = ContainerRuntime("crun", ("--cgroup-manager=disabled",), counting=True)
AS_WRITTEN: Sequence[Runtime] = (
    ContainerRuntime("crun", ("--cgroup-manager=disabled",)),
    ContainerRuntime("runc"),
    Bubblewrap(),
)


def usable(runtime: Runtime, folder: Path) -> bool:
    """Return whether a runtime works on this machine; print why not."""
    what = f"profiles enforced by {runtime.name}"
    if not common.has(runtime.name, what):
        return False
    if isinstance(runtime, ContainerRuntime) and os.geteuid():
        common.leave_out(what, "containers with the directories of the machine need root")
        return False
    profile = folder / "everything"
    content = '{"defaultAction": "SCMP_ACT_ALLOW"}'
    # A filter of one instruction, which permits everything.
    allow = b"\x06\x00\x00\x00\x00\x00\xff\x7f"
    profile.write_bytes(allow if runtime.format == "bwrap" else content.encode())
    environment = {"PATH": os.environ.get("PATH", os.defpath)}
    plain = attrs.evolve(runtime, counting=False) if runtime == COUNTING else runtime
    with plain.enforcing(profile, folder, ("true",), environment) as sandbox:
        done = subprocess.run(sandbox.words, capture_output=True, text=True, check=False)
    if done.returncode:
        common.leave_out(what, done.stderr.strip() or f"it failed with {done.returncode}")
    return not done.returncode


def _write(
    bundle: Path,
    folder: Path,
    command: Sequence[str],
    environment: Mapping[str, str],
    seccomp: Mapping[str, Any],
) -> None:
    """Write the configuration of a container."""
    bound = [*_bound_root(bundle / "rootfs"), *((each, "ro") for each in _python())]
    mounts = [
        {"destination": at, "type": kind, "source": source, "options": list(options)}
        for at, kind, source, options in (
            *_MOUNTS,
            *((at, "none", at, ("rbind", how)) for at, how in (*bound, (str(folder), "rw"))),
        )
    ]
    capabilities = sorted(DOCKER_CAPABILITIES)
    configuration = {
        "ociVersion": "1.0.2",
        "process": {
            "user": {"uid": 0, "gid": 0},
            "args": list(command),
            "env": [f"{name}={value}" for name, value in environment.items()],
            "cwd": str(folder),
            "capabilities": dict.fromkeys(("bounding", "effective", "permitted"), capabilities),
        },
        "root": {"path": "rootfs"},
        "mounts": mounts,
        # Processes have their usual IDs, and reach the servers of this machine.
        "linux": {"namespaces": [{"type": "mount"}], "seccomp": seccomp},
    }
    (bundle / "config.json").write_text(json.dumps(configuration))


def _bound_root(root: Path) -> Iterator[tuple[str, str]]:
    """Yield the directories to bind; make the links of the root directory."""
    for each in sorted(Path("/").iterdir()):
        if each.is_symlink():
            (root / each.name).symlink_to(each.readlink())
        elif each.is_dir() and each.name not in _OWN:
            yield str(each), "ro"


def _python() -> Sequence[str]:
    """Return where Python is, which may be below a directory that sandboxes have of their own."""
    return sorted({sys.prefix, sys.base_prefix})
