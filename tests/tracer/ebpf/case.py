"""Test cases that need eBPF."""

import os
from collections.abc import Callable
from functools import cache
from typing import ClassVar
from unittest import SkipTest

from syswatch.machine.capabilities import read_facts
from syswatch.machine.doctor import backend_verdict
from syswatch.model.backends import EBPF
from syswatch.model.delta import Delta
from syswatch.model.messages import Attach, RunCommand, TraceOptions
from syswatch.tracer.backend import Context
from syswatch.tracer.control import Control
from syswatch.tracer.ebpf import relocation_cache
from syswatch.tracer.ebpf.following import Following
from syswatch.tracer.ebpf.libbpf import Libbpf
from syswatch.tracer.ebpf.loading import load
from syswatch.tracer.ebpf.relocated import Relocated
from syswatch.tracer.ebpf.scope import NamedProcesses, Scope
from syswatch.tracer.ebpf.trace import Trace
from syswatch.tracer.event_pipe import EventPipe
from syswatch.tracer.outbox import Outbox
from tests.tracer.contract.case import BackendCase
from tests.tracer.contract.targets import Target
from tests.tracer.harness import Outcome, run
from tests.tracer.strace import require_tracing


@cache
def require_ebpf() -> None:
    """Skip a test if eBPF is not usable, with the reason."""
    verdict = backend_verdict(EBPF, read_facts(traceme=lambda: 0))
    if not verdict.usable:
        raise SkipTest(f"eBPF is not usable here: {verdict.why}")


class EbpfCase(BackendCase):
    """Traces with eBPF."""

    backend: ClassVar[str] = "ebpf"
    require = staticmethod(require_ebpf)
    # The reading end of the pipe to the service.
    said: int

    def both(self, *command: str, **options: object) -> tuple[Outcome, Outcome]:
        """Trace a command with this backend and with ptrace."""
        require_tracing()
        with_ptrace = TraceOptions(backend="ptrace", **options)  # type: ignore[arg-type]
        return self.trace(*command, **options), run(RunCommand(command, options=with_ptrace))

    def leave_out(self, name: str) -> None:
        """Pretend that the kernel cannot load a program, so that there is another one for it."""
        find = relocation_cache.find

        def find_others(libbpf: Libbpf) -> tuple[Relocated, None]:
            relocated, _ = find(libbpf)
            others = {each: relocated.programs[each] for each in relocated.programs if each != name}
            return relocated._replace(programs=others), None

        self.patch(relocation_cache, "find", find_others)

    def watch(self, script: str, **options: object) -> Delta:
        """Return what is counted of a script from its beginning to its end."""
        target, trace = self.prepare_script(script, **options)
        trace.following.begin()
        self.assertEqual(42, target.end())
        self.assertFalse(trace.scope.is_alive(trace.program))
        return trace.reader.read(everything=True, is_last=True)

    def prepare_script(self, script: str, **options: object) -> tuple[Target, Trace]:
        """Load the program for a script, which waits until it is ended."""
        target = Target.begin("sh", "-c", f"echo ready; read line; {script}; exit 42")
        self.addCleanup(target.process.communicate)
        self.addCleanup(target.process.kill)
        trace = self.prepare(**options)
        self.addCleanup(trace.reader.close)
        trace.following.take(target.pid, 0)
        return target, trace

    def prepare(self, **options: object) -> Trace:
        """Load the program, without a service."""
        return self.prepare_recording(None, **options)

    def prepare_recording(self, events: EventPipe | None, **options: object) -> Trace:
        """Load the program, without a service, with a pipe to a recorder."""
        return self.prepare_scope(NamedProcesses(), events, **options)

    def prepare_scope(
        self,
        scope: Scope,
        events: EventPipe | None = None,
        before_reader: Callable[[Following], None] = lambda _: None,
        /,
        **options: object,
    ) -> Trace:
        """Load the program, without a service, for what is in a scope."""
        control, self.said, into = os.open(os.devnull, os.O_RDONLY), *os.pipe()
        for descriptor in (control, self.said, into):
            self.addCleanup(os.close, descriptor)
        job = Attach((), options=self.options(**options))
        context = Context(job, Outbox(into), Control(control), events=events)
        program = load(context.options, scope, records=events is not None)
        self.addCleanup(program.close)
        following = Following(program)
        before_reader(following)
        return Trace.of(following, context, scope)
