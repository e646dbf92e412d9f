"""
Build the image of the Dockerfile in a chroot, and run it.

    python -m tests.deploy.image FOLDER

Where no container engine works, this does what the Dockerfile says: FOLDER gets the base image, and
the files that each stage adds.  The base is a Debian made by `debootstrap`, with Debian's Python of
the same minor version; what the official image has besides is not checked.  Then the entry point
runs as in the container that the Dockerfile describes: as the user of the image, with one
capability and a read-only root.  The sizes are printed at the end.

Needs root, `debootstrap`, `unshare` and `ip`, a network, and some 600 MB.  The base stays in FOLDER
for the next time.  Variables of pip and of proxies are passed on to the build.
"""

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

import attrs

from syswatch.machine.capabilities import read_facts
from syswatch.machine.doctor import backend_verdict
from syswatch.model.backends import EBPF
from tests.deploy.dockerfile import Instruction, Stage, ignored, stages
from tests.docs.pages import CHECKOUT

# Debian's release with each minor version of Python.
_RELEASES = {"3.11": "bookworm", "3.13": "trixie"}
_PACKAGES = "ca-certificates,python3-venv,python3-pip,python-is-python3"
_MIRROR = "http://deb.debian.org/debian"
# As in official images, where APT keeps no files of its own.
_NO_CACHE = 'Dir::Cache::pkgcache ""; Dir::Cache::srcpkgcache "";\n'
_TOOLS = {"debootstrap": "debootstrap", "unshare": "util-linux", "ip": "iproute2"}
_PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
_PASSED_ON = re.compile("PIP_.*|.*_proxy", re.IGNORECASE)
_CERTIFICATES = "/etc/ssl/certs/ca-certificates.crt"
# The longest step installs packages.
_PATIENCE_S = 600
_METADATA = frozenset({"EXPOSE", "HEALTHCHECK", "ENTRYPOINT", "CMD", "LABEL", "USER"})
# Mounts of a new namespace, so nothing is left behind: $1 is the root, $2 the layers.
_ENTER = """
ip link set lo up 2>/dev/null
mount -t overlay overlay -o "$2" "$1"
mount -t proc proc "$1/proc"
mount -t sysfs sysfs "$1/sys"
mount --rbind /dev "$1/dev"
mount -t tmpfs tmpfs "$1/tmp"
"""
_FOR_BUILDING = f'mount --bind {_CERTIFICATES} "$1{_CERTIFICATES}"\n'
_FOR_RUNNING = f'mount --bind {CHECKOUT}/examples "$1/mnt"; mount -o remount,ro "$1"\n'
_CHROOT = 'root="$1"; shift 2; exec chroot "$root" "$@"\n'


class StepError(Exception):
    """A step that did not work."""


def main() -> int:
    """Build and run the image."""
    parser = argparse.ArgumentParser(description="Build the image in a chroot, and run it.")
    parser.add_argument("folder", type=Path, help="where the base and the stages are written")
    folder = parser.parse_args().folder.resolve()
    missing = [package for tool, package in _TOOLS.items() if not shutil.which(tool)]
    if missing or os.geteuid():
        what = f"install {', '.join(missing)}" if missing else "run it as root"
        print(f"the image cannot be built: {what}", file=sys.stderr)
        return 1
    try:
        built = build(folder)
        check(built[-1])
    except StepError as error:
        print(error, file=sys.stderr)
        return 1
    base, added = size_mb(built[-1].base), size_mb(built[-1].files)
    print(f"{added:.0f} MB, besides the base (here {base:.0f} MB, with more of Debian's packages)")
    return 0


@attrs.define
class Root:
    """The root directory of a stage: the base, and what was added to it."""

    base: Path
    folder: Path
    stage: Stage
    environment: dict[str, str] = attrs.field(factory=lambda: {"PATH": _PATH, "HOME": "/root"})

    @property
    def files(self) -> Path:
        """What was added to the base."""
        return self.folder / "files"

    def make(self) -> None:
        """Begin with nothing but the base."""
        shutil.rmtree(self.folder, ignore_errors=True)
        for name in ("files", "work", "root"):
            (self.folder / name).mkdir(parents=True)

    def run(self, command: Sequence[str], *, builds: bool = False) -> str:
        """Run a command in it, alone with its processes; return what it prints."""
        layers = f"lowerdir={self.base},upperdir={self.files},workdir={self.folder / 'work'}"
        script = _ENTER + (_FOR_BUILDING if builds else _FOR_RUNNING) + _CHROOT
        # A server of the image must not get a port of this machine.
        own = ("--mount", "--pid", "--fork", "--kill-child", *(() if builds else ("--net",)))
        passed = {name: text for name, text in os.environ.items() if _PASSED_ON.fullmatch(name)}
        environment = {**(passed if builds else {}), **self.environment}
        inside = ("sh", "-ec", script, "sh", str(self.folder / "root"), layers, *command)
        try:
            ran = subprocess.run(
                ("unshare", *own, *inside),
                env=environment,
                capture_output=True,
                text=True,
                check=False,
                timeout=_PATIENCE_S,
            )
        except subprocess.TimeoutExpired as error:
            raise StepError(f"{' '.join(command)} did not end in {_PATIENCE_S} s") from error
        if ran.returncode:
            raise StepError(f"{' '.join(command)} failed:\n{ran.stdout}{ran.stderr}")
        return ran.stdout


def build(folder: Path) -> list[Root]:
    """Return the roots of all stages."""
    made: list[Root] = []
    for at, stage in enumerate(stages()):
        root = Root(base_of(stage.base, folder), folder / f"stage-{at}", stage)
        root.make()
        for instruction in stage.instructions:
            print(f"{instruction.name} {instruction.arguments}", flush=True)
            follow(instruction, root, made)
        made.append(root)
    return made


def base_of(image: str, folder: Path) -> Path:
    """Return a root directory with Debian's Python of the version of an image."""
    match = re.search(r"python:(\d+\.\d+)-slim$", image)
    if match is None or match[1] not in _RELEASES:
        raise StepError(f"there is no Debian with the Python of {image}")
    base = folder / _RELEASES[match[1]]
    if not base.exists():
        unfinished = base.with_suffix(".part")
        shutil.rmtree(unfinished, ignore_errors=True)
        print(f"FROM {image}: debootstrap {base.name}", flush=True)
        options = ("--variant=minbase", f"--include={_PACKAGES}")
        made = subprocess.run(
            ("debootstrap", *options, base.name, str(unfinished), _MIRROR),
            stdout=subprocess.DEVNULL,
            check=False,
        )
        if made.returncode:
            raise StepError(f"debootstrap failed: see {unfinished}/debootstrap/debootstrap.log")
        (unfinished / "etc/apt/apt.conf.d/docker-clean").write_text(_NO_CACHE)
        unfinished.rename(base)
    return base


def follow(instruction: Instruction, root: Root, others: Sequence[Root]) -> None:
    """Do what an instruction of the Dockerfile says."""
    match instruction.name:
        case "RUN":
            root.run(("/bin/sh", "-c", instruction.arguments), builds=True)
        case "ENV":
            for word in instruction.words:
                name, _, text = word.partition("=")
                root.environment[name] = _filled_in(text, root.environment)
        case "COPY":
            *sources, target = [word for word in instruction.words if not word.startswith("--")]
            named = {each.stage.name: each for each in others}
            stage = named[instruction.flags["from"]] if "from" in instruction.flags else None
            for source in sources:
                copy(source, target, root, stage)
        case name if name not in _METADATA:
            raise StepError(f"this script does not know the instruction {name}")


def _filled_in(text: str, environment: Mapping[str, str]) -> str:
    return re.sub(r"\$\{?(\w+)\}?", lambda match: environment.get(match[1], ""), text)


def copy(source: str, target: str, root: Root, stage: Root | None) -> None:
    """Copy a file or a directory, from the checkout or from a stage before."""
    into = root.files / target.lstrip("/")
    into.parent.mkdir(parents=True, exist_ok=True)
    start = stage.files / source.lstrip("/") if stage else CHECKOUT / source
    if start.is_dir():
        ignore = None if stage else ignored
        shutil.copytree(start, into, symlinks=True, ignore=ignore, dirs_exist_ok=True)
    else:
        shutil.copy2(start, into)


def check(image: Root) -> None:
    """Run the image as a container."""
    print(f"{image.run(('python', '-V')).strip()} in place of {image.stage.base}")
    program, health_check = image.stage.entry_point, image.stage.health_check
    as_traced = (*program, "run", "--format=json", "--output=/dev/stdout")
    version = image.run(contained(image, "sys_ptrace", *program, "--version")).strip()
    print(f"{' '.join(program)} --version: {version}")
    for backend, rights in _backends():
        command = (*as_traced, f"--backend={backend}", "true")
        show(f"run true, {backend}", image.run(contained(image, rights, *command)))
    # The command starts when the port is open, so the check needs no time to wait.
    served = (*as_traced, "--backend=ptrace", "--serve=127.0.0.1:8080", "--exit-with-target")
    show("health check", image.run(contained(image, "sys_ptrace", *served, *health_check)))
    try:
        image.run(health_check)
    except StepError:
        print("health check without a server: fails, as it should")
    else:
        raise StepError("the health check does not notice that there is no server")
    log = ("stats", "--format=json", "/mnt/git-clone.log")
    show("stats as nobody", image.run(with_rights("65534", "", *program, *log)))


def _backends() -> list[tuple[str, str]]:
    """Return the backends that work on this machine, with the capabilities that they need."""
    backends = [("ptrace", "sys_ptrace")]
    verdict = backend_verdict(EBPF, read_facts(traceme=lambda: 0))
    if verdict.usable:
        return [*backends, ("ebpf", "bpf,+perfmon")]
    print(f"the eBPF backend is not checked: {verdict.why}")
    return backends


def show(what: str, result: str) -> None:
    """Print how many calls were traced; StepError if there are none, or some were lost."""
    status = json.loads(result)["Status"]
    print(f"{what}: {status['Total']} calls, {status['State']}", flush=True)
    if not (status["Total"] and status["Exact"]):
        raise StepError(f"the calls of {what} were not all counted: {status}")


def contained(image: Root, rights: str, *command: str) -> tuple[str, ...]:
    """Return a command with the rights of `docker run --cap-drop=ALL --cap-add=RIGHTS`."""
    return with_rights(image.stage.last_of("USER"), rights, *command)


def with_rights(user: str, rights: str, *command: str) -> tuple[str, ...]:
    """Return a command that can never have more than some rights."""
    ids = (f"--reuid={user}", f"--regid={user}", "--clear-groups") if user else ()
    most = f"--bounding-set=-all{f',+{rights}' if rights else ''}"
    return ("setpriv", *ids, "--inh-caps=-all", most, "--no-new-privs", *command)


def size_mb(folder: Path) -> float:
    """Return the size of all files below a directory, as an image counts it."""
    files = (file for file in folder.rglob("*") if file.is_file() and not file.is_symlink())
    return sum(file.stat().st_size for file in files) / 1e6


if __name__ == "__main__":
    sys.exit(main())
