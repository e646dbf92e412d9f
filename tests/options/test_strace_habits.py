"""Tests of command lines as users of strace type them."""

from twisted.trial.unittest import SynchronousTestCase

from syswatch.model.messages import Attach, RunCommand
from syswatch.options.strace_habits import STRACE_OPTIONS
from tests.options.parsing import config_of, error_of


class HabitTests(SynchronousTestCase):
    """Options of strace."""

    def pids(self, *words: str) -> tuple[int, ...]:
        """Return the processes that a command line attaches to."""
        job = config_of("attach", *words).job
        assert isinstance(job, Attach)
        return job.pids

    def test_pids(self) -> None:
        """`-p` may be repeated, take a list, and stand beside other processes."""
        for words in (
            ("-p", "1", "-p", "2"),
            ("-p1,2",),
            ("-p", "1 2\n"),
            ("-fp", "1, 2"),
            ("--pid=1", "--pid=2", "-p", "1"),
            ("-p", "2", "1"),
        ):
            self.assertEqual((1, 2), self.pids(*words))

    def test_bad_pids(self) -> None:
        """What is not a PID is quoted."""
        for value, error in {
            "": "-p: the PID is empty",
            ",": "-p: the PID is empty",
            "1,x2": "-p: invalid PID 'x2'",
            "0": "-p: invalid PID '0'",
            "²": "-p: invalid PID '²'",
            "\u0661": "-p: invalid PID '\u0661'",
            "-5": "-p: invalid PID '-5'",
            "nginx": "-p: invalid PID 'nginx' (to attach by name: syswatch attach nginx)",
        }.items():
            self.assertEqual(error, error_of("attach", "-p", value))
        self.assertEqual(
            "--all cannot be combined with other targets", error_of("attach", "--all", "-p", "1")
        )

    def test_not_needed(self) -> None:
        """`-f` and `-T` change nothing, which one line says; more of them are one line as well."""
        plain = config_of("run", "--tui", "never", "true")
        for flag in ("-f", "-T", "-ff", "-ttt", "--follow-forks", "--syscall-times"):
            config = config_of("run", "--tui", "never", flag, "true")
            [note] = config.notes
            self.assertIn("is not needed", note)
            self.assertLess(len(f"syswatch: {note}"), 80)
            self.assertEqual(plain.job, config.job)
            self.assertEqual(plain.reporting, config.reporting)

    def test_short_forms(self) -> None:
        """The short options of strace mean what they mean there."""
        config = config_of(
            *("run", "-c", "-o", "out", "-y", "-s", "5", "-e", "trace=open", "-P", "/etc"),
            *("-E", "A=b", "-u", "root", "-Z", "true"),
        )
        reporting, job = config.reporting, config.job
        assert isinstance(job, RunCommand)
        self.assertEqual((True, "out"), (reporting.summary_asked, reporting.output))
        self.assertEqual(("root", {"A": "b"}), (job.user, job.environment))
        options = job.options
        self.assertEqual(
            (True, 5, "trace=open", ("/etc",), "failed"),
            (
                options.descriptor_paths,
                options.string_limit,
                options.trace,
                options.paths,
                options.status,
            ),
        )
        job = config_of("run", "-z", "true").job
        assert isinstance(job, RunCommand)
        self.assertEqual("successful", job.options.status)

    def test_empty_path(self) -> None:
        """An empty path is an unset variable."""
        self.assertEqual("-P: the path is empty", error_of("run", "-P", "", "true"))

    def test_summary_instead_of_screen(self) -> None:
        """`-c` asks for the summary alone."""
        self.assertFalse(config_of("run", "-c", "true").tui)

    def test_not_supported(self) -> None:
        """Other options of strace are answered with what to do instead."""
        self.assertEqual("use --sort", STRACE_OPTIONS["-S"])
        self.assertEqual("use -c with --calls FILE", STRACE_OPTIONS["-C"])
        for label, hint in STRACE_OPTIONS.items():
            expected = f"{label} of strace is not supported: {hint}"
            self.assertEqual(expected, error_of("attach", label, "-p", "1"))
            self.assertEqual(expected, error_of("run", label, "true"))
