"""Loading the program for a trace, which takes most of the time until the trace begins."""

import os
from importlib import import_module

from syswatch.model.messages import TraceOptions

from . import layout
from .program import Program
from .scope import NamedProcesses, Scope
from .selection import select_paths
from .settings import settings_of

_NAMED = NamedProcesses()
# While the program is loaded, the kernel verifies it on one CPU, and the service starts on another.
# What reads the maps would be imported at the expense of both, and is not needed yet.
_BUSY_CPUS = 2


def load(options: TraceOptions, scope: Scope = _NAMED, *, records: bool = False) -> Program:
    """Load the program and set it up; it observes nothing yet."""
    settings = settings_of(options, scope.number, records=records)

    def describe(catalog: layout.Catalog) -> None:
        # Only now: what it needs takes long to import.
        from .catalog import fill

        fill(catalog, options, settings)
        if len(os.sched_getaffinity(0)) > _BUSY_CPUS:
            import_trace()

    program = Program.load(settings, describe)
    # This makes the tracer known to the program, which has no process to find yet.
    program.scan()
    scope.confine(program)
    select_paths(program, options.paths)
    return program


def import_trace() -> None:
    """Import what reads the maps."""
    import_module(f"{__package__}.trace")
