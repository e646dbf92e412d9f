"""Tests of what the sources declare."""

from collections.abc import Mapping
from pathlib import Path

from twisted.trial.unittest import SynchronousTestCase

from syswatch.model import backends
from syswatch.model.backends import BACKENDS, SOURCES, Capability, Source, find_backend, needed_by
from syswatch.model.messages import Attach, RunCommand, TraceOptions

JOBS: Mapping[Capability, RunCommand | Attach] = {
    Capability.COUNTS_MODE: RunCommand(("true",), options=TraceOptions(mode="counts")),
    Capability.CONTROL_GROUP: Attach(group="/"),
    Capability.WHOLE_MACHINE: Attach(everybody=True),
}


PAGE = Path(__file__).parents[2] / "docs" / "sources.rst"


def table() -> str:
    """Return the table of the documentation."""
    rows = [["Provides", "Option", *(source.title for source in SOURCES)]]
    for capability in Capability:
        option = f"`{capability.option}`" if capability.option else ""
        rows.append([capability.description, option, *(cell(capability, s) for s in SOURCES)])
    lines = [".. list-table::", "   :header-rows: 1", ""]
    for row in rows:
        marks = ["   * -", *["     -"] * (len(row) - 1)]
        lines += [f"{mark} {text}".rstrip() for mark, text in zip(marks, row, strict=True)]
    return "\n".join(lines) + "\n"


def cell(capability: Capability, source: Source) -> str:
    """Return what a source provides of a capability."""
    if capability not in source.capabilities:
        return "no"
    condition = source.conditions.get(capability)
    return condition or "yes"


class DeclarationTests(SynchronousTestCase):
    """Capabilities, sources and jobs."""

    def test_complete(self) -> None:
        """A capability that a backend lacks and an option needs is found in the job."""
        lacking = {
            capability
            for capability in Capability
            for backend in BACKENDS
            if capability.option and capability not in backend.capabilities
        }
        self.assertEqual(lacking, JOBS.keys())
        for capability, job in JOBS.items():
            self.assertEqual((capability,), needed_by(job))
        self.assertEqual((), needed_by(RunCommand(("true",))))
        self.assertEqual((), needed_by(Attach((1,))))

    def test_sources(self) -> None:
        """Only declared sources have capabilities, and conditions are about capabilities held."""
        names = {source.name for source in SOURCES}
        for capability in Capability:
            self.assertLessEqual(capability.sources, names, capability)
        for source in SOURCES:
            self.assertLessEqual(set(source.conditions), source.capabilities, source.name)

    def test_preference(self) -> None:
        """The backend that costs the target least is preferred."""
        costs = [backend.cost.per_traced_call_us for backend in BACKENDS]
        self.assertEqual(sorted(costs), costs)
        self.assertEqual(("auto", "ebpf", "ptrace"), backends.BACKEND_CHOICES)
        self.assertIs(backends.EBPF, find_backend("ebpf"))

    def test_documented(self) -> None:
        """The documentation has the table of these declarations."""
        self.assertIn(table(), PAGE.read_text())
