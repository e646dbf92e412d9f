"""Making the profile of what was seen, with the files of this machine."""

import attrs

from syswatch.base.classes import frozen

from .argument_rules import Level
from .basis import Basis
from .libraries import likely_of
from .needs import Wanted, needed
from .profile import Profile


@frozen
class Made:
    """A profile, and sentences on what its level could not add."""

    profile: Profile
    notes: tuple[str, ...] = ()


def make(basis: Basis, wanted: Wanted) -> Made:
    """Return the profile; the broad level reads the programs and libraries that were loaded."""
    if wanted.level is not Level.BROAD:
        return Made(needed(basis.evidence, wanted))
    likely = likely_of(basis.loaded)
    profile = needed(basis.evidence, attrs.evolve(wanted, likely=likely.calls))
    return Made(profile, tuple(f"likely calls are missing: {each}" for each in likely.notes))
