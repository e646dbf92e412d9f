"""The verdict in lines of limited width, of which the first tells what matters most."""

import re
from collections.abc import Callable, Iterator

from syswatch.base.cells import cells, first_cells, last_cells

_INDENT = "  "
_MORE = "…"
# Not within parentheses.
_BETWEEN_CLAUSES = re.compile(r"(?<=;) (?![^()]*\))")
_BETWEEN_PARTS = re.compile(r"(?<=,) (?![^()]*\))")
_THREADS = re.compile(r" \([^()]* threads\)")
_FURTHER_DETAILS = re.compile(r" \(([^(),]*), [^()]*\)(?=[;,]?$)")
_DETAILS = re.compile(r" \([^()]*\)(?=[;,]?$)")
# A long name is cut to this, which still tells which one it is.
_LEAST_NAME = 24


def verdict_lines(sentence: str, width: int | None) -> list[str]:
    """
    Return a verdict in lines that fit, broken between its clauses and their parts.

    The first line has the largest state and what explains it, in fewer words if necessary.
    """
    if width is None or cells(sentence) <= width:
        return [sentence]
    clause, *others = _BETWEEN_CLAUSES.split(sentence)
    if others and ": " not in clause:
        # The number of calls, where nothing else is known.
        clause = f"{clause} {others.pop(0)}"
    parts = _BETWEEN_PARTS.split(clause)
    end = _end_of_main(parts)
    lines = [_fitting(" ".join(parts[:end]), width)]
    for each in filter(None, (" ".join(parts[end:]), *others)):
        if cells(lines[-1]) + 1 + cells(each) <= width:
            lines[-1] = f"{lines[-1]} {each}"
        else:
            lines += [_INDENT + line for line in _filled(each, width - len(_INDENT))]
    return lines


def _end_of_main(parts: list[str]) -> int:
    """Return how many parts the first line must have: the largest state and its first reason."""
    main = next((place for place, part in enumerate(parts) if ": " in part), 0)
    return main + 2


def _filled(clause: str, width: int) -> Iterator[str]:
    """Yield the lines of a clause, with as many of its parts as fit."""
    line, *parts = [_fitting(part, width) for part in _BETWEEN_PARTS.split(clause)]
    for part in parts:
        if cells(line) + 1 + cells(part) <= width:
            line = f"{line} {part}"
        else:
            yield line
            line = part
    yield line


def _fitting(text: str, width: int) -> str:
    """Return a text in fewer words, if it is too long; what is needed least goes first."""
    for shorten in _WAYS:
        if cells(text) <= width:
            return text
        text = shorten(text, width)
    return cut_end(text, width)


def cut_end(text: str, width: int) -> str:
    """Return a text without its end, if it is too long."""
    return text if cells(text) <= width else f"{first_cells(text, width - 1)}{_MORE}"


def with_short_names(text: str, width: int) -> str:
    """Return a text with the longest names cut in the middle, if it is too long."""
    for word in sorted(text.split(), key=cells, reverse=True):
        length = max(cells(word) - max(cells(text) - width, 0), _LEAST_NAME)
        if cells(word) > length:
            # The end of a path tells more than its beginning.
            begin = (length - 1) // 3
            end = last_cells(word, length - 1 - begin)
            text = text.replace(word, f"{first_cells(word, begin)}{_MORE}{end}", 1)
    return text


_WAYS: tuple[Callable[[str, int], str], ...] = (
    lambda text, _: text.replace(" of it ", " ", 1),
    lambda text, _: _FURTHER_DETAILS.sub(r" (\1)", text),
    lambda text, _: text.replace("about ", "~"),
    with_short_names,
    lambda text, _: _DETAILS.sub("", text),
    lambda text, _: _THREADS.sub("", text),
)
