"""Masking what must not leave the tracer."""

import re
from collections.abc import Iterable

from syswatch.text import inert

MASK = "[redacted]"


class RedactionError(Exception):
    """A pattern that cannot be used; the message is one sentence for its writer."""


class Redactor:
    """Replaces whatever one of the patterns matches; without a pattern it costs nothing."""

    def __init__(self, patterns: Iterable[str]) -> None:
        """Compile the patterns; a bad one raises RedactionError."""
        self._patterns = [_compiled(pattern) for pattern in patterns]

    def __call__(self, text: str) -> str:
        """Return the text with every match masked."""
        for pattern in self._patterns:
            text = pattern.sub(MASK, text)
        return text

    def __bool__(self) -> bool:
        """Say whether there is anything to mask."""
        return bool(self._patterns)

    def masked_from(self, text: str, cut: int) -> int | None:
        """Return where the first match begins that a cut would part; None where there is none."""
        found = (match for pattern in self._patterns for match in pattern.finditer(text))
        return min((m.start() for m in found if m.start() < cut < m.end()), default=None)


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
