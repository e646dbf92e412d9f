"""Filters and redaction of the calls of a log."""

import os
import platform
from collections.abc import Sequence

import attrs

from syswatch.base.classes import define
from syswatch.base.redaction import Redactor
from syswatch.base.text import escape_text
from syswatch.model.filters import traced_names
from syswatch.model.messages import FilterOptions

from .arguments import paths, with_short_strings
from .grammar import LoggedCall
from .line_format import ERRNO, NAME, Row, name_of


@define
class LogFilter:
    """Selects and masks calls as the tracing of a program does."""

    options: FilterOptions = attrs.field(factory=FilterOptions)
    names: frozenset[str] | None = attrs.field(init=False)
    redact: Redactor = attrs.field(init=False)
    # With what links among them lead to.
    paths: frozenset[str] = attrs.field(init=False)

    def __attrs_post_init__(self) -> None:
        """Parse the options; raise FilterError if one is invalid."""
        self.names = traced_names(self.options.trace, platform.machine())
        self.redact = Redactor(self.options.redact)
        named = self.options.paths
        self.paths = frozenset(named) | frozenset(map(os.path.realpath, named))

    @property
    def admits_everything(self) -> bool:
        """Return whether all calls are counted."""
        return self.names is None and not (self.options.status or self.paths)

    @property
    def needs_arguments(self) -> bool:
        """Return whether the arguments of every call must be parsed."""
        return bool(self.paths) or self.options.profile

    def admits_row(self, name: bytes, errno: bytes) -> bool:
        """Return whether calls of this name and result are counted."""
        return self.admits_name(name_of(name)) and self._admits_result(failed=bool(errno))

    def admitted(self, rows: list[Row]) -> list[Row]:
        """Return those of some complete calls that are counted."""
        if self.admits_everything:
            return rows
        return [row for row in rows if self.admits_row(row[NAME], row[ERRNO])]

    def rejected(self, rows: Sequence[Row]) -> dict[int, None]:
        """Return the indexes of the complete calls that are not counted."""
        if self.admits_everything:
            return {}
        return {
            index: None
            for index, row in enumerate(rows)
            if row[NAME] and not self.admits_row(row[NAME], row[ERRNO])
        }

    def admits_name(self, name: str) -> bool:
        """Return whether calls of this name are counted."""
        return self.names is None or name in self.names

    def admits(self, call: LoggedCall) -> bool:
        """Return whether a call is counted."""
        if not self.admits_name(call.name):
            return False
        if not call.returned:
            return not self.options.status and self._admits_paths(call)
        return self._admits_result(failed=bool(call.errno)) and self._admits_paths(call)

    @property
    def hides_nothing(self) -> bool:
        """Return whether calls are shown as they are in the log."""
        options = self.options
        return options.read_arguments and options.string_limit is None and not self.redact

    def shown(self, call: LoggedCall) -> LoggedCall:
        """Return a call with secrets masked and strings cut."""
        if self.hides_nothing:
            return call
        return attrs.evolve(call, args=self.args(call.name, call.args), ret=self.ret(call.ret))

    def args(self, name: str, args: bytes) -> bytes:
        """Return the arguments of a call with secrets masked and strings cut."""
        if not self.options.read_arguments:
            return b""
        # Mask before cutting: the rest of a secret would no longer match.
        args = self.ret(args)
        limit = self.options.string_limit
        return args if limit is None else with_short_strings(name, args, limit)

    def text(self, raw: bytes) -> str:
        """Return bytes of a log that are not a call, escaped and with secrets masked."""
        return self.redact(escape_text(raw)) if self.options.read_arguments else ""

    def _admits_result(self, *, failed: bool) -> bool:
        return not self.options.status or failed == (self.options.status == "failed")

    def _admits_paths(self, call: LoggedCall) -> bool:
        return not self.paths or any(path in self.paths for path in paths(call.name, call.args))

    def ret(self, raw: bytes) -> bytes:
        """Return a result with secrets masked."""
        return self.redact(escape_text(raw)).encode() if self.redact else raw
