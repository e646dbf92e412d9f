"""Reading a budget: from TOML to entries; a mistake is one sentence with its file and line."""

import difflib
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, Final, NoReturn

import attrs

from syswatch.base.classes import frozen
from syswatch.base.toml import TomlError, parsed
from syswatch.comparison.sources import is_url

from . import patterns
from .amounts import NO_TOLERANCE, AmountError, Tolerance, Unit
from .budget import (
    NEW_KINDS,
    TOTAL,
    Ban,
    Banned,
    Budget,
    Entry,
    Maximum,
    Measure,
    NothingNew,
    Place,
)
from .errnos import KNOWN_ERRNOS, is_errno, is_known_errno
from .lines import Lines
from .patterns import HOMELESS, Pattern, PatternError
from .places import PYPROJECT, TABLE

_SIMILAR: Final = 0.6
_BYTES: Final = {"in": Measure.BYTES_IN, "out": Measure.BYTES_OUT}
_INEXACT: Final = ("fail", "warn")
_PATTERNS: Mapping[Banned, Callable[[str], Pattern]] = {
    Banned.CALLS: patterns.of_calls,
    Banned.PATHS: patterns.of_paths,
    Banned.PEERS: patterns.of_peers,
    Banned.PROGRAMS: patterns.of_programs,
}


# By the keys of tables.
Titles = Mapping[tuple[str, ...], str]


class BudgetError(Exception):
    """A mistake in a budget; the message is a sentence for the user."""


def read_budget(file: Path) -> Budget:
    """Return the budget of a file; raise BudgetError."""
    try:
        text = file.read_text("utf-8")
        document: object = parsed(text)
    except OSError as error:
        raise BudgetError(f"{file}: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise BudgetError(f"{file}: the file is not UTF-8 text") from error
    except TomlError as error:
        raise BudgetError(f"{file}: not valid TOML: {error}") from error
    reader = _Reader(file, Lines(text))
    for key in TABLE if file.name == PYPROJECT else ():
        if not isinstance(document, Mapping) or key not in document:
            raise BudgetError(f"{file}: there is no table [{'.'.join(TABLE)}]")
        document = document[key]
        reader = attrs.evolve(reader, prefix=(*reader.prefix, key))
    return reader.budget(document)


def budget_of(tables: Mapping[str, object], titles: Titles) -> Budget:
    """Return the budget of tables that are not in a file, which mistakes call by these titles."""
    return _Reader(Path(), Lines(""), titles=titles).budget(tables)


@frozen
class _Reader:
    """Reads the tables of one file, and knows where everything is in it."""

    file: Path
    lines: Lines
    # The keys that lead to the budget.
    prefix: tuple[str, ...] = ()
    # Where tables that are not in a file come from.
    titles: Titles = attrs.field(factory=dict)

    def budget(self, document: object) -> Budget:
        """Return the budget of a table."""
        tables = self._table(document, ())
        sections: dict[str, Callable[[object], Iterable[Entry]]] = {
            "calls": lambda found: self._maxima(found, Measure.CALLS, default),
            "errors": lambda found: self._maxima(found, Measure.ERRORS, default),
            "bytes": lambda found: self._bytes(found, default),
            "waiting": lambda found: self._maxima(found, Measure.WAITING, default),
            "forbidden": lambda found: self._bans(found, tables.get("allowed", {})),
            "nothing-new": self._nothing_new,
        }
        self._check_keys(tables, (), ("tolerance", "inexact", "allowed", *sections))
        default = self._tolerance(tables, (), None, NO_TOLERANCE)
        inexact = self._choice(tables.get("inexact", _INEXACT[0]), ("inexact",), _INEXACT)
        if "allowed" in tables and "forbidden" not in tables:
            self._fail(("allowed",), "[allowed] has no effect without [forbidden]")
        entries = [
            entry for key, read in sections.items() if key in tables for entry in read(tables[key])
        ]
        if not entries:
            self._fail((), "the budget is empty: nothing would be checked")
        return Budget(
            self.file,
            tuple(entries),
            inexact_fails=inexact == "fail",
            locate=lambda place: self._line(place.keys, place.element),
        )

    def _bytes(self, found: object, default: Tolerance) -> Iterator[Entry]:
        tables = self._table(found, ("bytes",))
        self._check_keys(tables, ("bytes",), tuple(_BYTES))
        for key, table in tables.items():
            yield from self._maxima(table, _BYTES[key], default)

    def _maxima(self, found: object, measure: Measure, default: Tolerance) -> Iterator[Entry]:
        """Yield the entries of a table of limits."""
        keys = tuple(measure.key.split("."))
        table = self._table(found, keys)
        usual = self._tolerance(table, keys, measure.unit, default)
        for key, value in table.items():
            if key != "tolerance":
                yield from self._limits(key, value, measure, usual)

    def _limits(
        self, key: str, value: object, measure: Measure, usual: Tolerance
    ) -> Iterator[Entry]:
        """Yield the limits of a call or a class: its own, and those of its errnos."""
        keys = (*measure.key.split("."), key)
        errno = key if self._is_errno(key, measure, keys) else ""
        calls = None if errno or key == TOTAL else self._calls(keys, key)
        whole = Maximum(Place(keys), measure, key, 0, calls, errno)
        if not isinstance(value, Mapping):
            most = self._amount(value, keys, measure.unit)
            yield attrs.evolve(whole, most=most, tolerance=usual)
            return
        table = self._table(value, keys)
        errnos = [each for each in table if self._is_errno(each, measure, (*keys, each))]
        self._check_keys(table, keys, ("max", "tolerance", *errnos))
        tolerance = self._tolerance(table, keys, measure.unit, usual)
        if "max" in table:
            most = self._amount(table["max"], (*keys, "max"), measure.unit)
            yield attrs.evolve(whole, most=most, tolerance=tolerance)
        elif not errnos:
            self._fail(keys, f"'max' is missing in {self._name(keys)}")
        for each in errnos:
            most = self._amount(table[each], (*keys, each), measure.unit)
            yield Maximum(Place((*keys, each)), measure, key, most, calls, each, tolerance)

    def _is_errno(self, word: str, measure: Measure, keys: tuple[str, ...]) -> bool:
        """Return whether a key is an errno, which only errors are counted by."""
        if measure is not Measure.ERRORS or not is_errno(word):
            return False
        if not is_known_errno(word):
            hint = difflib.get_close_matches(word, KNOWN_ERRNOS, n=1, cutoff=_SIMILAR)
            suffix = f"; did you mean '{hint[0]}'?" if hint else ""
            self._fail(keys, f"{self._name(keys)}: unknown error '{word}'{suffix}")
        return True

    def _calls(self, keys: tuple[str, ...], expression: str) -> frozenset[str] | None:
        try:
            return patterns.named_calls(expression)
        except PatternError as error:
            self._fail(keys, f"{self._name(keys)}: {error}")

    def _bans(self, found: object, allowed: object) -> Iterator[Entry]:
        """Yield what is forbidden; an exception applies to everything of its kind."""
        forbidden = self._patterns(found, "forbidden")
        exceptions = self._patterns(allowed, "allowed")
        for banned, texts in forbidden.items():
            for pattern in texts:
                place = Place(("forbidden", banned.key), pattern.text)
                yield Ban(place, banned, pattern, tuple(exceptions.get(banned, ())))
        for banned in exceptions.keys() - forbidden.keys():
            keys = ("allowed", banned.key)
            needed = self._name(("forbidden", banned.key))
            self._fail(keys, f"{self._name(keys)} has no effect without {needed}")

    def _patterns(self, found: object, section: str) -> dict[Banned, list[Pattern]]:
        table = self._table(found, (section,))
        by_key = {banned.key: banned for banned in Banned}
        self._check_keys(table, (section,), tuple(by_key))
        return {
            by_key[key]: self._list(value, section, by_key[key]) for key, value in table.items()
        }

    def _list(self, value: object, section: str, banned: Banned) -> list[Pattern]:
        keys = (section, banned.key)
        found = []
        for text in self._texts(value, keys):
            try:
                found.append(_PATTERNS[banned](text))
            except PatternError as error:
                self._fail(keys, f"{self._name(keys)}: '{text}': {error}", text)
        return found

    def _nothing_new(self, found: object) -> Iterator[Entry]:
        keys = ("nothing-new",)
        table = self._table(found, keys)
        self._check_keys(table, keys, ("since", "kinds"))
        if "since" not in table:
            self._fail(keys, "'since' is missing in [nothing-new]: the baseline, or several")
        kinds = self._texts(table.get("kinds", list(NEW_KINDS)), (*keys, "kinds"))
        for each in kinds:
            self._choice(each, (*keys, "kinds"), tuple(NEW_KINDS))
        yield NothingNew(
            Place(keys),
            tuple(map(self._source, self._texts(table["since"], (*keys, "since")))),
            frozenset(kind for each in kinds for kind in NEW_KINDS[each]),
        )

    def _source(self, text: str) -> str:
        """Return a baseline; a relative path begins at the directory of the budget."""
        if is_url(text):
            return text
        try:
            return str(self.file.parent / Path(text).expanduser())
        except RuntimeError:
            keys = ("nothing-new", "since")
            self._fail(keys, f"{self._name(keys)}: '{text}': {HOMELESS}", text)

    def _texts(self, value: object, keys: tuple[str, ...]) -> list[str]:
        texts = [value] if isinstance(value, str) else value
        if not isinstance(texts, list) or not all(isinstance(text, str) for text in texts):
            self._fail(keys, f"{self._name(keys)}: expected a string or a list of strings")
        if not texts or not all(texts):
            self._fail(keys, f"{self._name(keys)}: the value is empty")
        return texts

    def _tolerance(
        self,
        table: Mapping[str, Any],
        keys: tuple[str, ...],
        unit: Unit | None,
        default: Tolerance,
    ) -> Tolerance:
        """Return the tolerance of a table; that of the whole budget has no unit."""
        if "tolerance" not in table:
            return default
        try:
            return Tolerance.read(table["tolerance"], unit)
        except AmountError as error:
            self._refuse((*keys, "tolerance"), table["tolerance"], str(error))

    def _amount(self, value: object, keys: tuple[str, ...], unit: Unit) -> int:
        try:
            return unit.read(value)
        except AmountError as error:
            self._refuse(keys, value, str(error))

    def _choice(self, value: object, keys: tuple[str, ...], choices: tuple[str, ...]) -> str:
        if not isinstance(value, str) or value not in choices:
            hint = _hint(str(value), choices)
            self._fail(keys, f"{self._name(keys)}: invalid value {_shown(value)} ({hint})")
        return value

    def _table(self, found: object, keys: tuple[str, ...]) -> Mapping[str, Any]:
        if not isinstance(found, Mapping):
            whole = ".".join((*self.prefix, *keys))
            self._fail(keys, f"{self._name(keys) or whole} must be a table, as in [{whole}]")
        return found

    def _check_keys(
        self, table: Mapping[str, Any], keys: tuple[str, ...], accepted: tuple[str, ...]
    ) -> None:
        for key in table:
            if key not in accepted:
                where = f" in {self._name(keys)}" if keys else ""
                self._fail((*keys, key), f"unknown key '{key}'{where} ({_hint(key, accepted)})")

    def _refuse(self, keys: tuple[str, ...], value: object, expected: str) -> NoReturn:
        self._fail(keys, f"{self._name(keys)}: invalid value {_shown(value)} (expected {expected})")

    def _fail(self, keys: tuple[str, ...], sentence: str, element: str = "") -> NoReturn:
        if self.titles:
            raise BudgetError(sentence)
        line = self._line(keys, element)
        raise BudgetError(f"{self.file}:{line}: {sentence}" if line else f"{self.file}: {sentence}")

    def _name(self, keys: tuple[str, ...]) -> str:
        for table, title in self.titles.items():
            if keys[: len(table)] == table:
                return ".".join((title, *keys[len(table) :]))
        return ".".join(keys)

    def _line(self, keys: tuple[str, ...], element: str = "") -> int:
        return self.lines.line((*self.prefix, *keys), element) if self.prefix or keys else 0


def _shown(value: object) -> str:
    """Return a value as it is written in TOML, as far as people care."""
    if isinstance(value, bool):
        return str(value).lower()
    return f"'{value}'" if isinstance(value, str) else str(value)


def _hint(word: str, accepted: Iterable[str]) -> str:
    names = list(accepted)
    near = difflib.get_close_matches(word.lower(), names, n=1, cutoff=_SIMILAR)
    return f"did you mean '{near[0]}'?" if near else f"choose from {', '.join(names)}"
