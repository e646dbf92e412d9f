"""Runs and budgets for tests."""

from collections.abc import Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import attrs
from hypothesis import strategies as st

from syswatch.checking.budget import Budget
from syswatch.checking.evaluation import evaluate
from syswatch.checking.observed import Observed, observe
from syswatch.checking.reading import read_budget
from syswatch.checking.result import Finding, Result
from syswatch.comparison.facts import CallFacts, Counts, Facts, ObjectFacts, PathFacts
from syswatch.comparison.run import Run
from syswatch.comparison.tabulate import run_of_facts
from syswatch.model.histogram import Histogram
from syswatch.model.ledger import Ledger
from syswatch.model.objects import ObjectKind


def call(name: str, count: int, waiting_ns: int = 0, **errnos: int) -> CallFacts:
    """Return the facts of a call that was timed."""
    return CallFacts(
        name,
        count,
        sum(errnos.values()),
        errnos,
        waiting_ns=waiting_ns,
        histogram=Histogram.of([1000] * count),
    )


def thing(kind: ObjectKind, name: str, host: str = "", **calls: tuple[int, ...]) -> ObjectFacts:
    """Return the facts of an object; of each call its count, errors, bytes in and bytes out."""
    counts = {each: Counts(*numbers) for each, numbers in calls.items()}
    return ObjectFacts(kind, name, host, 0, 0, counts)


def a_run(*facts: CallFacts | ObjectFacts | PathFacts, **others: Any) -> Run:
    """Return a run with calls, objects and paths."""
    whole = Facts(
        calls=[each for each in facts if isinstance(each, CallFacts)],
        objects=[each for each in facts if isinstance(each, ObjectFacts)],
        paths=[each for each in facts if isinstance(each, PathFacts)],
        elapsed_ns=1,
    )
    return run_of_facts(attrs.evolve(whole, **others), "a run")


def budget_of(text: str, name: str = "syswatch.toml") -> Budget:
    """Return the budget of a text; raise BudgetError."""
    with TemporaryDirectory() as folder:
        file = Path(folder, name)
        file.write_text(text, "utf-8")
        return read_budget(file)


def check(text: str, run: Run | Observed, *baselines: Run) -> Result:
    """Return the result of checking a run against the text of a budget."""
    observed = run if isinstance(run, Observed) else observe(run)
    return evaluate(budget_of(text), observed, baselines)


def check_one(text: str, run: Run | Observed, *baselines: Run) -> Finding:
    """Return the only finding."""
    (finding,) = check(text, run, *baselines).findings
    return finding


_NAMES = ("openat", "read", "write", "connect", "futex", "execve", "clone3", "mmap")
_ERRNOS = ("ENOENT", "EAGAIN", "ECONNREFUSED")
_OBJECTS = (
    (ObjectKind.FILE, "/etc/hosts"),
    (ObjectKind.PATH, "/usr/bin/[ 1"),
    (ObjectKind.TCP, "10.0.0.1:443"),
    (ObjectKind.TCP, "127.0.0.1 -> :8080"),
    (ObjectKind.TCP, "[::1]:40000"),
    (ObjectKind.UNIX, "/run/x.sock"),
    (ObjectKind.UNIX, "socket 6 of sh (1)"),
)


@st.composite
def runs(draw: st.DrawFn) -> Run:
    """Draw a run without losses."""
    names = draw(st.lists(st.sampled_from(_NAMES), unique=True))
    calls = []
    for name in names:
        errnos: Mapping[str, int] = draw(
            st.dictionaries(st.sampled_from(_ERRNOS), st.integers(1, 50), max_size=2)
        )
        count = sum(errnos.values()) + draw(st.integers(1, 500))
        calls.append(call(name, count, draw(st.integers(0, 10**11)), **errnos))
    objects = [
        thing(
            kind,
            name,
            "",
            **{
                each: (draw(st.integers(1, 40)), 0, *draw(st.tuples(_SIZES, _SIZES)))
                for each in draw(st.lists(st.sampled_from(names), unique=True, max_size=3))
            },
        )
        for kind, name in draw(st.lists(st.sampled_from(_OBJECTS), unique=True))
        if names
    ]
    return a_run(*calls, *objects)


_SIZES = st.integers(0, 1 << 40)
LOSSES = Ledger(lost_events=3)
