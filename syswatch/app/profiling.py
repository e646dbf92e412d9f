"""`syswatch profile`: what is done with profiles and evidence once they are known."""

import os
from collections.abc import Iterator
from contextlib import suppress
from typing import Final

import attrs

from syswatch.app.interruption import end_on_signals
from syswatch.app.output_file import Output
from syswatch.app.profile_inputs import ProfileError, ProfileReader, machine
from syswatch.base.streams import print_message, write_all
from syswatch.base.text import escape_text
from syswatch.comparison.sources import SourceError
from syswatch.options.config import Profiling
from syswatch.profiles.actions import LOG
from syswatch.profiles.basis import Basis
from syswatch.profiles.checking import Check, Refusal, check
from syswatch.profiles.differing import Difference, differ
from syswatch.profiles.formats.outcome import FormatError
from syswatch.profiles.formats.registry import write_made_of
from syswatch.profiles.merging import MergeError, merge_profiles
from syswatch.profiles.phrases import of_conditions
from syswatch.profiles.profile import Profile
from syswatch.profiles.refused_calls import lines_of

FAILED: Final = 2
_DIFFERENT: Final = 1
_STDERR: Final = 2
_NOTHING: Final = Basis()


def run(profiling: Profiling) -> int:
    """Do what needs no command; return the exit status."""
    end_on_signals()
    return attempt(profiling, _NOTHING)


def attempt(profiling: Profiling, traced: Basis) -> int:
    """Do a task with the evidence of a command, or of the inputs; return the exit status."""
    try:
        return _done(profiling, traced)
    except (SourceError, FormatError, MergeError, ProfileError) as error:
        print_message(str(error))
    except OSError as error:
        print_message(f"{error.filename or profiling.output}: {error.strerror}")
    return FAILED


def _done(profiling: Profiling, traced: Basis) -> int:
    reader = ProfileReader(profiling)
    if profiling.task == "write":
        found = traced + reader.calls(profiling.inputs)
        _write_profile(reader.made(found), profiling, found)
        return 0
    if profiling.task == "check":
        # Before the inputs, which may take long.
        profile = reader.answering(profiling.profiles[0])
        reader.check_level()
        found = traced + reader.calls(profiling.inputs)
        checked = check(profile, found.evidence, machine())
        _write("\n".join(_of_check(checked, found)) + "\n", profiling)
        return checked.status
    profiles = [reader.profile(name) for name in profiling.profiles]
    reader.check_level()
    if profiling.task == "merge":
        _write_profile(merge_profiles(profiles), profiling, _NOTHING)
        return 0
    difference = differ(*profiles)
    _write("\n".join(_of_difference(difference)) + "\n", profiling)
    return 0 if difference.is_empty else _DIFFERENT


def _write_profile(profile: Profile, profiling: Profiling, found: Basis) -> None:
    if profiling.log_only and not profile.default.permits:
        profile = attrs.evolve(profile, default=LOG)
    written = write_made_of(found, profile, profiling.format, machine())
    for loss in written.losses:
        print_message(f"{profiling.format} does not express everything: {loss}")
    _write_bytes(written.content, profiling)


def _write(text: str, profiling: Profiling) -> None:
    _write_bytes(os.fsencode(text), profiling)


def _write_bytes(content: bytes, profiling: Profiling) -> None:
    if profiling.output == "-" and profiling.traced is not None:
        # Standard output is that of the command.
        with suppress(BrokenPipeError):
            write_all(_STDERR, content)
        return
    with suppress(BrokenPipeError), Output(profiling.output) as out:
        out.write(content)


def _of_check(checked: Check, found: Basis) -> Iterator[str]:
    yield f"{checked.sentence}."
    for each in checked.refusals:
        yield f"  {escape_text(each.sentence)}"
        for line in lines_of(found.occurrences, each.key, is_alone=_is_alone(each, found)):
            yield f"    {escape_text(line)}"
    if checked.missing and checked.refusals:
        yield f"  every program needs these, which are refused, too: {', '.join(checked.missing)}"
    if checked.refused_before:
        yield f"{checked.refused_before} more calls were refused already when they were seen."


def _is_alone(refusal: Refusal, found: Basis) -> bool:
    """Return whether all such calls of a program have the same arguments."""
    own = refusal.key._replace(values=(), refused=False)
    return sum(key._replace(values=(), refused=False) == own for key in found.evidence) == 1


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
