"""From the arguments of `run`, `attach`, `stats` and `replay` to a configuration."""

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

import attrs

from . import checks, otlp, output, preferences, serving
from .arguments import Arguments
from .config import Config, Reporting
from .effects import check_effects
from .terminal import missing_textual, wants_ui

if TYPE_CHECKING:
    from syswatch.codec.frames import Job


def configure(
    arguments: Arguments, job: "Job", files: Sequence[str] = (), reporting: Reporting | None = None
) -> Config:
    """
    Check the options that these commands share; `files` are those to be read.

    Options say what is written at the end, unless it is given.
    """
    # The help needs no patterns of secrets.
    from .masking import mask_arguments

    checks.need_proc()
    access = serving.access(arguments)
    access = attrs.evolve(access, command_line=mask_arguments(sys.orig_argv, job, access))
    config = Config(
        job=job,
        serving=serving.serving(arguments, access),
        push=otlp.push(arguments),
        reporting=reporting or output.reporting(arguments),
        preferences=preferences.preferences(arguments),
        exit_with_target=arguments.has("exit-with-target"),
        tui=wants_ui(arguments),
        tui_required=arguments.value("tui") == "always",
        log_format=checks.choice(arguments, "log-format"),
        notes=_notes(arguments),
    )
    check_effects(arguments)
    checks.check_distinct_files(arguments, ("output", "report", "calls"), files)
    return config


def _notes(arguments: Arguments) -> tuple[str, ...]:
    given = (o.note for o in arguments.command.options if o.note and arguments.has(o.name))
    return tuple(filter(None, (*given, missing_textual(arguments))))
