"""What every sub-command can do, and what the flags before it mean for it."""

import sys
from collections.abc import Mapping
from importlib.metadata import version
from typing import NoReturn

from twisted.python import usage

from syswatch.base.streams import print_output
from syswatch.settings.access import Token

from . import checks


class BaseOptions(usage.Options):
    """Options whose flags may stand before the sub-command as well."""

    synopsis: str
    # Flags that may be repeated, and the attributes that have their values.
    repeated: Mapping[str, str] = {}

    def getSynopsis(self) -> str:
        """Return the whole line; Twisted would put those of the commands before it in front."""
        return self.synopsis

    def opt_help(self) -> NoReturn:
        """Display this help and exit."""
        _print_and_exit(str(self))

    def opt_version(self) -> NoReturn:
        """Print the version and exit."""
        _print_and_exit(f"syswatch {version('syswatch')}")

    def given(self, name: str) -> str | None:
        """Return a flag as it was given, the one behind the sub-command before the other."""
        if self.get(name) not in (None, 0):
            return str(self[name])
        before = self.parent
        return before.given(name) if isinstance(before, BaseOptions) else None

    def has(self, name: str) -> bool:
        """Return whether a flag was given."""
        return self.given(name) is not None

    def flags(self) -> list[str]:
        """Return the names of all flags, those that may be repeated included."""
        return [*self.keys(), *self.repeated]

    def given_or(self, name: str, default: str) -> str:
        """Return a flag as it was given, be it empty, or else what holds without it."""
        value = self.given(name)
        return default if value is None else value

    def token(self, flag: str) -> Token | None:
        """Return a token; an empty one is a mistake, such as an unset shell variable."""
        secret, file = self.given(flag), self.given(f"{flag}-file")
        if file is not None:
            flag = f"{flag}-file"
            secret = checks.first_line(flag, file)
        if secret is None:
            return None
        if not secret.strip():
            raise usage.UsageError(f"--{flag}: the token is empty")
        return Token(secret.strip().encode(errors="surrogateescape"))


def _print_and_exit(text: str) -> NoReturn:
    sys.exit(print_output(f"{text}\n"))
