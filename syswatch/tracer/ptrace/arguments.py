"""Arguments as text: the decoders where they may read the target, plain numbers where not."""

from typing import Protocol

from syswatch.model.messages import TraceOptions

from .memory import ProcessMemory


class Formatter(Protocol):
    """Makes text of the arguments of calls of one architecture."""

    def needs_entry(self, name: str) -> bool:
        """Say whether something of the arguments is lost when the call returns."""

    def capture(self, name: str, args: tuple[int, ...], memory: ProcessMemory) -> object:
        """Read, at the entry, what is lost later."""

    def format(  # noqa: PLR0913  what a call is made of
        self,
        name: str,
        args: tuple[int, ...],
        ret: int,
        is_error: bool,  # noqa: FBT001  as the kernel's structure has it
        memory: ProcessMemory,
        captured: object,
    ) -> str:
        """Return what strace would print between the parentheses."""

    def path(self, name: str, args: tuple[int, ...], memory: ProcessMemory) -> str | None:
        """Return the path that a call of the open family was given."""


class RawFormatter:
    """Shows numbers, and reads nothing from the target."""

    def needs_entry(self, name: str) -> bool:  # noqa: ARG002
        """Registers stay."""
        return False

    def capture(self, name: str, args: tuple[int, ...], memory: ProcessMemory) -> object:  # noqa: ARG002
        """Nothing is read."""
        return None

    def format(  # noqa: PLR0913
        self,
        name: str,  # noqa: ARG002
        args: tuple[int, ...],
        ret: int,  # noqa: ARG002
        is_error: bool,  # noqa: ARG002, FBT001
        memory: ProcessMemory,  # noqa: ARG002
        captured: object,  # noqa: ARG002
    ) -> str:
        """Return the registers; how many of them a call uses is not known here."""
        return ", ".join(hex(arg) if arg else "0" for arg in args)

    def path(self, name: str, args: tuple[int, ...], memory: ProcessMemory) -> str | None:  # noqa: ARG002
        """A path is in memory, which is not read."""
        return None


def make_formatter(options: TraceOptions, architecture: str) -> Formatter:
    """Return what the options allow."""
    return RawFormatter()
