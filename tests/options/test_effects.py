"""Which options are refused because they would do nothing."""

from collections.abc import Iterator, Sequence
from pathlib import Path

from twisted.trial.unittest import SynchronousTestCase

from syswatch.app import actions as plugin
from syswatch.options import Options
from tests.system.servers import LOG

# What each command needs to be a whole command line.
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
    "ws-token": "sesame",
    "http-token": "sesame",
    "max-clients": "5",
    "log-format": "json",
    "report": "report.html",
    "report-top-files": "5",
    "format": "csv",
    "output": "summary",
    "tui": "never",
    "record": "recording",
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
    "user": "nobody",
    "env": "A=b",
    "container": "web",
}
_SERVING = ("ws-token", "ws-token-file", "http-token", "http-token-file", "max-clients")
_SERVING_TOO = ("allow-host", "trusted-proxy")
_READING = ("string-limit", "decode-fds", "report-top-files")
# The commands, an option, what stands beside it, and what it then lacks.
_REFUSED: tuple[tuple[Sequence[str], Sequence[str], tuple[str, ...], str], ...] = (
    (_WATCHING, (*_SERVING, *_SERVING_TOO), (), "has no effect without --serve"),
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
        _READING,
        ("--no-args", "--report", "report.html"),
        "has no effect with --no-args, which reads no arguments",
    ),
)
# Pairs of which only one can hold, and what is refused for other reasons.
_SENTENCES: dict[tuple[str, ...], str] = {
    ("run", "--children", "--no-children", "true"): (
        "--children and --no-children contradict each other"
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
            f"{what[0]} needs eBPF, and --backend asks for ptrace"
        )
        for what in (("--all",), ("--cgroup", "/"))
    },
    ("run", "--mode", "counts", "--backend", "ptrace", "true"): (
        "--mode counts needs eBPF, and --backend asks for ptrace"
    ),
    ("run", "--tui", "always", "--serve", ":0", "true"): "--tui always: --serve takes its place",
    ("attach", "--wait", "1"): "--wait is for a NAME; others must be there already",
}
# What only asks for what holds anyway is no mistake.
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
    """Command lines that are understood, and cannot have meant anything."""

    def setUp(self) -> None:
        """Collect what is said, in a folder for what is written."""
        self.said: list[str] = []
        self.patch(plugin, "announce", self.said.append)
        Path("token").write_text("sesame\n")
        self.addCleanup(Path("token").unlink)

    def refusal(self, *words: str) -> str:
        """Return what is said of a command line, empty where it is accepted."""
        try:
            plugin.Options().parseOptions(list(words))
        except SystemExit as end:
            self.assertEqual(2, end.code, words)
            return self.said.pop()
        return ""

    def test_refused(self) -> None:
        """An option that lacks another, or comes to nothing beside it, is one sentence."""
        for commands, flags, beside, why in _REFUSED:
            for command in commands:
                for flag in flags:
                    words = (command, *beside, *_written(flag), *_TARGETS[command])
                    self.assertEqual(f"--{flag} {why}", self.refusal(*words))

    def test_before_the_command(self) -> None:
        """It is no different for what stands before the command."""
        sentence = self.refusal("--report-top-files", "3", "stats", str(LOG))
        self.assertEqual("--report-top-files has no effect without --report", sentence)

    def test_sentences(self) -> None:
        """So are contradictions."""
        for words, sentence in _SENTENCES.items():
            self.assertEqual(sentence, self.refusal(*words))
        for flag in ("ws-token", "http-token"):
            both = (*_written(flag), *_written(f"{flag}-file"))
            sentence = f"--{flag} and --{flag}-file contradict each other"
            self.assertEqual(sentence, self.refusal("run", "--serve", ":0", *both, "true"))
        both = (*_written("http-token"), *_written("http-token-file"))
        self.assertIn("contradict", self.refusal("top", *both, *_TARGETS["top"]))

    def test_redundant(self) -> None:
        """What is merely said twice is accepted."""
        for words in _REDUNDANT:
            self.assertEqual("", self.refusal(*words))

    def test_elsewhere(self) -> None:
        """What stands before a command that watches nothing is refused, unless it is harmless."""
        for flag in _flags(Options()):
            for command, harmless in (
                ("discover", {"debug", "log-format"}),
                ("doctor", {"debug", "log-format"}),
                ("top", {"debug", "log-format", "http-token", "http-token-file"}),
            ):
                words = (*_written(flag), command, *_TARGETS[command])
                said = "" if flag in harmless else f"--{flag} has no effect with {command}"
                if flag not in harmless or command == "top":
                    self.assertEqual(said, self.refusal(*words))

    def test_each_alone(self) -> None:
        """Every other option of every command is accepted as it is."""
        refused = {*_SERVING, *_SERVING_TOO, "report-top-files"}
        others = {"all", "cgroup", "wait"}  # They are no options beside a PID.
        for command in _WATCHING:
            for flag in _flags(_parsed(command)):
                if flag in others:
                    continue
                words = (command, *_written(flag), *_TARGETS[command])
                self.assertEqual(flag in refused, bool(self.refusal(*words)), words)


def _parsed(command: str) -> Options:
    options = Options()
    options.parseOptions([command, *_TARGETS[command]])
    found: Options = options.subOptions
    return found


def _flags(options: Options) -> Iterator[str]:
    """Yield the long name of each option that watches something."""
    for name in sorted(options.docs):
        if name not in {"help", "version"} and len(name) > 1:
            yield name.replace("_", "-")


def _written(flag: str) -> tuple[str, ...]:
    """Return an option as it is given."""
    if flag.endswith("-file"):
        return (f"--{flag}", "token")
    return (f"--{flag}", _VALUES[flag]) if flag in _VALUES else (f"--{flag}",)
