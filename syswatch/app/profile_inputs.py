"""What `syswatch profile` reads: profiles, and the calls that they are made of or checked with."""

import os
import platform
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import attrs

from syswatch.base.classes import define
from syswatch.base.streams import print_message
from syswatch.base.text import escape_text
from syswatch.codec.recording import is_recording
from syswatch.comparison.sources import is_url
from syswatch.comparison.sources.evidence import read_all_evidence, sum_of
from syswatch.options.config import Profiling
from syswatch.profiles.architectures import ARCHITECTURES
from syswatch.profiles.argument_rules import Level
from syswatch.profiles.basis import Basis
from syswatch.profiles.capabilities import DOCKER_CAPABILITIES
from syswatch.profiles.checking import Answering
from syswatch.profiles.formats.bwrap import Filter
from syswatch.profiles.formats.outcome import FormatError, Target
from syswatch.profiles.formats.registry import read_any
from syswatch.profiles.making import make
from syswatch.profiles.needs import Wanted
from syswatch.profiles.profile import Profile
from syswatch.profiles.untraced import WITHOUT_START, begins_with_start, left_out

_LARGEST_PROFILE: Final = 16 << 20


class ProfileError(Exception):
    """A profile that cannot be read or used; the message is a sentence for the user."""


def machine() -> str:
    """Return the architecture of this machine; raise ProfileError if it is not known."""
    name = platform.machine()
    if name not in ARCHITECTURES:
        raise ProfileError(f"profile: the architecture {name} is not supported")
    return name


@define
class ProfileReader:
    """Reads profiles, or makes them of the calls of inputs."""

    profiling: Profiling
    # Whether a profile was made, for which the level counts.
    has_made: bool = attrs.field(default=False, init=False)

    def calls(self, sources: Sequence[str]) -> Basis:
        """Return the calls of all sources; what is missing is said."""
        found = []
        read = read_all_evidence(sources, self.profiling.token, self.profiling.scheduler)
        for source, each in zip(sources, read, strict=True):
            for note in each.notes:
                print_message(f"{source}: calls may be missing: {note}")
            if each.only:
                print_message(f"{source}: {left_out(each.only)}")
            found.append(each)
        if found and self.profiling.traced is None:
            _check_start(found, sources[0] if len(sources) == 1 else "")
        return sum_of(found)

    def made(self, found: Basis) -> Profile:
        """Return the profile that calls lead to, by the level that was asked for."""
        self.has_made = True
        level = Level(self.profiling.level or Level.DEFAULT)
        made = make(found, Wanted(level, machine()))
        for note in made.notes:
            print_message(f"--{level.value}: {note}")
        return made.profile

    def answering(self, name: str) -> Answering:
        """Return the profile of a file or of an input, or a filter; say what was not read."""
        # Path.is_dir() raises an error where it cannot look; opening it says why.
        if is_url(name) or os.path.isdir(name):  # noqa: PTH112
            return self.made(self.calls([name]))
        with Path(name).open("rb") as file:
            content = file.read(_LARGEST_PROFILE + 1)
        if is_recording(content):
            return self.made(self.calls([name]))
        if len(content) > _LARGEST_PROFILE:
            raise ProfileError(f"{name}: a profile has at most {_LARGEST_PROFILE >> 20} MiB")
        try:
            found = read_any(content, self._target())
        except FormatError as error:
            raise ProfileError(f"{name}: {escape_text(str(error))}") from error
        if isinstance(found, Filter):
            return found
        for note in found.notes:
            print_message(f"{name}: {escape_text(note)}")
        return found.profile

    def profile(self, name: str) -> Profile:
        """Return a profile whose rules are known."""
        found = self.answering(name)
        if not isinstance(found, Profile):
            raise ProfileError(
                f"{name}: a binary filter can be checked, but not merged or compared"
            )
        return found

    def check_level(self) -> None:
        """Raise ProfileError if the level changed nothing."""
        if self.profiling.level and not self.has_made:
            raise ProfileError(
                f"--{self.profiling.level} has no effect with profiles: give it when they are made"
            )

    def _target(self) -> Target:
        asked = self.profiling.capabilities
        capabilities = DOCKER_CAPABILITIES if asked is None else frozenset(asked)
        return Target(machine(), capabilities, self.profiling.kernel or _own_kernel())


def _check_start(found: Sequence[Basis], source: str) -> None:
    """Print a warning if no source has the start; each process of `strace -ff` is a source."""
    if not any(each.only or begins_with_start(each.evidence) for each in found):
        print_message(f"{source}: {WITHOUT_START}" if source else WITHOUT_START)


def _own_kernel() -> tuple[int, int]:
    major, minor = re.findall(r"\d+", platform.release())[:2]
    return int(major), int(minor)
