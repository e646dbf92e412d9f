"""`syswatch run` and `syswatch attach`: a living program."""

import attrs
from twisted.python import usage

from syswatch.machine.groups import GroupError, folder_of
from syswatch.model.messages import Attach, RunCommand, TraceOptions
from syswatch.options.config import Config

from . import checks
from .filtering import STRING_LIMIT, FilteringOptions
from .screen import how_to_see_it_live

_LOG_RATE = "2000"
_BACKENDS = ("auto", "ebpf", "ptrace")
_MODES = ("full", "counts")


class TracingOptions(FilteringOptions):
    """The flags that both have."""

    optParameters = [
        ["log-rate", None, None, f"Keep at most N log entries a second ({_LOG_RATE})."],
        ["backend", None, None, "How to trace: auto (the default), ebpf or ptrace."],
        ["mode", None, None, "What to see: full (the default), or counts without times (eBPF)."],
    ]
    optFlags = [
        ["decode-fds", "y", "Show the paths of descriptors."],
        ["no-colocate", None, "Never bind tracer and target to one CPU."],
        ["no-children", None, "Trace the named processes only, not what they start."],
        ["children", None, "Trace what they start, too (the default)."],
        ["exit-with-target", None, "End the server when the target ends."],
    ]

    def options(self) -> TraceOptions:
        """Check the flags and return them."""
        filters = self.filters()
        backend = checks.one_of("backend", self.given_or("backend", "auto"), _BACKENDS)
        mode = checks.one_of("mode", self.given_or("mode", "full"), _MODES)
        limit = STRING_LIMIT if filters.string_limit is None else filters.string_limit
        return TraceOptions(
            **{**attrs.asdict(filters, recurse=False), "string_limit": limit},
            follow_children=not self["no-children"],
            descriptor_paths=bool(self["decode-fds"]),
            colocate=not self["no-colocate"],
            log_rate=checks.whole("log-rate", self.given_or("log-rate", _LOG_RATE)),
            debug=bool(self.given("debug")),
            backend=backend,
            mode=mode,
        )

    def action(self) -> Config:
        """Add what only a living target needs."""
        return attrs.evolve(super().action(), exit_with_target=bool(self["exit-with-target"]))


class RunOptions(TracingOptions):
    """The flags of `run`."""

    synopsis = "Usage: syswatch run [options] [--] COMMAND [ARGUMENT...]"
    longdesc = (
        "Start a command and trace it from its first moment.  What stands behind COMMAND is its"
        " own: options of syswatch, such as --serve, go before it.  The exit status is that of the"
        " command; if it is 0 and something that was asked for cannot be written, it is 1."
    )
    optParameters = [
        ["cwd", None, None, "Start the command in this directory."],
        ["user", "u", None, "Start the command as this user."],
    ]

    def __init__(self) -> None:
        self.environment: dict[str, str] = {}
        super().__init__()

    def opt_env(self, assignment: str) -> None:
        """Set NAME=VALUE in the environment of the command; may be repeated."""
        name, equals, value = assignment.partition("=")
        if not (name and equals):
            raise usage.UsageError(f"--env: '{assignment}' is not NAME=VALUE")
        self.environment[name] = value

    def parseArgs(self, *argv: str) -> None:
        """Take the command."""
        if not argv:
            raise usage.UsageError("run needs a COMMAND")
        self.argv = argv

    def job(self) -> RunCommand:
        """Return what the tracer is to start."""
        return RunCommand(
            argv=self.argv,
            cwd=checks.directory("cwd", self["cwd"]),
            environment=self.environment,
            user=checks.name("user", self["user"]),
            options=self.options(),
        )


class AttachOptions(TracingOptions):
    """The flags of `attach`."""

    synopsis = "Usage: syswatch attach [options] PID|NAME..."
    longdesc = (
        "Trace processes that run already, by number or by the name of a container, a unit or a"
        " process.  A name of digits alone is a PID."
    )
    optParameters = [
        ["container", None, None, "Attach to this name, be it one of digits."],
        ["cgroup", None, None, "Trace everything in this control group (eBPF)."],
    ]
    optFlags = [
        ["wait", None, "Wait until there is something of each NAME."],
        ["all", None, "Trace every process of this machine (eBPF)."],
    ]

    def parseArgs(self, *targets: str) -> None:
        """Take the targets."""
        checks.options_first(targets)
        for flag in ("container", "cgroup"):
            checks.name(flag, self[flag])
        self.pids = tuple(checks.pid(text) for text in targets if checks.is_number(text))
        named = [text for text in targets if not checks.is_number(text)]
        self.names = tuple(filter(None, (*map(checks.target_name, named), self["container"])))
        group = "--cgroup PATH" if self["cgroup"] else ""
        whole = [what for what in (group, "--all" if self["all"] else "") if what]
        if len(whole) + bool(targets or self.names) > 1:
            raise usage.UsageError(f"{whole[0]} takes no PID, no NAME and nothing else")
        if self["wait"] and not self.names:
            raise usage.UsageError("--wait is for a NAME; others must be there already")
        if not (whole or targets or self.names):
            raise usage.UsageError("attach needs a PID, a NAME, --cgroup PATH or --all")

    def action(self) -> Config:
        """Return it, with a hint: nothing that is attached to need ever say a word."""
        config = super().action()
        return attrs.evolve(config, hint=how_to_see_it_live(self.given_or("tui", "auto"), config))

    def job(self) -> Attach:
        """Return what the tracer is to attach to."""
        return Attach(
            pids=self.pids,
            names=self.names,
            wait=bool(self["wait"]),
            group=_folder(self["cgroup"]) if self["cgroup"] else "",
            everybody=bool(self["all"]),
            options=self.options(),
        )


def _folder(group: str) -> str:
    try:
        return str(folder_of(group))
    except GroupError as error:
        raise usage.UsageError(f"--cgroup: {error}") from error
