"""Masking of secrets before they leave the tracer."""

import re
from collections.abc import Iterable, Iterator

from syswatch.base.text import escape_text

from .classes import frozen
from .secrets import SECRETS

MASK = "[redacted]"
# The end of a text that has been cut.
CUT = '"...'
# The argument of --redact that selects the patterns of `secrets`.
PRESET = "secrets"


class RedactionError(Exception):
    """An invalid pattern; the message is one sentence for the user."""


@frozen
class _Rule:
    """A pattern, which masks its groups, or the whole match if it has none."""

    pattern: re.Pattern[str]
    # Every text that the pattern can match holds one of these, in lower case.
    marks: tuple[str, ...] = ("",)
    groups: tuple[str, ...] = ()

    def spans(self, text: str) -> Iterator[tuple[int, int]]:
        """Yield the spans to mask."""
        for match in self.pattern.finditer(text):
            yield next((match.span(name) for name in self.groups if match[name]), match.span())


class Redactor:
    """Replaces what the patterns match; without patterns it costs nothing."""

    def __init__(self, patterns: Iterable[str]) -> None:
        """Compile the patterns; raise RedactionError for an invalid one."""
        self._rules = [rule for pattern in patterns for rule in _rules(pattern)]
        self._by_mark: dict[str, list[int]] = {}
        for index, rule in enumerate(self._rules):
            for mark in rule.marks:
                self._by_mark.setdefault(mark, []).append(index)

    def __call__(self, text: str) -> str:
        """Return the text with every match masked."""
        if not self._rules:
            return text
        for rule in self._fitting(text):
            text = _masked(text, rule.spans(text))
        return text

    def __bool__(self) -> bool:
        """Return whether there are patterns."""
        return bool(self._rules)

    def masked_from(self, text: str, cut: int) -> int | None:
        """
        Return where the first match begins that a cut would split, or None.

        The text may itself end in the middle of a secret.
        """
        text += CUT
        spans = (span for rule in self._fitting(text) for span in rule.spans(text))
        return min((start for start, end in spans if start < cut < end), default=None)

    def _fitting(self, text: str) -> list[_Rule]:
        """Return the rules that may match: finding a mark is far cheaper than a search."""
        lowered = text.lower()
        found = {
            index for mark in self._by_mark if mark in lowered for index in self._by_mark[mark]
        }
        return [self._rules[index] for index in sorted(found)]


def _masked(text: str, spans: Iterator[tuple[int, int]]) -> str:
    pieces, at = [], 0
    for start, end in spans:
        pieces += [text[at:start], MASK]
        at = end
    return "".join([*pieces, text[at:]]) if pieces else text


def _rules(pattern: str) -> Iterator[_Rule]:
    if pattern != PRESET:
        yield _Rule(_compiled(pattern))
        return
    for secret in SECRETS:
        compiled = re.compile(secret.expression, re.DOTALL)
        yield _Rule(compiled, secret.marks, tuple(compiled.groupindex))


def _compiled(pattern: str) -> re.Pattern[str]:
    invalid = f"invalid pattern '{escape_text(pattern)}'"
    try:
        compiled = re.compile(pattern)
    except re.error as problem:
        raise RedactionError(f"{invalid}: {problem}") from None
    if escape_text(pattern) != pattern:
        raise RedactionError(f"{invalid}: arguments are shown escaped, so match the escape instead")
    if compiled.match(""):
        raise RedactionError(f"{invalid}: it matches the empty string")
    return compiled
