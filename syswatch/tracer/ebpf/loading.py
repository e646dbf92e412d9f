"""Loading the program for a trace, which takes most of the time until the trace begins."""

from syswatch.model.messages import TraceOptions

from . import layout
from .program import Program
from .scope import NamedProcesses, Scope
from .selection import select_paths
from .settings import settings_of

_NAMED = NamedProcesses()


def load(options: TraceOptions, scope: Scope = _NAMED, *, records: bool = False) -> Program:
    """Load the program and set it up; it observes nothing yet."""
    settings = settings_of(options, scope.number, records=records)

    def describe(catalog: layout.Catalog) -> None:
        # Only now: what it needs takes long to import.
        from .catalog import fill

        fill(catalog, options, settings)

    program = Program.load(settings, describe)
    # This makes the tracer known to the program, which has no process to find yet.
    program.scan()
    scope.confine(program)
    select_paths(program, options.paths)
    return program
