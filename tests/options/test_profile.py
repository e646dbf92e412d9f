"""Tests of how `syswatch profile` is parsed."""

from twisted.trial.unittest import SynchronousTestCase

from syswatch.model.messages import RunCommand
from syswatch.options import action
from syswatch.options.config import Profiling
from tests.options.parsing import error_of

_MISTAKES = {
    (): "profile: missing INPUT or '-- COMMAND', as in 'syswatch profile -- ls'",
    ("a", "--", "true"): "profile: INPUT and COMMAND cannot be given together",
    ("check",): "profile check: missing PROFILE, as in 'syswatch profile check app.json app.rec'",
    ("check", "p"): "profile check: missing INPUT or '-- COMMAND', as in 'syswatch profile check"
    " app.json -- ls'",
    ("merge",): "profile merge: missing PROFILE, as in 'syswatch profile merge a.json b.json'",
    ("merge", "p", "--", "ls"): "profile merge: it takes profiles, not a command",
    ("diff", "p"): "profile diff: two profiles are needed, as in 'syswatch profile diff old.json"
    " new.json'",
    ("diff", "p", "q", "r"): "profile diff: two profiles are needed, as in 'syswatch profile diff"
    " old.json new.json'",
    ("-", "-"): "profile: standard input ('-') can be read only once",
    ("",): "profile: the name of an input is empty",
    ("--exact", "--broad", "a"): "--exact and --broad contradict each other",
    ("--cap", "SYS_MAGIC", "check", "p", "a"): "--cap: unknown capability 'SYS_MAGIC' (expected a"
    " name such as NET_ADMIN, or 'docker' or 'none')",
    ("--cap", "NET_RAW", "a"): "--cap has no effect without a profile that is read",
    ("--kernel", "new", "check", "p", "a"): "--kernel: invalid version 'new' (expected one such as"
    " 6.1)",
    ("--format", "oci", "diff", "p", "q"): "--format has no effect with profile diff",
    ("--log-only", "diff", "p", "q"): "--log-only has no effect with profile diff",
    ("--user", "root", "a"): "--user has no effect without a command",
    ("--backend", "ebpf", "merge", "p"): "--backend has no effect without a command",
    ("-E", "A", "--", "ls"): "-E: invalid value 'A' (expected NAME=VALUE)",
    ("--format", "oci", "--", "ls"): "profile: --format oci with a command needs --output FILE,"
    " since standard output is that of the command",
}


def profiling_of(*words: str) -> Profiling:
    """Return what a command line stands for."""
    found = action(["profile", *words])
    assert isinstance(found, Profiling), found
    return found


class ProfileTests(SynchronousTestCase):
    """Command lines."""

    def test_command(self) -> None:
        """A command is traced with evidence; its options are its own."""
        found = profiling_of("check", "p", "--", "ls", "--exact")
        assert found.traced is not None
        job = found.traced.job
        assert isinstance(job, RunCommand)
        self.assertEqual(("ls", "--exact"), job.argv)
        self.assertEqual(("auto", True), (job.options.backend, job.options.profile))
        self.assertEqual(("check", ("p",), ()), (found.task, found.profiles, found.inputs))

    def test_target(self) -> None:
        """The command is started as with `run`."""
        words = ("--cwd", "/", "-E", "A=b", "--user", "root", "--backend", "ebpf")
        found = profiling_of(*words, "--", "ls")
        assert found.traced is not None
        job = found.traced.job
        assert isinstance(job, RunCommand)
        self.assertEqual(("/", {"A": "b"}, "root"), (job.cwd, job.environment, job.user))
        self.assertEqual("ebpf", job.options.backend)

    def test_inputs(self) -> None:
        """Options may follow operands."""
        found = profiling_of("a", "b", "--exact", "--format", "oci")
        self.assertEqual(("write", (), ("a", "b")), (found.task, found.profiles, found.inputs))
        self.assertEqual(("exact", "oci", False), (found.level, found.format, found.log_only))
        self.assertTrue(profiling_of("a", "--log-only").log_only)

    def test_container(self) -> None:
        """The capabilities and the kernel of a container are those that are named."""
        found = profiling_of("check", "p", "a", "--cap", "net_admin,CAP_BPF", "--kernel", "5.10.3")
        self.assertEqual(
            (("CAP_NET_ADMIN", "CAP_BPF"), (5, 10)), (found.capabilities, found.kernel)
        )
        self.assertEqual((), profiling_of("check", "p", "a", "--cap", "none").capabilities)
        docker = profiling_of("check", "p", "a", "--cap", "docker", "--cap", "BPF").capabilities
        self.assertLessEqual({"CAP_CHOWN", "CAP_BPF"}, set(docker or ()))
        self.assertIsNone(profiling_of("check", "p", "a").capabilities)

    def test_words(self) -> None:
        """The first operand says what is done with profiles."""
        self.assertEqual(("p", "q"), profiling_of("merge", "p", "q").profiles)
        self.assertEqual(("p", "q"), profiling_of("diff", "p", "q").profiles)
        self.assertEqual(("./check",), profiling_of("./check").inputs)

    def test_mistakes(self) -> None:
        """Each mistake is one sentence."""
        for words, sentence in _MISTAKES.items():
            self.assertEqual(sentence, error_of("profile", *words), words)
