"""`syswatch profile`: what is done with profiles and evidence once they are known."""

import os
import platform
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Final

from syswatch.app.interruption import end_on_signals
from syswatch.app.output_file import Output
from syswatch.base.streams import print_message
from syswatch.base.text import escape_text
from syswatch.comparison.sources import SourceError, read_evidence
from syswatch.model.evidence import Evidence, add_evidence
from syswatch.options.config import Profiling
from syswatch.profiles.architectures import ARCHITECTURES
from syswatch.profiles.argument_rules import Level
from syswatch.profiles.checking import Answering, Check, check
from syswatch.profiles.differing import Difference, differ
from syswatch.profiles.formats.bwrap import Filter
from syswatch.profiles.formats.outcome import FormatError, Target
from syswatch.profiles.formats.registry import WRITERS, read_any
from syswatch.profiles.merging import MergeError, merge_profiles
from syswatch.profiles.needs import Wanted, needed
from syswatch.profiles.phrases import of_conditions
from syswatch.profiles.profile import Profile

FAILED: Final = 2
_DIFFERENT: Final = 1
_LARGEST_PROFILE: Final = 16 << 20


class _ProfileError(Exception):
    """A profile that cannot be read or used; the message is a sentence for the user."""


def run(profiling: Profiling) -> int:
    """Do what needs no command; return the exit status."""
    end_on_signals()
    return attempt(profiling, {})


def attempt(profiling: Profiling, traced: Evidence) -> int:
    """Do a task with the evidence of a command, or of the inputs; return the exit status."""
    try:
        return _done(profiling, traced)
    except (SourceError, FormatError, MergeError, _ProfileError) as error:
        print_message(str(error))
    except OSError as error:
        print_message(f"{error.filename or profiling.output}: {error.strerror}")
    return FAILED


def _done(profiling: Profiling, traced: Evidence) -> int:
    if profiling.task == "diff":
        before, after = (_profile(name) for name in profiling.profiles)
        difference = differ(before, after)
        _write("\n".join(_of_difference(difference)) + "\n", profiling)
        return 0 if difference.is_empty else _DIFFERENT
    if profiling.task == "merge":
        _write_profile(merge_profiles([_profile(name) for name in profiling.profiles]), profiling)
        return 0
    if profiling.task == "check":
        # Before the inputs, which may take long.
        profile = _answering(profiling.profiles[0])
        found = check(profile, _evidence(profiling, traced), _machine())
        _write("\n".join(_of_check(found)) + "\n", profiling)
        return found.status
    wanted = Wanted(Level(profiling.level), _machine())
    _write_profile(needed(_evidence(profiling, traced), wanted), profiling)
    return 0


def _evidence(profiling: Profiling, traced: Evidence) -> Evidence:
    """Return the sum of the evidence of all inputs, or that of the command."""
    sum_ = traced
    for source in profiling.inputs:
        evidence, notes = read_evidence(source)
        for note in notes:
            print_message(f"{source}: calls may be missing: {note}")
        sum_, _ = add_evidence(sum_, evidence)
    return sum_


def _machine() -> str:
    """Return the architecture of this machine."""
    machine = platform.machine()
    if machine not in ARCHITECTURES:
        raise _ProfileError(f"profile: the architecture {machine} is not supported")
    return machine


def _answering(name: str) -> Answering:
    """Return the profile of a file, or its filter; say what could not be read."""
    with Path(name).open("rb") as file:
        content = file.read(_LARGEST_PROFILE + 1)
    if len(content) > _LARGEST_PROFILE:
        raise _ProfileError(f"{name}: a profile has at most {_LARGEST_PROFILE >> 20} MiB")
    try:
        found = read_any(content, Target(_machine()))
    except FormatError as error:
        raise _ProfileError(f"{name}: {escape_text(str(error))}") from error
    if isinstance(found, Filter):
        return found
    for note in found.notes:
        print_message(f"{name}: {escape_text(note)}")
    return found.profile


def _profile(name: str) -> Profile:
    found = _answering(name)
    if not isinstance(found, Profile):
        raise _ProfileError(f"{name}: a binary filter can be checked, but not merged or compared")
    return found


def _write_profile(profile: Profile, profiling: Profiling) -> None:
    written = WRITERS[profiling.format](profile)
    for loss in written.losses:
        print_message(f"{profiling.format} does not express everything: {loss}")
    _write_bytes(written.content, profiling)


def _write(text: str, profiling: Profiling) -> None:
    _write_bytes(os.fsencode(text), profiling)


def _write_bytes(content: bytes, profiling: Profiling) -> None:
    if profiling.output == "-" and profiling.traced is not None:
        # Standard output is that of the command.
        with suppress(OSError):
            sys.stderr.buffer.write(content)
            sys.stderr.flush()
        return
    with suppress(BrokenPipeError), Output(profiling.output) as out:
        out.write(content)


def _of_check(found: Check) -> Iterator[str]:
    yield f"{found.sentence}."
    for each in found.refusals:
        yield f"  {escape_text(each.sentence)}"
    if found.missing and found.refusals:
        yield f"  every program needs these, which are refused, too: {', '.join(found.missing)}"
    if found.refused_before:
        yield f"{found.refused_before} more calls were refused already when they were seen."


def _of_difference(found: Difference) -> Iterator[str]:
    if found.is_empty:
        yield "Both profiles permit the same."
        return
    added = sorted({rule.call for rule in found.added})
    removed = sorted({rule.call for rule in found.removed})
    yield f"Calls that are permitted more freely: {len(added)}, less freely: {len(removed)}."
    for danger in found.new_dangers:
        yield f"  {danger.call} weakens the sandbox: {danger.why}"
    for sign, rules in (("+", found.added), ("-", found.removed)):
        for rule in rules:
            yield f"  {sign} {escape_text(rule.call)}: {of_conditions(rule.call, rule.conditions)}"
    for sign, names in (("+", found.added_architectures), ("-", found.removed_architectures)):
        for name in names:
            yield f"  {sign} architecture {name}"
    if found.defaults:
        yield f"  everything else: {found.defaults[0]} before, {found.defaults[1]} after"
