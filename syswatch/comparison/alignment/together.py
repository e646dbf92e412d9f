"""
Aligns the names that only a comparison of the runs shows to differ by themselves.

Names that all runs have identify something and are kept.  The others are replaced by their shapes;
and where each run of a side has a name that no other run has at the same place, any such name at
that place stands for the same.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from syswatch.comparison.run import Figure, Figures, Kind, Subject

from .paths import NAME, SIGN, shape_of_path
from .peers import shape_of_peer

Tables = Sequence[Mapping[Subject, Figures]]
_SHAPES = {
    Kind.PATH: shape_of_path,
    Kind.FILE: shape_of_path,
    Kind.PROGRAM: shape_of_path,
    Kind.PEER: shape_of_peer,
}


# Stands for the missing part of a path; no text has it.
_GAP = "\0"


class _Named(NamedTuple):
    kind: Kind
    name: str


# The runs that have each name, as a bit for each.
_Found = Mapping[_Named, int]
_Names = Mapping[_Named, str]


def aligned_together(before: Tables, after: Tables) -> tuple[Tables, Tables, Mapping[Subject, str]]:
    """Return the figures of both sides with names that can be compared, and real names of them."""
    tables = (*before, *after)
    found = _occurrences(tables)
    sides = [(1 << len(before)) - 1, ((1 << len(after)) - 1) << len(before)]
    every = sides[0] | sides[1]
    originals = found.keys()
    names: dict[_Named, str] = {}
    for step in (_by_shape, _by_fit, _by_place):
        new = step({named: runs for named, runs in found.items() if runs != every}, found, sides)
        names = {named: new.get(_Named(named.kind, name), name) for named, name in names.items()}
        names = {named: name for named, name in new.items() if named in originals} | names
        found = _moved(found, new)
    signed = {named: name for named, name in names.items() if name != named.name}
    examples: dict[Subject, str] = {}
    for named, name in signed.items():
        subject = Subject(named.kind, name)
        examples[subject] = min(examples.get(subject, named.name), named.name)
    renamed = [_renamed(table, signed) for table in tables]
    return renamed[: len(before)], renamed[len(before) :], examples


def _occurrences(tables: Tables) -> _Found:
    found: dict[_Named, int] = {}
    for run, table in enumerate(tables):
        bit = 1 << run
        for kind, name, call in table:
            if not call and kind in _SHAPES:
                named = _Named(kind, name)
                found[named] = found.get(named, 0) | bit
    return found


def _moved(found: _Found, names: _Names) -> _Found:
    """Return the occurrences with some names replaced."""
    if not names:
        return found
    moved: dict[_Named, int] = {}
    for named, runs in found.items():
        name = names.get(named)
        new = named if name is None else _Named(named.kind, name)
        moved[new] = moved.get(new, 0) | runs
    return moved


def _by_shape(loose: _Found, _found: _Found, _sides: Sequence[int]) -> _Names:
    """Replace names by their shapes where runs have different names of the same shape."""
    shapes: dict[_Named, dict[_Named, int]] = {}
    for named, runs in loose.items():
        shape = _SHAPES[named.kind](named.name)
        if shape != named.name:
            shapes.setdefault(_Named(named.kind, shape), {})[named] = runs
    return {
        named: shape.name
        for shape, group in shapes.items()
        if len(set(group.values())) > 1
        for named in group
    }


def _by_fit(loose: _Found, found: _Found, _sides: Sequence[int]) -> _Names:
    """Replace names that fit a shape of other runs; a random name may look like a word."""
    shapes: dict[tuple[Kind, str], list[str]] = {}
    for kind, name in found:
        if NAME in name:
            for frame, part in _frames(name):
                if NAME in part:
                    shapes.setdefault((kind, frame), []).append(part)
    names: dict[_Named, str] = {}
    for named in loose if shapes else ():
        for frame, part in _frames(named.name) if SIGN not in named.name else ():
            fitting = [each for each in shapes.get((named.kind, frame), ()) if _fits(part, each)]
            if fitting:
                names[named] = frame.replace(_GAP, min(fitting))
                break
    return names


def _frames(name: str) -> Iterator[tuple[str, str]]:
    """Yield the rest of a path and the part that is missing there, for each of its parts."""
    parts = name.split("/")
    for index, part in enumerate(parts):
        if part:
            yield "/".join((*parts[:index], _GAP, *parts[index + 1 :])), part


def _fits(part: str, shape: str) -> bool:
    """Return whether a part of a path could be one whose random characters are a word."""
    pattern = re.escape(shape).replace(re.escape(NAME), r"\w{6,12}")
    return re.fullmatch(pattern, part) is not None


def _by_place(loose: _Found, _found: _Found, sides: Sequence[int]) -> _Names:
    """Replace names that differ in each run of a side, at the leftmost place where they do."""
    varying = [side for side in sides if side.bit_count() > 1]
    own = {named: run for named, run in loose.items() if run.bit_count() == 1}
    if not varying or not own:
        return {}
    places: dict[_Named, int] = {}
    for named, run in own.items():
        for place in _places(named):
            places[place] = places.get(place, 0) | run
    names: dict[_Named, str] = {}
    for named in own:
        for place in _places(named):
            if any(places[place] & side == side for side in varying):
                names[named] = place.name
                break
    return names


def _places(named: _Named) -> Iterator[_Named]:
    """Yield the name with one part after the other replaced."""
    separator = ":" if named.kind is Kind.PEER and "/" not in named.name else "/"
    parts = named.name.split(separator)
    for index, part in enumerate(parts):
        if part:
            rest = _extension(part) if index == len(parts) - 1 and separator == "/" else ""
            changed = [*parts[:index], NAME + rest, *parts[index + 1 :]]
            yield _Named(named.kind, separator.join(changed))


def _extension(part: str) -> str:
    stem, dot, extension = part.rpartition(".")
    return dot + extension if stem and extension.isalpha() else ""


def _renamed(table: Mapping[Subject, Figures], names: _Names) -> Mapping[Subject, Figures]:
    """Return the figures with some names replaced; those of the same name are added."""
    # There may be 100 000 subjects, of which few have such a name.
    replaced = {named.name for named in names}
    moving = [
        (subject, name)
        for subject in table
        if subject[1] in replaced and (name := names.get(_Named(subject.kind, subject.name)))
    ]
    if not moving:
        return table
    renamed = dict(table)
    moved = [(subject._replace(name=name), renamed.pop(subject)) for subject, name in moving]
    for subject, figures in moved:
        known = renamed.get(subject)
        renamed[subject] = figures if known is None else _sum(known, figures)
    return renamed


def _sum(one: Figures, other: Figures) -> Figures:
    figures: Iterable[Figure] = dict.fromkeys((*one, *other))
    return {figure: one.get(figure, 0) + other.get(figure, 0) for figure in figures}
