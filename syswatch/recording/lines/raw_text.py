"""Arguments and results of calls whose memory was not read: numbers, flags and addresses."""

from functools import cache, partial

import attrs

from syswatch.base.classes import define
from syswatch.model.messages import TraceOptions
from syswatch.tracer.decode import Formatter

from .strace_text import failure

# Programs repeat most of their calls with the same arguments.
_MOST_TEXTS = 20_000
# What stands for arguments that were not recorded.
HIDDEN = "..."


@define
class NoMemory:
    """The memory of a process that nothing is known of, so addresses are printed."""

    def read(self, _address: int, _length: int) -> bytes:
        """Return nothing."""
        return b""

    def string(self, _address: int, _limit: int) -> bytes | None:
        """Return None: it cannot be read."""
        return None

    def link(self, _name: str) -> bytes:
        """Return nothing."""
        return b""

    def counted(self, _address: int) -> int | None:
        """Return None: nothing was counted."""
        return None

    def netlink(self, _descriptor: int) -> int | None:
        """Return None: it is not known."""
        return None


_NOTHING = NoMemory()


@define
class RawTexts:
    """Formats calls from their registers alone, and keeps the texts for equal ones."""

    _texts: dict[tuple[object, ...], tuple[str, str]] = attrs.field(factory=dict, init=False)

    def of(
        self, name: str, architecture: str, arguments: tuple[int, ...], result: int, *, failed: bool
    ) -> tuple[str, str]:
        """Return the arguments and the result, with its error, as strace would print them."""
        key = name, architecture, arguments, result, failed
        texts = self._texts.get(key)
        if texts is None:
            if len(self._texts) >= _MOST_TEXTS:
                self._texts.clear()
            texts = self._texts[key] = _texts_of(*key)
        return texts


_formatter = cache(partial(Formatter, TraceOptions()))


def _texts_of(
    name: str,
    architecture: str,
    arguments: tuple[int, ...],
    result: int,
    failed: bool,  # noqa: FBT001  as the formatter takes it
) -> tuple[str, str]:
    formatter = _formatter(architecture)
    shown = formatter.format(name, arguments, result, failed, _NOTHING)
    if failed:
        return shown, failure(result)
    return shown, formatter.result(name, arguments, result, failed, _NOTHING)
