"""What writing and reading a profile result in."""

from syswatch.base.classes import frozen
from syswatch.profiles.profile import Profile


class FormatError(Exception):
    """A profile that can't be read or written; the message is a sentence for the user."""


@frozen
class Written:
    """A profile in a format, and sentences on what the format can't express."""

    content: bytes
    losses: tuple[str, ...] = ()


@frozen
class Loaded:
    """A profile from a file, and sentences on what could not be read."""

    profile: Profile
    notes: tuple[str, ...] = ()


@frozen
class Target:
    """Where a profile is used, on which profiles for several machines depend."""

    architecture: str
    # The capabilities that the program can have, as CAP_NET_RAW.
    capabilities: frozenset[str] = frozenset()
    # The version of the kernel.
    kernel: tuple[int, int] = (6, 1)
