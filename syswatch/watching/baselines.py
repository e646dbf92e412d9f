"""
Baselines: what a test did, in a file that people review.

Only what does not vary by itself is kept: counts, no times and no bytes.  Names are aligned, and
directories that differ by machine are replaced, so that a file is the same for all who run a test.
"""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import attrs

from syswatch.base.toml import TomlError, parsed
from syswatch.comparison.change import Comparison
from syswatch.comparison.changes import changes
from syswatch.comparison.of_delta import run_of_delta
from syswatch.comparison.run import Figure, Kind, Run, Subject
from syswatch.model.delta import Delta
from syswatch.model.messages import Started

from .errors import WatchError

# What a directory is called in baselines.
Places = Mapping[str, str]
_HEADER = "# System calls of {title}; pytest --syscalls-update rewrites this file.\n"
_TABLES = {
    "calls": Kind.CALL,
    "errors": Kind.ERROR,
    "paths": Kind.PATH,
    "peers": Kind.PEER,
    "programs": Kind.PROGRAM,
}
# Of these, what each call did is compared.
_BY_CALL = (Kind.PEER,)
_BARE = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-")


def counts_of(delta: Delta, name: str, backend: str = "", places: Places | None = None) -> Run:
    """Return the counts that are compared, as a run."""
    renamed = _renamed(delta, places or {})
    run = run_of_delta(renamed, name, started=Started(backend))
    figures = {
        subject: {Figure.COUNT: values[Figure.COUNT]}
        for subject, values in run.figures.items()
        if _is_kept(subject) and values.get(Figure.COUNT)
    }
    return attrs.evolve(run, figures=figures, histograms={})


def compare(before: Run, after: Run) -> Comparison:
    """Return what changed."""
    return changes([before], [after])


def written(run: Run, title: str) -> str:
    """Return the text of a baseline."""
    return "\n".join((_HEADER.format(title=title), *_tables(run)))


def read(file: Path) -> Run:
    """Return the run of a baseline; a WatchError if the file is damaged."""
    try:
        document = parsed(file.read_text("utf-8"))
        return Run(str(file), dict(_figures(document)))
    except (TomlError, UnicodeDecodeError, TypeError, ValueError) as error:
        raise WatchError(f"{file} is not a baseline of system calls: {error}") from None


def _is_kept(subject: Subject) -> bool:
    if subject.kind in _BY_CALL:
        return bool(subject.call)
    return subject.kind in _TABLES.values()


def _renamed(delta: Delta, places: Places) -> Delta:
    """Replace directories that differ by machine."""
    ordered = sorted(places.items(), key=lambda place: -len(place[0]))

    def rename(path: str) -> str:
        for folder, title in ordered:
            if path == folder or path.startswith(f"{folder}/"):
                return title + path.removeprefix(folder)
        return path

    def renamed(counts: Mapping[str, int]) -> Mapping[str, int]:
        found: dict[str, int] = {}
        for path, count in counts.items():
            found[rename(path)] = found.get(rename(path), 0) + count
        return found

    return attrs.evolve(
        delta,
        paths=renamed(delta.paths),
        failed_paths=renamed(delta.failed_paths),
        objects={
            number: attrs.evolve(info, name=rename(info.name))
            for number, info in delta.objects.items()
        },
    )


def _tables(run: Run) -> Iterator[str]:
    """Yield a table for each kind of subject that there is."""
    for title, kind in _TABLES.items():
        rows: dict[str, dict[str, int]] = {}
        for subject, values in run.figures.items():
            if subject.kind is kind:
                rows.setdefault(subject.name, {})[subject.call] = values[Figure.COUNT]
        if rows:
            lines = [f"{_key(name)} = {_value(counts)}" for name, counts in sorted(rows.items())]
            yield "\n".join((f"[{title}]", *lines, ""))


def _value(counts: Mapping[str, int]) -> str:
    if set(counts) == {""}:
        return str(counts[""])
    return "{ " + ", ".join(f"{_key(call)} = {n}" for call, n in sorted(counts.items())) + " }"


def _key(name: str) -> str:
    # A string of JSON is one of TOML, except that the latter does not allow this character.
    is_bare = name and _BARE.issuperset(name)
    return name if is_bare else json.dumps(name, ensure_ascii=False).replace("\x7f", "\\u007f")


def _figures(document: Mapping[str, Any]) -> Iterator[tuple[Subject, Mapping[Figure, int]]]:
    for title, rows in document.items():
        if title not in _TABLES or not isinstance(rows, dict):
            raise ValueError(f"there is no table [{title}]")
        for name, value in rows.items():
            counts = value if isinstance(value, dict) else {"": value}
            for call, count in counts.items():
                if not isinstance(count, int):
                    raise TypeError(f"{title}.{name}: {count!r} is not a number of calls")
                yield Subject(_TABLES[title], name, call), {Figure.COUNT: count}
