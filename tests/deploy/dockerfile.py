"""The Dockerfile, as stages of instructions."""

import fnmatch
import json
import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import attrs

from tests.docs.pages import CHECKOUT

FOLDER = CHECKOUT / "deploy" / "docker"
DOCKERFILE = FOLDER / "Dockerfile"
_INSTRUCTION = re.compile(r"^([A-Z]+) (.*)$", re.MULTILINE)
_CHECK = re.compile(r"^(?:--\S+ +)*CMD (.*)$")


@attrs.frozen
class Instruction:
    """An instruction and its arguments, in one line."""

    name: str
    arguments: str

    @property
    def words(self) -> list[str]:
        """The arguments as a shell splits them."""
        return shlex.split(self.arguments)

    @property
    def flags(self) -> dict[str, str]:
        """The options of the instruction, without those of its command."""
        flags = {}
        for word in self.words:
            if not word.startswith("--"):
                break
            name, _, value = word.removeprefix("--").partition("=")
            flags[name] = value
        return flags


@attrs.frozen
class Stage:
    """What is done to one image."""

    base: str
    name: str
    instructions: tuple[Instruction, ...]

    def all_of(self, name: str) -> list[Instruction]:
        """Return the instructions of one kind."""
        return [each for each in self.instructions if each.name == name]

    def last_of(self, name: str) -> str:
        """Return the arguments of the last instruction of a kind; empty for none."""
        found = self.all_of(name)
        return found[-1].arguments if found else ""

    @property
    def entry_point(self) -> list[str]:
        """The command that the arguments of `docker run` are added to."""
        return command(self.last_of("ENTRYPOINT"))

    @property
    def health_check(self) -> list[str]:
        """The command that tells whether the server works."""
        match = _CHECK.match(self.last_of("HEALTHCHECK"))
        return command(match[1]) if match else []


def command(text: str) -> list[str]:
    """Return a command in either form: a list in JSON, or a line for the shell."""
    if text.startswith("["):
        words: list[str] = json.loads(text)
        return words
    return ["/bin/sh", "-c", text]


def stages(path: Path = DOCKERFILE) -> list[Stage]:
    """Return the stages of a Dockerfile, in order."""
    made: list[Stage] = []
    for instruction in _instructions(path.read_text()):
        if instruction.name == "FROM":
            base, _, name = instruction.arguments.partition(" AS ")
            made.append(Stage(base, name, ()))
        else:
            last = made[-1]
            made[-1] = attrs.evolve(last, instructions=(*last.instructions, instruction))
    return made


def _instructions(text: str) -> Iterator[Instruction]:
    lines = "\n".join(line for line in text.splitlines() if not line.startswith("#"))
    for name, arguments in _INSTRUCTION.findall(lines.replace("\\\n", " ")):
        yield Instruction(name, arguments.strip())


def ignored(folder: str, names: list[str]) -> set[str]:
    """Return which files of a directory of the checkout are not part of the build."""
    lines = (FOLDER / "Dockerfile.dockerignore").read_text().splitlines()
    patterns = [line for line in lines if line and not line.startswith("#")]
    place = Path(folder).relative_to(CHECKOUT)
    return {name for name in names if any(_matches(place / name, each) for each in patterns)}


def _matches(path: Path, pattern: str) -> bool:
    anywhere = pattern.removeprefix("**/")
    if anywhere != pattern:
        return fnmatch.fnmatch(path.name, anywhere)
    return fnmatch.fnmatch(str(path), pattern)
