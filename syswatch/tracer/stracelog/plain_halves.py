"""Joins the plain halves of calls among consecutive lines, most of them by one look-up."""

import attrs

from syswatch.base.classes import define

from .line_format import name_of, number
from .unfinished_calls import UnfinishedCalls


@define
class PlainHalves:
    """
    Keeps the text of first halves by the PID as it is written, instead of a call for each.

    Most second halves come within a few lines.  What is left is handed to `calls` before any other
    line is fed to it, and at the end.  If there might not be room for all of them, so that the
    oldest would be dropped, they are handed over at once.
    """

    calls: UnfinishedCalls
    has_room: bool
    texts: dict[bytes, bytes] = attrs.field(factory=dict, init=False)
    # The PIDs of which `calls` has no half, written without a leading zero.
    usable: set[bytes] = attrs.field(factory=set, init=False)

    def begin(self, digits: bytes, text: bytes) -> None:
        """Keep the text of a first half, which replaces an earlier one of the same process."""
        if digits in self.usable:
            # The newest is the last one.
            self.texts.pop(digits, None)
            self.texts[digits] = text
        elif self._is_usable(digits):
            self.usable.add(digits)
            self.texts[digits] = text
        else:
            self.settle()
            self.calls.begin(number(digits), text)

    def resume(self, digits: bytes, name: bytes) -> bytes:
        """Remove and return the text of the first half of a call; nothing if there is none."""
        text = self.texts.get(digits)
        if text is not None and text.startswith(name + b"("):
            del self.texts[digits]
            return text
        pid = number(digits)
        if not (pid and self.calls.holds(pid, name_of(name))):
            self.settle()
        first = self.calls.resume(pid, name_of(name))
        return b"" if first is None else b"%s(%s" % (name, first.text)

    def settle(self) -> None:
        """Hand all first halves over."""
        for digits, text in self.texts.items():
            self.calls.begin(number(digits), text)
        self.texts.clear()
        self.usable.clear()

    def _is_usable(self, digits: bytes) -> bool:
        is_plain = bool(digits) and not digits.startswith(b"0")
        return self.has_room and is_plain and not self.calls.holds(number(digits))
