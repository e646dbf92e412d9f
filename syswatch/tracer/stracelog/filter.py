"""What of a log is counted and shown, where that is not everything."""

import os
import platform

import attrs

from syswatch.base.redaction import Redactor
from syswatch.base.text import inert
from syswatch.model.filters import traced_names
from syswatch.model.messages import FilterOptions

from .arguments import paths, with_short_strings
from .grammar import LoggedCall
from .line_format import word


@attrs.define
class LogFilter:
    """Decides as a living trace does, and hides what it would hide."""

    options: FilterOptions = attrs.field(factory=FilterOptions)
    names: frozenset[str] | None = attrs.field(init=False)
    redact: Redactor = attrs.field(init=False)
    _paths: frozenset[str] = attrs.field(init=False)

    def __attrs_post_init__(self) -> None:
        """Understand the options; a FilterError says what cannot be understood."""
        self.names = traced_names(self.options.trace, platform.machine())
        self.redact = Redactor(self.options.redact)
        named = self.options.paths
        self._paths = frozenset(named) | frozenset(map(os.path.realpath, named))

    @property
    def admits_everything(self) -> bool:
        """Return whether nothing is left out."""
        return self.names is None and not (self.options.status or self._paths)

    @property
    def needs_arguments(self) -> bool:
        """Return whether a call must be parsed before it is known to be wanted."""
        return bool(self._paths)

    def admits_row(self, name: bytes, errno: bytes) -> bool:
        """Return whether a call that returned is wanted, as far as name and result tell."""
        return self.admits_name(word(name)) and self._admits_result(failed=bool(errno))

    def admits_name(self, name: str) -> bool:
        """Return whether calls of this name are wanted."""
        return self.names is None or name in self.names

    def admits(self, call: LoggedCall) -> bool:
        """Return whether a call is wanted."""
        if not self.admits_name(call.name):
            return False
        if not call.returned:
            return not self.options.status and self._admits_paths(call)
        return self._admits_result(failed=bool(call.errno)) and self._admits_paths(call)

    @property
    def hides_nothing(self) -> bool:
        """Return whether nothing is hidden of what is wanted."""
        options = self.options
        return options.read_arguments and options.string_limit is None and not self.redact

    def shown(self, call: LoggedCall) -> LoggedCall:
        """Return a call as it may be shown."""
        if self.hides_nothing:
            return call
        args, ret = self.args(call.name, call.args), self._redacted(call.ret)
        return attrs.evolve(call, args=args, ret=ret)

    def args(self, name: str, args: bytes) -> bytes:
        """Return the arguments of a call as they may be shown."""
        if not self.options.read_arguments:
            return b""
        # Before anything is cut: what is left of a secret would no longer match.
        args = self._redacted(args)
        limit = self.options.string_limit
        return args if limit is None else with_short_strings(name, args, limit)

    def text(self, raw: bytes) -> str:
        """Return bytes of a log that are not a call as they may be shown."""
        return self.redact(inert(raw)) if self.options.read_arguments else ""

    def _admits_result(self, *, failed: bool) -> bool:
        return not self.options.status or failed == (self.options.status == "failed")

    def _admits_paths(self, call: LoggedCall) -> bool:
        return not self._paths or any(path in self._paths for path in paths(call.name, call.args))

    def _redacted(self, raw: bytes) -> bytes:
        return self.redact(inert(raw)).encode() if self.redact else raw
