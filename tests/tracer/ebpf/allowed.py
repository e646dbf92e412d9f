"""Whether eBPF can be used where the tests run."""

from functools import cache
from unittest import SkipTest

from syswatch.machine.capabilities import read_facts
from syswatch.machine.doctor import ebpf_verdict


@cache
def require_ebpf() -> None:
    """Skip a test where eBPF is not allowed, and say why."""
    verdict = ebpf_verdict(read_facts(traceme=lambda: 0))
    if not verdict.usable:
        raise SkipTest(f"eBPF is not usable here: {verdict.why}")
