"""Tests of verdicts and explanations."""

import errno
from typing import Any

import attrs
from twisted.trial.unittest import TestCase

from syswatch.machine.capabilities import Facts, Target
from syswatch.machine.doctor import diagnose, explain_ptrace_denied

ALL = frozenset({"CAP_SYS_PTRACE", "CAP_BPF", "CAP_PERFMON", "CAP_SYS_ADMIN"})
ROOT = Facts(
    uid=0,
    capabilities=ALL,
    ptrace_scope=1,
    seccomp=0,
    no_new_privileges=False,
    container="",
    user_namespace=False,
    kernel="6.1.0-18-amd64",
    btf=True,
    libbpf=True,
    lockdown="none",
    strace=True,
    traceme_errno=0,
    interpreter="/usr/bin/python3.11",
)
USER = attrs.evolve(ROOT, uid=1000, capabilities=frozenset())


def usable(facts: Facts, **changes: Any) -> tuple[bool, ...]:
    """Return which ways are usable: run, attach, eBPF."""
    return tuple(verdict.usable for verdict in diagnose(attrs.evolve(facts, **changes)))


def remedies(facts: Facts, number: int, **changes: Any) -> tuple[str, ...]:
    """Return the remedies for a way of tracing."""
    return diagnose(attrs.evolve(facts, **changes))[number].remedies


class VerdictTests(TestCase):
    """Which ways are usable."""

    def test_privileges(self) -> None:
        """Root may do everything; a user may run commands, and attach if Yama allows it."""
        self.assertEqual((True, True, True), usable(ROOT))
        self.assertEqual((True, False, False), usable(USER))
        self.assertEqual((True, True, False), usable(USER, ptrace_scope=0))
        self.assertEqual((True, True, False), usable(USER, ptrace_scope=None))
        self.assertEqual((False, False, False), usable(USER, ptrace_scope=2))
        self.assertEqual((True, True, True), usable(ROOT, ptrace_scope=2))
        self.assertEqual((False, False, True), usable(ROOT, ptrace_scope=3))

    def test_relaxing_yama(self) -> None:
        """The remedies relax Yama's restriction as far as needed."""
        boot = (
            "echo kernel.yama.ptrace_scope={} | sudo tee /etc/sysctl.d/10-ptrace.conf, then reboot"
        )
        for facts, scope, to_run, to_attach in (
            (USER, 2, "sudo sysctl kernel.yama.ptrace_scope=1", "sudo syswatch …"),
            (USER, 3, boot.format(1), boot.format(0)),
            (ROOT, 3, boot.format(1), boot.format(1)),
        ):
            self.assertEqual(to_run, remedies(facts, 0, ptrace_scope=scope)[0])
            self.assertEqual(to_attach, remedies(facts, 1, ptrace_scope=scope)[0])
        for scope in (1, 2):
            relaxed = "sudo sysctl kernel.yama.ptrace_scope=0"
            self.assertEqual(relaxed, remedies(USER, 1, ptrace_scope=scope)[-1])

    def test_filters(self) -> None:
        """If PTRACE_TRACEME fails, ptrace is not usable."""
        refused = {"traceme_errno": errno.EPERM, "seccomp": 2}
        self.assertEqual((False, False, True), usable(ROOT, **refused))
        # A capability that is there does not help, nor one where no container tool set the filter.
        for facts in (ROOT, USER):
            self.assertIn("a filter that permits ptrace", remedies(facts, 0, **refused)[0])
        docker = remedies(USER, 0, container="docker", **refused)[0]
        self.assertIn("--cap-add SYS_PTRACE", docker)

    def test_traced(self) -> None:
        """The same holds if syswatch itself is traced."""
        traced = attrs.evolve(ROOT, traceme_errno=errno.EPERM, tracer_pid=77)
        self.assertEqual((False, False, True), usable(traced))
        self.assertEqual(
            "cannot trace the command: syswatch and all that it starts are already traced by "
            "process 77.",
            explain_ptrace_denied(None, traced),
        )

    def test_ebpf(self) -> None:
        """Each requirement of eBPF is checked."""
        for change in (
            {"kernel": "5.7.19"},
            {"btf": False},
            {"libbpf": False},
            {"lockdown": "confidentiality"},
            {"user_namespace": True},
            {"capabilities": frozenset({"CAP_BPF", "CAP_SYS_PTRACE"})},
        ):
            self.assertEqual((True, True, False), usable(ROOT, **change), change)
        for capabilities in ({"CAP_BPF", "CAP_PERFMON"}, {"CAP_SYS_ADMIN"}):
            self.assertTrue(usable(USER, capabilities=frozenset(capabilities))[2])

    def test_remedies_fit_environment(self) -> None:
        """The remedies fit the environment."""
        self.assertIn("sudo sysctl kernel.yama.ptrace_scope=0", remedies(USER, 1))
        self.assertIn(
            "sudo setcap cap_sys_ptrace+ep /usr/bin/python3.11"
            "  (applies to every script of this interpreter)",
            remedies(USER, 1),
        )
        root = attrs.evolve(ROOT, capabilities=frozenset())
        docker = remedies(root, 1, container="docker")
        self.assertEqual("docker run --cap-add SYS_PTRACE …", docker[0])
        kubernetes = remedies(root, 2, container="kubernetes")
        self.assertEqual(
            ('securityContext: {capabilities: {add: ["BPF", "PERFMON"]}}',), kubernetes
        )
        service = remedies(USER, 1, no_new_privileges=True)
        self.assertEqual(
            "NoNewPrivileges=no and AmbientCapabilities=CAP_SYS_PTRACE "
            "in the [Service] section of a systemd unit",
            service[0],
        )

    def test_remedies_for_users_of_containers(self) -> None:
        """Only root gets what is added to a container, and what it has need not be added."""
        podman = remedies(USER, 1, container="podman")
        self.assertEqual("podman run --user root --cap-add SYS_PTRACE …", podman[0])
        docker = remedies(USER, 2, container="docker", of_root=frozenset({"CAP_SYS_PTRACE"}))
        self.assertEqual(("docker run --user root --cap-add BPF --cap-add PERFMON …",), docker)
        has_all = remedies(USER, 2, container="docker", of_root=ALL)
        self.assertEqual(("docker exec --user root …",), has_all)
        kubernetes = remedies(USER, 2, container="kubernetes", of_root=ALL)
        self.assertEqual(
            ('securityContext: {runAsUser: 0, capabilities: {add: ["BPF", "PERFMON"]}}',),
            kubernetes,
        )


class ExplanationTests(TestCase):
    """One or two sentences about a refusal."""

    def test_attach(self) -> None:
        """The restriction is named, with what helps."""
        self.assertEqual(
            "cannot trace process 5: kernel.yama.ptrace_scope is 1 and CAP_SYS_PTRACE is missing, "
            "so only processes that syswatch starts can be traced. "
            "What helps: sudo syswatch …",
            explain_ptrace_denied(5, USER),
        )

    def test_run(self) -> None:
        """A command that cannot be traced is explained, too."""
        text = explain_ptrace_denied(None, attrs.evolve(ROOT, ptrace_scope=3))
        self.assertTrue(text.startswith("cannot trace the command: kernel.yama.ptrace_scope is 3"))

    def test_targets(self) -> None:
        """Properties of the process come first."""
        target = Target(uid=0, tracer_pid=77, name="nginx", kernel_thread=False)
        self.assertEqual(
            "cannot trace process 5 (nginx): process 77 traces it already, and the kernel allows "
            "only one tracer. What helps: stop that tracer, or use --backend ebpf.",
            explain_ptrace_denied(5, ROOT, target),
        )
        target = Target(uid=0, tracer_pid=0, name="kthreadd", kernel_thread=True)
        self.assertIn("a kernel thread", explain_ptrace_denied(2, ROOT, target))
        target = Target(uid=33, tracer_pid=0, name="nginx", kernel_thread=False)
        lenient = attrs.evolve(USER, ptrace_scope=0)
        self.assertIn("belongs to uid 33", explain_ptrace_denied(5, lenient, target))

    def test_unknown_cause(self) -> None:
        """A refusal without a known cause is explained as such."""
        self.assertIn("security module", explain_ptrace_denied(5, ROOT))
