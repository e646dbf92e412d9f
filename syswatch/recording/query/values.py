"""The values of a result as plain ones, which JSON has: no digit of a time is lost."""

import math
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from decimal import Decimal
from itertools import islice
from typing import Any

from syswatch.base.text import escape_text
from syswatch.model.times import SECOND_NS
from syswatch.recording.extra import load

from .errors import QueryError

# Nanoseconds, and the digits after the second.
_UNITS = {"s": (SECOND_NS, 0), "ms": (1_000_000, 3), "us": (1000, 6), "ns": (1, 9)}

_LARGEST = 1 << 63


def rows_of(batch: Any) -> Iterator[tuple[Any, ...]]:
    """Yield the rows of a batch of Arrow; raise QueryError for values that cannot be shown."""
    columns = (_shown(field.name, each) for field, each in zip(batch.schema, batch, strict=True))
    return zip(*columns, strict=True)


def _shown(name: str, column: Any) -> list[Any]:
    """Return the plain values of a column of a result, which may have any type of DuckDB."""
    try:
        return _values(column)
    except (ValueError, OverflowError, load("pyarrow").ArrowException) as error:
        raise QueryError(
            f"the column '{escape_text(name)}' has values that cannot be shown: cast it to VARCHAR"
        ) from error


def _values(column: Any) -> list[Any]:
    """Return the plain values of a column."""
    arrow = load("pyarrow")
    types = arrow.types
    if types.is_fixed_size_list(column.type):
        column = column.cast(arrow.list_(column.type.value_type))
    kind = column.type
    if types.is_timestamp(kind):
        unit_ns, digits = _UNITS[kind.unit]
        return _each(column.cast("int64"), lambda value: time_text(value * unit_ns, digits))
    if types.is_integer(kind) or types.is_boolean(kind):
        return list(column.to_pylist())
    # Arrow converts no times with nanoseconds that are within other values.
    if types.is_map(kind):
        return _values(column.cast(_entries(arrow, kind)))
    if types.is_list(kind) or types.is_large_list(kind):
        items = iter(_values(column.flatten()))
        lengths = column.value_lengths().to_pylist()
        return [None if each is None else list(islice(items, each)) for each in lengths]
    if types.is_struct(kind):
        return _objects(column)
    return _each(column, _plain)


def _entries(arrow: Any, kind: Any) -> Any:
    """Return the type of a map as a list of keys with their values."""
    key = arrow.field("key", kind.key_type, nullable=False)
    entry = arrow.struct([key, arrow.field("value", kind.item_type)])
    return arrow.list_(arrow.field("entries", entry, nullable=False))


def _objects(column: Any) -> list[dict[str, Any] | None]:
    names = [field.name for field in column.type]
    rows = zip(*map(_values, column.flatten()), strict=True)
    return [
        dict(zip(names, row, strict=True)) if is_valid else None
        for row, is_valid in zip(rows, column.is_valid().to_pylist(), strict=True)
    ]


def _each(column: Any, convert: Callable[[Any], Any]) -> list[Any]:
    return [None if value is None else convert(value) for value in column.to_pylist()]


def time_text(time_ns: int, digits: int = 9) -> str:
    """Return a time in UTC, with so many digits after the second."""
    seconds, fraction = divmod(time_ns, SECOND_NS)
    try:
        text = f"{datetime.fromtimestamp(seconds, UTC):%Y-%m-%dT%H:%M:%S}"
    except (OverflowError, ValueError, OSError):  # Beyond the year 9999.
        return str(time_ns)
    return f"{text}.{fraction:09}"[: len(text) + bool(digits) + digits] + "Z"


def _plain(value: Any) -> Any:
    """Return a value as a number or a text."""
    if isinstance(value, Decimal):
        return _number(value)
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if hasattr(value, "nanoseconds"):
        return _interval(value)
    return value if isinstance(value, str | int) else str(value)


def _number(value: Decimal) -> int | float | str:
    """Return a decimal as a number; one that is too large for those who read it as a text."""
    if value != value.to_integral_value():
        return float(value)
    return int(value) if abs(value) < _LARGEST else str(value)


def _interval(value: Any) -> str:
    """Return a span of time, which has months and days if the calendar was asked for."""
    parts = [f"{value.months} months"] if value.months else []
    parts += [f"{value.days} days"] if value.days else []
    if value.nanoseconds or not parts:
        parts.append(f"{Decimal(value.nanoseconds) / SECOND_NS:f} s")
    return " ".join(parts)
