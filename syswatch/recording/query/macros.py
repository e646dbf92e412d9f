"""Functions that queries may use, beside those of DuckDB."""

from collections.abc import Callable, Iterable, Iterator
from typing import Final

from syswatch.model.catalog import names, openers
from syswatch.recording.exits import EXITS
from syswatch.tracer.objects.targets import target_of
from syswatch.tracer.objects.ways import Moved

# What each is for: the documentation lists them from here.
MEANINGS: Final = {
    "time_text(ns)": "nanoseconds with a unit, such as `1.5 ms`",
    "counted(number, noun)": "a number of things in words, such as `1 call` or `2 calls`",
    "reads(name)": "whether bytes of such a call were read",
    "writes(name)": "whether bytes of such a call were written, and not also read",
    "opens(name)": "whether such a call opens files",
    "end_of(name, pid, start, recording)": "when a call of `unfinished` ended without returning:"
    " with its process, or at once if it is `exit` or `exit_group`; NULL if it did not",
}
_TIME_TEXT: Final = """CREATE MACRO time_text(ns) AS CASE
    WHEN ns IS NULL THEN NULL
    WHEN ns >= 1_000_000_000 THEN round(ns / 1e9, 3)::VARCHAR || ' s'
    WHEN ns >= 1_000_000 THEN round(ns / 1e6, 3)::VARCHAR || ' ms'
    WHEN ns >= 1000 THEN round(ns / 1e3, 3)::VARCHAR || ' µs'
    ELSE ns::VARCHAR || ' ns' END"""
_COUNTED: Final = """CREATE MACRO counted(number, noun) AS
    number::VARCHAR || ' ' || noun || CASE number WHEN 1 THEN '' ELSE 's' END"""
# PIDs are reused: the process is the first one with the PID that ended after the call began.  Its
# columns are qualified, and renamed: otherwise those of `unfinished` or of the process, which have
# the same names, would be taken for each other.
_END_OF: Final = """CREATE MACRO end_of(name, pid, start, recording) AS CASE
    WHEN split_part(name, '@', 1) IN ({exits}) THEN start
    ELSE (SELECT min(ended_at) FROM (
            SELECT p.pid AS ended_pid, p."end" AS ended_at, p.recording AS ended_in
            FROM processes AS p)
        WHERE ended_pid = pid AND ended_at >= start AND ended_in = recording) END"""


def macros() -> Iterator[str]:
    """Yield the statements that create the functions."""
    yield _TIME_TEXT
    yield _COUNTED
    yield _END_OF.format(exits=_listed(EXITS))
    yield _group("reads", lambda name: Moved.IN in target_of(name).moved)
    yield _group("writes", lambda name: target_of(name).moved is Moved.OUT)
    yield _group("opens", openers().__contains__)


def _group(macro: str, holds: Callable[[str], bool]) -> str:
    listed = _listed(filter(holds, _known()))
    # The names of calls of other architectures end with it.
    return f"CREATE MACRO {macro}(name) AS split_part(name, '@', 1) IN ({listed})"


def _listed(texts: Iterable[str]) -> str:
    return ", ".join(f"'{name}'" for name in sorted(texts))


def _known() -> set[str]:
    return {name for each in ("x86_64", "i386", "aarch64") for name in names(each).values()}
