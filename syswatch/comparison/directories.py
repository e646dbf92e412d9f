"""Groups paths by directory, so that a few sentences tell of many files."""

from collections.abc import Callable, Iterable, Sequence
from typing import TypeVar

T = TypeVar("T")
_MOST_GROUPS = 5


def by_directory(
    items: Iterable[T], name: Callable[[T], str], most: int = _MOST_GROUPS
) -> list[tuple[str, Sequence[T]]]:
    """
    Return directories, each with the items below it; at most so many.

    If there are more, the deepest ones become one with the directory above them.
    """
    groups: dict[str, list[T]] = {}
    for item in items:
        groups.setdefault(_parent(name(item)), []).append(item)
    while len(groups) > most:
        deepest = max(map(_depth, groups))
        if not deepest:
            break
        merged: dict[str, list[T]] = {}
        for directory, members in groups.items():
            shorter = _parent(directory) if _depth(directory) == deepest else directory
            merged.setdefault(shorter, []).extend(members)
        groups = merged
    return list(groups.items())


def _parent(path: str) -> str:
    directory, slash, _ = path.rpartition("/")
    return directory or slash


def _depth(directory: str) -> int:
    return directory.rstrip("/").count("/") + bool(directory.strip("/"))
