"""Ink: what a kind of text looks like on a terminal that has colours."""

from collections.abc import Callable

Paint = Callable[[str, str], str]

_CODES = {"title": "1", "dim": "2", "failing": "31", "slow": "33", "live": "34"}


def coloured(text: str, ink: str) -> str:
    """Write in colour."""
    return f"\x1b[{_CODES[ink]}m{text}\x1b[0m" if ink in _CODES else text


def plain(text: str, ink: str) -> str:  # noqa: ARG001  the same form as `coloured`
    """Write without colour."""
    return text
