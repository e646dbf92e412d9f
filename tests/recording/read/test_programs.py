"""Tests of the programs that processes of a recording were executing."""

from pathlib import Path

from twisted.trial.unittest import SynchronousTestCase

from syswatch.codec.event_frames import Life
from syswatch.codec.frames import encode
from syswatch.codec.recording import DELTAS
from syswatch.model.delta import Delta, Span
from syswatch.model.objects import ObjectInfo, ObjectKind
from syswatch.model.process import ProcessTally
from syswatch.recording.read.evidence import evidence_of
from tests.recording.samples import BEGUN_NS, Call, write

_ENV = ObjectInfo(ObjectKind.FILE, "/usr/bin/env")
_LIFE = Life(9, BEGUN_NS, 7, "sh", "sh")
_CALLS = (
    Call(1_000, 400_000, tid=9, pid=9, name="execve", object=_ENV),
    Call(1_000_000, 1_000, tid=9, pid=9, name="getpid"),
    Call(900_000_000, 1_000, tid=9, pid=9, name="getppid"),
)


class ProgramTests(SynchronousTestCase):
    """What calls and deltas tell of a program."""

    def programs(self, *told: tuple[int, str]) -> dict[str, str]:
        """Return the programs of the calls, where deltas tell the name of the process at times."""
        folder = write(Path(self.mktemp()), _CALLS, lives=(_LIFE,))
        with (folder / DELTAS).open("ab") as file:
            for at_ns, name in told:
                span = Span(BEGUN_NS, BEGUN_NS + at_ns)
                processes = {7: ProcessTally(comm="sh"), 9: ProcessTally(comm=name)}
                file.write(encode(Delta(span=span, processes=processes)))
        return {key.call: key.program for key, _ in evidence_of(folder).rows}

    def test_executed(self) -> None:
        """A process has the name of the file that it executes."""
        self.assertEqual("env", self.programs((300_000, "sh"))["getpid"])

    def test_late(self) -> None:
        """A delta that was made before the program changed may be dated after that."""
        programs = self.programs((500_000, "sh"))
        self.assertEqual({"execve": "env", "getpid": "env", "getppid": "env"}, programs)

    def test_told(self) -> None:
        """Another name that a delta tells is newer, and so is the former one much later."""
        self.assertEqual("cat", self.programs((500_000, "cat"))["getpid"])
        self.assertEqual("sh", self.programs((800_000_000, "sh"))["getppid"])
