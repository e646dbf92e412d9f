"""Tests of the choice of the backend, and of the line that announces it."""

import attrs
from twisted.trial.unittest import SynchronousTestCase

from syswatch.machine.capabilities import Facts
from syswatch.model.backends import AUTO, BACKENDS, PTRACE, Backend, Capability
from syswatch.model.messages import Attach, RunCommand
from syswatch.options import UsageError, action
from syswatch.tracer import choice
from syswatch.tracer.choice import choose
from syswatch.tracer.errors import UnsupportedError
from tests.machine.test_doctor import ROOT, USER
from tests.model.test_backends import JOBS

_VALUES = {
    "--by": "pod",
    "--trace": "read",
    "--status": "failed",
    "--trace-path": "/etc",
    "--cgroup": "/",
}


class ChoiceTests(SynchronousTestCase):
    """All capabilities with all backends."""

    def on(self, facts: Facts) -> None:
        """Pretend to be on a machine with these facts."""
        self.patch(choice, "read_facts", lambda **_: facts)

    def test_requested(self) -> None:
        """A requested backend is used if it has what the job needs, and is an error if not."""
        for backend in BACKENDS:
            for capability, job in JOBS.items():
                asked = request(job, backend.name)
                if capability in backend.capabilities:
                    self.assertIs(backend, choose(asked).backend)
                    continue
                error = self.assertRaises(UnsupportedError, choose, asked)
                other = next(each for each in BACKENDS if each is not backend)
                self.assertRegex(
                    str(error),
                    f"^{capability.option} is not available with --backend {backend.name} "
                    rf"\(use --backend {other.name}(, or record with --record [\w -]+)?\)$",
                )

    def test_options(self) -> None:
        """An option is refused beside a backend that lacks what it needs, and else accepted."""
        for backend in BACKENDS:
            for capability in filter(lambda each: each.option, Capability):
                complaint = parse(backend, capability)
                if capability in backend.capabilities:
                    self.assertEqual("", complaint, capability)
                else:
                    self.assertIn(f"not available with --backend {backend.name}", complaint)

    def test_auto(self) -> None:
        """The cheapest usable backend is used; the line has the reason and the cost."""
        job = request(RunCommand(("true",)), AUTO)
        self.on(ROOT)
        self.assertEqual(
            "backend ebpf (available); it adds about 0.2 µs to every system call on "
            "this machine while it runs",
            choose(job).notice,
        )
        self.on(USER)
        self.assertEqual(
            "backend ptrace (eBPF is not usable: it needs CAP_BPF and CAP_PERFMON); it adds tens "
            "of microseconds to each traced call",
            choose(job).notice,
        )

    def test_required(self) -> None:
        """What only one backend can do needs that backend, whatever the machine allows."""
        self.on(USER)
        for capability, job in JOBS.items():
            chosen = choose(request(job, AUTO))
            (able,) = (each for each in BACKENDS if capability in each.capabilities)
            self.assertIs(able, chosen.backend)
            self.assertIn(f"required by {capability.option}", chosen.notice)

    def test_refused(self) -> None:
        """After a refusal the next backend is used, unless the first was requested or needed."""
        self.on(ROOT)
        refusals = {"ebpf": "eBPF cannot be used: too old."}
        chosen = choose(request(RunCommand(("true",)), AUTO), refusals)
        self.assertIs(PTRACE, chosen.backend)
        self.assertEqual("eBPF cannot be used: too old", chosen.reason)
        refusals["ptrace"] = "ptrace cannot be used"
        for job in (
            request(RunCommand(("true",)), AUTO),
            request(RunCommand(("true",)), "ebpf"),
            request(JOBS[Capability.COUNTS_MODE], AUTO),
        ):
            self.assertRaises(UnsupportedError, choose, job, refusals)

    def test_no_notice(self) -> None:
        """A requested backend that costs other processes nothing needs no notice."""
        job = RunCommand(("true",))
        self.assertEqual("", choose(request(job, "ptrace")).notice)
        self.assertIn("requested", choose(request(job, "ebpf")).notice)


def request(job: RunCommand | Attach, backend: str) -> RunCommand | Attach:
    """Return a job with a backend."""
    return attrs.evolve(job, options=attrs.evolve(job.options, backend=backend))


def parse(backend: Backend, capability: Capability) -> str:
    """Parse a command line with a backend and an option; return the error."""
    of_many = {Capability.CONTROL_GROUP, Capability.WHOLE_MACHINE, Capability.GROUPS}
    whole = capability in of_many
    command = ["attach"] if whole else ["run"]
    if capability is Capability.GROUPS:
        command.append("--all")
    words = capability.option.split()
    if capability.option in _VALUES:
        words.append(_VALUES[capability.option])
    try:
        action([*command, *words, "--backend", backend.name, *([] if whole else ["true"])])
    except UsageError as error:
        return str(error)
    return ""
