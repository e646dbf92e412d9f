"""The arguments of a command, parsed but not yet checked."""

import attrs

from syswatch.base.classes import frozen

from .declaration import Command


class UsageError(Exception):
    """A mistake on the command line; the text is one sentence for the user."""


@frozen
class Arguments:
    """The options and operands of a command, and the options given before the command."""

    command: Command
    operands: tuple[str, ...] = ()
    # By the long name of an option: how it was spelled, and each of its values.
    given: dict[str, list[tuple[str, str]]] = attrs.field(factory=dict)
    before: "Arguments | None" = None
    # How many operands precede `--`, if there is one.
    separator: int | None = None

    def every(self, name: str) -> list[str]:
        """Return all values of an option, in the order in which they were given."""
        return [value for _, value in self.occurrences(name)]

    def value(self, name: str) -> str | None:
        """Return the last value of an option, or None."""
        return next(reversed(self.every(name)), None)

    def value_or_default(self, name: str) -> str:
        """Return the last value of an option, or else its default."""
        value = self.value(name)
        return self.declared_default(name) if value is None else value

    def declared_default(self, name: str) -> str:
        """Return the default of an option."""
        option = self.command.option(name)
        return "" if option is None else option.default

    def has(self, name: str) -> bool:
        """Return whether an option was given."""
        return bool(self.occurrences(name))

    def label(self, name: str) -> str:
        """Return an option as it was spelled, to name it in an error."""
        occurrences = self.occurrences(name)
        return occurrences[-1][0] if occurrences else f"--{name}"

    def occurrences(self, name: str) -> list[tuple[str, str]]:
        """Return how an option was spelled each time, and the value."""
        inherited = self.before.occurrences(name) if self.before is not None else []
        return [*inherited, *self.given.get(name, ())]
