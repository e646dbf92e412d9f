"""Masking what must not leave the tracer."""

import re
from collections.abc import Iterable, Iterator

import attrs

from syswatch.base.text import inert

from .secrets import SECRETS

MASK = "[redacted]"
# Stands behind a text that has been cut.
CUT = '"...'
# Stands for the patterns of what looks like a secret.
PRESET = "secrets"


class RedactionError(Exception):
    """A pattern that cannot be used; the message is one sentence for its writer."""


@attrs.frozen
class _Rule:
    """A pattern; where it has groups, what they match is masked, and else the whole match."""

    pattern: re.Pattern[str]
    # One of these, in small letters, is in every text that the pattern may match.
    marks: tuple[str, ...] = ("",)
    groups: tuple[str, ...] = ()

    def spans(self, text: str) -> Iterator[tuple[int, int]]:
        """Yield what is to be masked."""
        for match in self.pattern.finditer(text):
            yield next((match.span(name) for name in self.groups if match[name]), match.span())


class Redactor:
    """Replaces whatever one of the patterns matches; without a pattern it costs nothing."""

    def __init__(self, patterns: Iterable[str]) -> None:
        """Compile the patterns; a bad one raises RedactionError."""
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
        """Return whether there is anything to mask."""
        return bool(self._rules)

    def masked_from(self, text: str, cut: int) -> int | None:
        """
        Return where the first match begins that a cut would part; None where there is none.

        What is known of the text may end in the middle of a secret as well.
        """
        text += CUT
        spans = (span for rule in self._fitting(text) for span in rule.spans(text))
        return min((start for start, end in spans if start < cut < end), default=None)

    def _fitting(self, text: str) -> list[_Rule]:
        """Return the rules that may match: looking for a mark costs far less than a search."""
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
    try:
        compiled = re.compile(pattern)
    except re.error as problem:
        raise RedactionError(
            f"--redact {pattern} is not a regular expression: {problem}."
        ) from None
    if (shown := inert(pattern)) != pattern:
        raise RedactionError(
            f"--redact {shown} holds a character that is shown escaped, so it would mask nothing: "
            "match the escape instead."
        )
    if compiled.match(""):
        raise RedactionError(
            f"--redact {pattern} matches the empty text, so it would mask nothing."
        )
    return compiled
