"""A Python interpreter with file capabilities, and an unprivileged user who runs it."""

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

import attrs
from twisted.trial.unittest import SkipTest

import syswatch
from tests.system.servers import PATIENCE_S, need, need_root

_NOBODY = 65_534
BECOME_NOBODY = ("setpriv", f"--reuid={_NOBODY}", f"--regid={_NOBODY}", "--clear-groups")
# setuid() keeps capabilities until the next execve, so a shell in between drops them.
_AS_NOBODY = (*BECOME_NOBODY, "sh", "-c", 'exec "$@"', "sh")


@attrs.frozen
class Capable:
    """A copy of an interpreter that another user may run, with this interpreter's modules."""

    interpreter: Path
    # The module path of this interpreter may lie in folders that other users cannot read.
    descriptors: tuple[int, ...]
    as_nobody: Sequence[str] = _AS_NOBODY

    @classmethod
    def make(cls) -> "Capable":
        """Copy an interpreter; skip the test if it cannot be given capabilities."""
        need_root()
        need("setcap", "setpriv")
        folder = Path(tempfile.mkdtemp(prefix="syswatch-capable-"))
        folder.chmod(0o755)
        found = cls(folder / "python3", tuple(os.open(path, os.O_RDONLY) for path in _places()))
        try:
            found._choose()
        except BaseException:
            found.remove()
            raise
        return found

    def grant(self, capabilities: str) -> None:
        """Set exactly these file capabilities."""
        subprocess.run(
            ["setcap", f"{capabilities}+ep", self.interpreter], check=True, capture_output=True
        )

    @property
    def environment(self) -> Mapping[str, str]:
        """Return the variables with which the copy finds its modules."""
        places = ":".join(f"/proc/self/fd/{number}" for number in self.descriptors)
        return {"PYTHONPATH": places, "PYTHONDONTWRITEBYTECODE": "1"}

    @property
    def syswatch(self) -> tuple[str, ...]:
        """Return the command that starts syswatch in a process of the other user."""
        return (str(self.interpreter), "-m", "syswatch")

    def run(self, *words: str, before: Sequence[str] = ()) -> "subprocess.CompletedProcess[str]":
        """Run the copy as an unprivileged user."""
        return subprocess.run(
            [*self.as_nobody, *before, str(self.interpreter), *words],
            env={**os.environ, **self.environment},
            pass_fds=self.descriptors,
            cwd="/",
            capture_output=True,
            text=True,
            timeout=PATIENCE_S,
            check=False,
        )

    def remove(self) -> None:
        """Remove the copy."""
        shutil.rmtree(self.interpreter.parent)
        for number in self.descriptors:
            os.close(number)

    def _choose(self) -> None:
        """Copy the first interpreter that works for another user with capabilities."""
        why = ""
        for candidate in _candidates():
            shutil.copy(candidate, self.interpreter)
            self.interpreter.chmod(0o755)
            try:
                self.grant("cap_sys_ptrace,cap_bpf,cap_perfmon")
            except subprocess.CalledProcessError as error:
                raise SkipTest(f"setcap is refused: {error.stderr.decode().strip()}") from error
            tried = self.run("-c", "import syswatch.app.cli, syswatch.app.tracing")
            if tried.returncode == 0:
                return
            why = tried.stderr.strip().rpartition("\n")[2]
        raise SkipTest(f"no interpreter here works for another user: {why}")


def _candidates() -> list[Path]:
    """Return interpreters of this version; all users can read the system's own."""
    name = f"python{sys.version_info.major}.{sys.version_info.minor}"
    systems = shutil.which(name, path="/usr/bin:/usr/local/bin")
    own = Path(sys.executable).resolve()
    return [Path(systems).resolve(), own] if systems else [own]


def _places() -> list[Path]:
    """Return the folders of syswatch and of its dependencies."""
    ours = Path(syswatch.__file__).parents[1]
    return [ours, *(Path(place) for place in sys.path if place.endswith("-packages"))]
