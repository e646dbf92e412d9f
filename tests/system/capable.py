"""An interpreter with file capabilities, and an ordinary user to run it."""

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
# What has just changed its user keeps its rights until its next execve; a shell has none left.
_AS_NOBODY = (*BECOME_NOBODY, "sh", "-c", 'exec "$@"', "sh")


@attrs.frozen
class Capable:
    """A copy of an interpreter that another user may run, with the modules of this one."""

    interpreter: Path
    # Where this interpreter finds modules: their folders may lie where others may not look.
    descriptors: tuple[int, ...]
    as_nobody: Sequence[str] = _AS_NOBODY

    @classmethod
    def make(cls) -> "Capable":
        """Copy an interpreter; skip the test where none can be given capabilities."""
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
        """Give capabilities to the file, and take away all others."""
        subprocess.run(
            ["setcap", f"{capabilities}+ep", self.interpreter], check=True, capture_output=True
        )

    @property
    def environment(self) -> Mapping[str, str]:
        """What lets the copy find the modules."""
        places = ":".join(f"/proc/self/fd/{number}" for number in self.descriptors)
        return {"PYTHONPATH": places, "PYTHONDONTWRITEBYTECODE": "1"}

    @property
    def syswatch(self) -> tuple[str, ...]:
        """The words that start syswatch, for whoever is another user already."""
        return (str(self.interpreter), "-m", "syswatch")

    def run(self, *words: str, before: Sequence[str] = ()) -> "subprocess.CompletedProcess[str]":
        """Run the copy as an ordinary user."""
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
        """Leave nothing behind."""
        shutil.rmtree(self.interpreter.parent)
        for number in self.descriptors:
            os.close(number)

    def _choose(self) -> None:
        """Copy the first interpreter that works for another user, with capabilities."""
        why = ""
        for candidate in _candidates():
            shutil.copy(candidate, self.interpreter)
            self.interpreter.chmod(0o755)
            try:
                self.grant("cap_sys_ptrace,cap_bpf,cap_perfmon")
            except subprocess.CalledProcessError as error:
                raise SkipTest(f"setcap is refused: {error.stderr.decode().strip()}") from error
            tried = self.run("-c", "import syswatch.app.cli, syswatch.app.services")
            if tried.returncode == 0:
                return
            why = tried.stderr.strip().rpartition("\n")[2]
        raise SkipTest(f"no interpreter here works for another user: {why}")


def _candidates() -> list[Path]:
    """Return interpreters that fit the modules: the system's own has its library where all look."""
    name = f"python{sys.version_info.major}.{sys.version_info.minor}"
    systems = shutil.which(name, path="/usr/bin:/usr/local/bin")
    own = Path(sys.executable).resolve()
    return [Path(systems).resolve(), own] if systems else [own]


def _places() -> list[Path]:
    """Return where our package is, and the packages that it needs."""
    ours = Path(syswatch.__file__).parents[1]
    return [ours, *(Path(place) for place in sys.path if place.endswith("-packages"))]
