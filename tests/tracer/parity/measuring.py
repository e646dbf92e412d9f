"""Run programs with a backend and under strace, and sum up recurring differences."""

import os
import shutil
import subprocess
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import attrs

from .accepted import Accepted
from .comparing import Difference, differences, recurring
from .programs import ENVIRONMENT, Program
from .running import Lines, Place, under_strace, under_us

# Differences that do not recur are chance: the order of events, durations.
_ROUNDS = 3


@attrs.define
class Measured:
    """The results of one backend."""

    backend: str
    accepted: tuple[Accepted, ...]
    lines: int = 0
    # Calls that are printed differently, and calls that one of the two runs did not make.
    texts: Counter[Difference] = attrs.field(factory=Counter)
    courses: Counter[Difference] = attrs.field(factory=Counter)
    # Accepted differences that were possible, because strace printed such a call, and those that
    # occurred at least once.
    possible: set[Accepted] = attrs.field(factory=set)
    seen: set[Accepted] = attrs.field(factory=set)
    left_out: list[str] = attrs.field(factory=list)

    @property
    def share(self) -> float:
        """Return the percentage of equal lines."""
        return 100 - 100 * self.texts.total() / max(self.lines, 1)

    @property
    def new(self) -> list[Difference]:
        """Return the differences that are not accepted."""
        return [each for each in self.texts if not self.reason(each)]

    @property
    def stale(self) -> list[str]:
        """Return the accepted differences that do not occur any more."""
        return sorted(each.pattern for each in self.possible - self.seen)

    def reason(self, difference: Difference) -> str:
        """Return why a difference is accepted; empty if it is not."""
        return next((each.reason for each in self.accepted if each.covers(difference)), "")

    def look(self, theirs: Lines, found: Counter[Difference]) -> None:
        """Record which accepted differences occur."""
        lines = [line for lines in theirs.values() for line in lines]
        for each in self.accepted:
            if any(map(each.matches, lines)):
                self.possible.add(each)
            if any(each.covers(difference) for difference in found if difference.is_of_text):
                self.seen.add(each)

    def is_settled(self, found: Counter[Difference]) -> bool:
        """Return whether all differences of the texts are accepted."""
        return all(self.reason(each) for each in found if each.is_of_text)

    def add(self, theirs: Lines, found: Counter[Difference]) -> None:
        """Add the lines of one program."""
        self.lines += sum(map(len, theirs.values()))
        for difference, count in found.items():
            (self.texts if difference.is_of_text else self.courses)[difference] += count

    def report(self) -> Iterator[str]:
        """Return the report, line by line."""
        yield f"{self.backend}: {self.share:.2f} % of {self.lines} lines are as strace prints them"
        yield from self.left_out
        yield from self._grouped(self.texts, "printed differently")
        yield from self._grouped(self.courses, "made in one of the two runs only")

    def _grouped(self, found: Counter[Difference], title: str) -> Iterator[str]:
        calls = Counter[str]()
        for difference, count in found.items():
            calls[difference.call] += count
        for call, total in calls.most_common():
            yield f"  {call}: {total} {title}"
            for difference, count in found.items():
                if difference.call == call:
                    reason = self.reason(difference)
                    yield f"    {count} x, accepted: {reason}" if reason else f"    {count} x"
                    yield f"      - {difference.theirs}"
                    yield f"      + {difference.ours}"


@attrs.frozen
class Bench:
    """Runs programs one after the other, each in an empty directory."""

    folder: Path
    logs: Path

    def measure(self, measured: Measured, name: str, program: Program) -> None:
        """Compare one program, as often as needed to recognize chance."""
        path = ENVIRONMENT["PATH"]
        missing = [tool for tool in program.needs if shutil.which(tool, path=path) is None]
        if missing:
            measured.left_out.append(f"  {name} left out: {', '.join(missing)} is not installed")
            return
        theirs, found = self._round(program, measured)
        for _ in range(1, _ROUNDS):
            if measured.is_settled(found):
                break
            found = recurring(found, self._round(program, measured)[1])
        measured.add(theirs, found)

    def _round(self, program: Program, measured: Measured) -> tuple[Lines, Counter[Difference]]:
        # The addresses of the program's memory must not depend on the run.
        command = ("setarch", "-R", *program.command())
        theirs = under_strace(command, self._place(program), self.logs)
        ours = under_us(command, self._place(program), measured.backend)
        found = differences(theirs, ours)
        measured.look(theirs, found)
        return theirs, found

    def _place(self, program: Program) -> Place:
        shutil.rmtree(self.folder, ignore_errors=True)
        self.folder.mkdir(parents=True)
        subprocess.run(
            ["bash", "-c", program.prepare],
            cwd=self.folder,
            env={**os.environ, **ENVIRONMENT},
            capture_output=True,
            check=True,
        )
        return Place(self.folder, ENVIRONMENT)
