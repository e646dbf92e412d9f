"""Tests of the errors when eBPF cannot be used."""

import errno

import attrs
from twisted.trial.unittest import SynchronousTestCase

from syswatch.machine.capabilities import Facts
from syswatch.tracer.ebpf import libbpf
from syswatch.tracer.ebpf.libbpf import EbpfError, Libbpf, refusal
from tests.machine.test_doctor import ROOT


class RefusalTests(SynchronousTestCase):
    """One sentence for each missing requirement, and for unexpected errors."""

    def pretend(self, facts: Facts) -> None:
        """Pretend to be on another machine."""
        self.patch(libbpf, "read_facts", lambda **_: facts)

    def test_missing(self) -> None:
        """What is missing is reported, whatever error the kernel returns."""
        for change, expected in (
            (
                {"btf": False},
                "it needs kernel type information (BTF, /sys/kernel/btf/vmlinux). What helps",
            ),
            ({"kernel": "5.4.0"}, "it needs Linux 5.12 or newer (this is 5.4.0). What helps"),
            ({"lockdown": "confidentiality"}, "it needs a kernel without confidentiality lockdown"),
            ({"capabilities": frozenset({"CAP_BPF"})}, "it needs CAP_PERFMON. What helps"),
        ):
            self.pretend(attrs.evolve(ROOT, **change))
            for number in (errno.ESRCH, errno.EPERM, errno.EINVAL):
                self.assertIn(expected, refusal("load the program", number))

    def test_unexpected(self) -> None:
        """If nothing is missing, the error of the kernel or a possible cause is reported."""
        self.pretend(ROOT)
        self.assertEqual(
            "eBPF cannot be used: the kernel refused to load the program: not enough memory.",
            refusal("load the program", errno.ENOMEM),
        )
        self.assertIn(
            "possibly because of a security module", refusal("load the program", errno.EPERM)
        )
        self.pretend(attrs.evolve(ROOT, seccomp=2))
        self.assertIn("possibly because of a seccomp filter", refusal("load", errno.EPERM))

    def test_library(self) -> None:
        """A missing library is reported with how to install it; a broken one is named."""
        self.patch(libbpf, "SONAME", "libbpf-that-is-not-there.so.1")
        self.pretend(attrs.evolve(ROOT, libbpf=False))
        self.assertIn("apt install libbpf1", str(self.assertRaises(EbpfError, Libbpf)))
        self.pretend(ROOT)
        error = str(self.assertRaises(EbpfError, Libbpf))
        self.assertTrue(error.startswith("eBPF cannot be used: libbpf-that-is-not-there.so.1: "))
