"""Tests of options that are refused because they would have no effect."""

from collections.abc import Sequence
from pathlib import Path

from twisted.trial.unittest import SynchronousTestCase

from syswatch.options import PROGRAM
from syswatch.options.declaration import GENERAL
from tests.options.parsing import error_of
from tests.system.servers import LOG

# The arguments that complete the command line of each command.
_TARGETS: dict[str, tuple[str, ...]] = {
    "run": ("true",),
    "attach": ("1",),
    "stats": (str(LOG),),
    "top": ("localhost:1",),
    "discover": ("x",),
    "doctor": (),
}
_WATCHING = ("run", "attach", "stats")
_LIVE = ("run", "attach")
# A value for each option that takes one.
_VALUES = {
    "serve": ":0",
    "otlp": "localhost:4318",
    "engine": "dask",
    "baseline": str(LOG),
    "ws-token": "sesame",
    "http-token": "sesame",
    "max-clients": "5",
    "metrics-buckets": "4",
    "metrics-series": "2000",
    "log-format": "json",
    "report": "report.html",
    "report-top-files": "5",
    "format": "csv",
    "output": "summary",
    "tui": "never",
    "record": "recording",
    "keep": "5m",
    "save-on": "alert",
    "keep-saves": "5",
    "calls": "calls",
    "calls-format": "ndjson",
    "allow-host": "web",
    "trusted-proxy": "10.0.0.1",
    "trace": "openat",
    "status": "failed",
    "string-limit": "64",
    "log-rate": "5",
    "backend": "auto",
    "mode": "full",
    "trace-path": "/etc",
    "redact": "secrets",
    "cwd": "/",
    "sort": "waiting",
    "share": "wall",
    "idle": "futex",
    "blocked": "epoll_wait@/run/*",
    "user": "nobody",
    "env": "A=b",
    "container": "web",
    "pid": "1",
}
_SERVING = ("ws-token", "ws-token-file", "http-token", "http-token-file", "max-clients")
_SERVING_TOO = ("allow-host", "trusted-proxy", "baseline", "metrics-buckets")
_KEEPING = ("keep", "save-on", "keep-saves")
_NEEDING = ("report-top-files", "calls-format", "otlp-spans", "metrics-series")
_READING = ("string-limit", "decode-fds", "report-top-files")
# The commands, their options, the options given before these, and the reason.
_REFUSED: tuple[tuple[Sequence[str], Sequence[str], tuple[str, ...], str], ...] = (
    (_WATCHING, (*_SERVING, *_SERVING_TOO), (), "has no effect without --serve"),
    (_WATCHING, ("metrics-series",), (), "has no effect without --serve or --otlp"),
    (_WATCHING, ("report-top-files",), (), "has no effect without --report"),
    (
        _LIVE,
        _READING,
        ("--mode", "counts", "--report", "report.html"),
        "has no effect with --mode counts, which reads no arguments",
    ),
    (
        _LIVE,
        ("log-rate",),
        ("--mode", "counts"),
        "has no effect with --mode counts, which keeps no log",
    ),
    (
        _LIVE,
        (*_READING, "profile"),
        ("--no-args", "--report", "report.html"),
        "has no effect with --no-args, which reads no arguments",
    ),
)
# Options that contradict each other, and command lines refused for other reasons.
_SENTENCES: dict[tuple[str, ...], str] = {
    ("run", "--children", "--no-children", "true"): (
        "--no-children and --children contradict each other"
    ),
    ("run", "-f", "--no-children", "true"): "-f and --no-children contradict each other",
    ("run", "-z", "-Z", "true"): "-z and -Z contradict each other",
    ("run", "-z", "--status", "failed", "true"): "-z and --status contradict each other",
    ("run", "--status=successful", "-Z", "true"): "-Z and --status contradict each other",
    ("run", "-o", "a", "--calls", "b", "true"): (
        "-o and --calls both name the file of the calls (with -c, -o names that of the summary)"
    ),
    ("run", "--no-objects", "--idle", "read", "true"): (
        "--idle has no effect with --no-objects, which follows no waits"
    ),
    ("run", "--mode", "counts", "--backend", "ebpf", "--blocked", "read", "true"): (
        "--blocked has no effect with --mode counts, which follows no waits"
    ),
    ("run", "-T", "--mode", "counts", "true"): (
        "-T has no effect with --mode counts, which measures no durations"
    ),
    **{
        ("attach", *what, "--no-children"): (
            f"--no-children has no effect with {what[0]}, which {why}"
        )
        for what, why in (
            (("--all",), "traces every process"),
            (("--cgroup", "/"), "traces every process of the group"),
        )
    },
    **{
        ("attach", *what, "--backend", "ptrace"): (
            f"{what[0]} is not available with --backend ptrace (use --backend ebpf)"
        )
        for what in (("--all",), ("--cgroup", "/"))
    },
    ("run", "--mode", "counts", "--backend", "ptrace", "true"): (
        "--mode counts is not available with --backend ptrace (use --backend ebpf)"
    ),
    ("run", "--tui", "always", "--serve", ":0", "true"): "--tui always: --serve is given instead",
    ("attach", "--wait", "1"): "--wait needs a NAME to wait for: a PID must exist already",
}
# Asking for the default is not a mistake.
_REDUNDANT = (
    ("run", "--exit-with-target", "true"),
    ("run", "--no-debug-endpoints", "true"),
    ("run", "--no-colocate", "--backend", "ebpf", "true"),
    ("run", "--mode", "counts", "--no-args", "--redact", "x", "-P", "/etc", "true"),
    ("run", "--summary", "--format", "json", "--output", "summary", "true"),
    ("run", "--no-args", "--log-rate", "5", "--redact", "x", "true"),
    ("run", "--tui", "never", "--serve", ":0", "true"),
    ("stats", "--log-format", "json", str(LOG)),
)


class EffectTests(SynchronousTestCase):
    """Command lines that are understood, and cannot have the effect that is asked for."""

    def setUp(self) -> None:
        """Write a file with a token."""
        Path("token").write_text("sesame\n")
        self.addCleanup(Path("token").unlink)

    def test_refused(self) -> None:
        """An option without effect is refused with one sentence."""
        for commands, flags, beside, why in _REFUSED:
            for command in commands:
                for flag in flags:
                    words = (command, *beside, *_written(flag), *_TARGETS[command])
                    self.assertEqual(f"--{flag} {why}", error_of(*words))

    def test_before_the_command(self) -> None:
        """The same holds for options before the command."""
        sentence = error_of("--report-top-files", "3", "stats", str(LOG))
        self.assertEqual("--report-top-files has no effect without --report", sentence)

    def test_sentences(self) -> None:
        """Contradictions are refused with one sentence."""
        for words, sentence in _SENTENCES.items():
            self.assertEqual(sentence, error_of(*words))
        for flag in ("ws-token", "http-token"):
            both = (*_written(flag), *_written(f"{flag}-file"))
            sentence = f"--{flag} and --{flag}-file contradict each other"
            self.assertEqual(sentence, error_of("run", "--serve", ":0", *both, "true"))
        both = (*_written("http-token"), *_written("http-token-file"))
        self.assertIn("contradict", error_of("top", *both, *_TARGETS["top"]))

    def test_redundant(self) -> None:
        """An option that only asks for the default is accepted."""
        for words in _REDUNDANT:
            self.assertEqual("", error_of(*words))

    def test_elsewhere(self) -> None:
        """Options before a command that lacks them are refused, unless they are harmless."""
        for option in PROGRAM.options:
            flag = option.name
            for command, harmless in (
                ("discover", {"debug", "log-format"}),
                ("doctor", {"debug", "log-format"}),
                ("top", {"debug", "log-format", "http-token", "http-token-file"}),
            ):
                if option in GENERAL or (flag in harmless and command != "top"):
                    continue
                words = (*_written(flag), command, *_TARGETS[command])
                expected = "" if flag in harmless else f"--{flag} has no effect with {command}"
                self.assertEqual(expected, error_of(*words))

    def test_each_alone(self) -> None:
        """Every other option of every command is accepted by itself."""
        refused = {*_SERVING, *_SERVING_TOO, *_KEEPING, *_NEEDING}
        others = {"all", "by", "cgroup", "groups", "wait"}  # They do not go with a PID.
        for name in _WATCHING:
            command = PROGRAM.command(name)
            assert command is not None
            for option in command.options:
                if option.name in others or option in GENERAL:
                    continue
                words = (name, *_written(option.name), *_TARGETS[name])
                self.assertEqual(option.name in refused, bool(error_of(*words)), words)


def _written(flag: str) -> tuple[str, ...]:
    """Return an option as it is given."""
    if flag.endswith("-file"):
        return (f"--{flag}", "token")
    return (f"--{flag}", _VALUES[flag]) if flag in _VALUES else (f"--{flag}",)
