"""The results of a run: summary, report, exit status."""

import os
import sys
from contextlib import nullcontext
from datetime import UTC, datetime
from platform import release
from shlex import join
from typing import TYPE_CHECKING, TextIO

from syswatch.app.signals import SignalHandler
from syswatch.base.streams import discard_output
from syswatch.base.text import escape_text
from syswatch.base.version import VERSION
from syswatch.codec.frames import Job
from syswatch.model.messages import Attach, ReadLogs, RunCommand
from syswatch.model.snapshot import Snapshot
from syswatch.options.config import Config
from syswatch.service.announcing import announce
from syswatch.service.atomic_write import PRIVATE, write_atomically
from syswatch.service.session import Outcome

if TYPE_CHECKING:
    from syswatch.views.profile_records import ProfileSummary

_NOTHING_TRACED = "interrupted before tracing started"
_INTERRUPTED = {
    ReadLogs: "interrupted; the numbers cover what was read so far",
    Attach: "detached; the target is still running",
    RunCommand: "detached; the command is still running",
}


def write_results(
    config: Config, snapshot: Snapshot, outcome: Outcome, signals: SignalHandler
) -> int:
    """
    Write what was asked for; return the exit status.

    That of the command comes first.  If it is 0 and a requested file cannot be written, the status
    is 1: a caller that relies on the file must learn of it.
    """
    has_begun = snapshot.has_begun
    interrupted = signals.status(has_begun=has_begun)
    written = [_write_summary(config, snapshot), _write_requested_report(config, snapshot)]
    if signals.received and not has_begun:
        # A signal to the whole process group may have ended the tracer as well.
        announce(_NOTHING_TRACED)
    elif outcome.trouble:
        announce(outcome.trouble)
    elif signals.stopped_tracing:
        announce(_INTERRUPTED[type(config.job)] if has_begun else _NOTHING_TRACED)
    return outcome.exit_status or interrupted or int(not all(written))


def _write_summary(config: Config, snapshot: Snapshot) -> bool:
    reporting = config.reporting
    if not (reporting.summary and snapshot.has_begun):
        return True
    from syswatch.terminal.summary import print_summary

    # Standard output belongs to the traced command; with a log there is none.
    is_log = isinstance(config.job, ReadLogs)
    stream = (sys.__stdout__ or sys.stdout) if is_log else (sys.__stderr__ or sys.stderr)
    try:
        target = _private(reporting.output) if reporting.output else nullcontext(stream)
        with target as out:
            print_summary(
                snapshot,
                out,
                reporting.summary_format,
                odd_lines=reporting.odd_lines,
                sort=reporting.sort,
            )
    except OSError as error:
        if not reporting.output:
            discard_output(stream)
            # A reader that has read enough is not an error.
            if isinstance(error, BrokenPipeError):
                return True
        where = f" to {reporting.output}" if reporting.output else ""
        announce(f"cannot write the summary{where}: {error.strerror}")
        # A command does not fail because stderr is full, unless the summary was requested, nor the
        # terminal UI because its terminal is gone.
        return not ((is_log and not config.tui) or reporting.summary_asked)
    return True


def _private(name: str) -> TextIO:
    """Return a new file that only its owner can read: it has the arguments of calls."""
    return os.fdopen(os.open(name, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, PRIVATE), "w")


def _write_requested_report(config: Config, snapshot: Snapshot) -> bool:
    name = config.reporting.report
    if not name:
        return True
    try:
        write_report(config, snapshot, name, top_files=config.reporting.report_top_files)
    except OSError as error:
        announce(f"cannot write the report to {name}: {error.strerror}")
        return False
    return True


def write_report(config: Config, snapshot: Snapshot, name: str, *, top_files: int) -> None:
    """Write the report to a file."""
    # Few runs need either, and both take time to import.
    from syswatch.views.report import Provenance, report

    origin = Provenance(
        command=_command(config.job, snapshot),
        version=VERSION,
        kernel=f"Linux {release()}",
        when=f"{datetime.now(UTC).astimezone():%Y-%m-%d %H:%M:%S %z}",
    )
    # A profile is that of the whole trace.
    whole = snapshot.whole
    needs = _needs(whole) if config.job.options.profile or whole.sums.evidence else None
    write_atomically(name, report(snapshot, origin=origin, top_files=top_files, needs=needs))


def _needs(snapshot: Snapshot) -> "ProfileSummary | None":
    """Return the profile that the program needs, unless it can't be known on this machine."""
    # Few runs count what profiles are made of.
    from syswatch.profiles.architectures import native
    from syswatch.profiles.needs import Wanted
    from syswatch.profiles.summary import summary

    architecture = native()
    return None if architecture is None else summary(snapshot, Wanted(architecture=architecture))


def _command(job: Job, snapshot: Snapshot) -> str:
    """Return the command line, rebuilt from the job: the original may contain a token."""
    if isinstance(job, ReadLogs):
        return escape_text(f"syswatch stats {join(job.files)}")
    if isinstance(job, Attach):
        return escape_text(f"syswatch attach {_targets(job)}")
    return f"syswatch run {snapshot.source.process.cmdline}"


def _targets(job: Attach) -> str:
    if job.everybody:
        return "--all"
    if job.group:
        return join(("--cgroup", job.group))
    return join((*map(str, job.pids), *job.names))
