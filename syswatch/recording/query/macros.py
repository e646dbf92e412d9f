"""Functions that queries may use, beside those of DuckDB."""

from collections.abc import Callable, Iterator
from typing import Final

from syswatch.model.catalog import names, openers
from syswatch.tracer.objects.targets import target_of
from syswatch.tracer.objects.ways import Moved

# What each is for: the documentation lists them from here.
MEANINGS: Final = {
    "time_text(ns)": "nanoseconds with a unit, such as `1.5 ms`",
    "reads(name)": "whether bytes of such a call were read",
    "writes(name)": "whether bytes of such a call were written, and not also read",
    "opens(name)": "whether such a call opens files",
}
_TIME_TEXT: Final = """CREATE MACRO time_text(ns) AS CASE
    WHEN ns IS NULL THEN NULL
    WHEN ns >= 1_000_000_000 THEN round(ns / 1e9, 3)::VARCHAR || ' s'
    WHEN ns >= 1_000_000 THEN round(ns / 1e6, 3)::VARCHAR || ' ms'
    WHEN ns >= 1000 THEN round(ns / 1e3, 3)::VARCHAR || ' µs'
    ELSE ns::VARCHAR || ' ns' END"""


def macros() -> Iterator[str]:
    """Yield the statements that create the functions."""
    yield _TIME_TEXT
    yield _group("reads", lambda name: Moved.IN in target_of(name).moved)
    yield _group("writes", lambda name: target_of(name).moved is Moved.OUT)
    yield _group("opens", openers().__contains__)


def _group(macro: str, holds: Callable[[str], bool]) -> str:
    listed = ", ".join(f"'{name}'" for name in sorted(_known()) if holds(name))
    # The names of calls of other architectures end with it.
    return f"CREATE MACRO {macro}(name) AS split_part(name, '@', 1) IN ({listed})"


def _known() -> set[str]:
    return {name for each in ("x86_64", "i386", "aarch64") for name in names(each).values()}
