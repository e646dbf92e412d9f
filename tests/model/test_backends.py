"""Tests of what the sources declare."""

from collections.abc import Mapping

from twisted.trial.unittest import SynchronousTestCase

from syswatch.model import backends
from syswatch.model.backends import BACKENDS, SOURCES, Capability, find_backend, needed_by
from syswatch.model.messages import Attach, RunCommand, TraceOptions

JOBS: Mapping[Capability, RunCommand | Attach] = {
    Capability.COUNTS_MODE: RunCommand(("true",), options=TraceOptions(mode="counts")),
    Capability.CONTROL_GROUP: Attach(group="/"),
    Capability.WHOLE_MACHINE: Attach(everybody=True),
    Capability.GROUPS: Attach((1,), options=TraceOptions(group_by="pod")),
}


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
